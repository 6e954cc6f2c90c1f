"""What `docker build` gets of this folder: what .dockerignore leaves of the files that git knows or would."""

from __future__ import annotations

import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


def list_sent(*further: str) -> Iterator[Path]:
    """Yield their paths from ROOT, also of `further` files that are left; the last rule that fits counts."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # of the PATH
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in [*listed.stdout.splitlines(), *further]:
        path = Path(name)
        places = [str(path), *map(str, path.parents)]
        is_out = False
        for rule in rules:
            pattern = rule.removeprefix("!").removeprefix("**/")
            if any(
                fnmatch(place, pattern) or ("**/" in rule and fnmatch(Path(place).name, pattern)) for place in places
            ):
                is_out = not rule.startswith("!")
        if not is_out:
            yield path
