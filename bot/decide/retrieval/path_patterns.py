"""Path patterns in the syntax of `.gitignore` and CODEOWNERS. Pure.

`*` and `?` stay in one folder, `**` crosses folders. A slash at the start or inside anchors a pattern to the root,
otherwise it matches at any depth; one at the end means a folder. A pattern that matches a folder matches everything in
it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

if TYPE_CHECKING:
    from collections.abc import Iterator


def fits(pattern: str, path: str, *, star_is_shallow: bool = False) -> bool:
    """Return whether `pattern` matches `path` (relative, POSIX) or a folder around it.

    With `star_is_shallow` a final `/*` matches direct children only, as in CODEOWNERS.
    """
    return _compile_pattern(pattern, star_is_shallow).fullmatch(path) is not None


@lru_cache(maxsize=8_192)
def _compile_pattern(pattern: str, star_is_shallow: bool) -> Any:
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    bare = pattern.strip("/")
    tied = "/" in pattern.rstrip("/")
    below = "/.+" if pattern.endswith("/") else "(?:/.*)?"
    if star_is_shallow and pattern.endswith("/*"):
        below = ""
    return re2.compile(f"{'' if tied else '(?:.*/)?'}{''.join(_pieces(bare))}{below}", options)


def _pieces(pattern: str) -> Iterator[str]:
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            yield "(?:.*/)?"
            at += 3
        elif pattern.startswith("**", at):
            yield ".*"
            at += 2
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            yield re2.escape(pattern[at + 1])
            at += 2
        else:
            yield {"*": "[^/]*", "?": "[^/]"}.get(pattern[at]) or re2.escape(pattern[at])
            at += 1


def is_below(folder: str, path: str) -> bool:
    """Return whether a path is in a folder, both relative to the project's root; `.` contains all."""
    return folder in ("", ".") or path == folder or path.startswith(f"{folder.rstrip('/')}/")
