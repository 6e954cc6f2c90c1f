"""A page of the documents that a script writes from the code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_page(path: Path, text: str) -> int:
    """Write a page; with `--check` compare it, and return 1 if it is out of date."""
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
        return 0
    if path.read_text() == text:
        return 0
    sys.stderr.write(f"docs/{path.name} is out of date: make format writes it\n")
    return 1
