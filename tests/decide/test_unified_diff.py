"""Patches read as those of git do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.decide.unified_diff import format_patch

LINES = "".join(f"line {number}\n" for number in range(30))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nc\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        (LINES, LINES.replace("line 4\n", "").replace("line 25\n", "line 25\nmore\n")),
        ("a\r\nb\x0cc\r\n", "a\r\nd\x0cc\r\n"),
        (None, "new\n"),
        (None, "new"),
        ("old\n", None),
        ("--- a\n+++ b\n", "@@ -1 +1 @@\n"),
    ],
)
def test_git_applies_a_patch(tmp_path: Path, before: str | None, after: str | None) -> None:
    """It has all of the change, to the last byte."""
    path = tmp_path / "a.txt"
    if before is not None:
        path.write_bytes(before.encode())
    patch = format_patch("a.txt", before, after)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch.encode(), check=True)  # noqa: S607  # as on the PATH
    assert (path.read_bytes().decode() if path.exists() else None) == after


def test_equal_contents_have_no_patch() -> None:
    """Also none at all."""
    assert format_patch("a.txt", "a\n", "a\n") == format_patch("a.txt", None, None) == ""
