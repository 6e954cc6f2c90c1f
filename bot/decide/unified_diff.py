"""Patch of a text file, in the unified format that `git diff` prints."""

from __future__ import annotations

import difflib

_CONTEXT = 3
_NO_BREAK = "\\ No newline at end of file\n"


def format_patch(path: str, before: str | None, after: str | None) -> str:
    """Return the patch between two contents of a file, `None` for none; empty if they are equal."""
    if before == after:
        return ""
    old = f"a/{path}" if before is not None else "/dev/null"
    new = f"b/{path}" if after is not None else "/dev/null"
    kind = ["new file mode 100644\n"] if before is None else ["deleted file mode 100644\n"] if after is None else []
    rows = difflib.unified_diff(_split(before), _split(after), old, new, n=_CONTEXT)
    shown = [row if row.endswith("\n") else f"{row}\n{_NO_BREAK}" for row in rows]
    return "".join([f"diff --git a/{path} b/{path}\n", *kind, *shown])


def _split(text: str | None) -> list[str]:
    r"""Return the lines of a text with their ends; only `\n` ends a line."""
    lines = [f"{line}\n" for line in (text or "").split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
