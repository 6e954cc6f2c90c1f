"""Commits, changes and blame of a project, as plain values read from git.

Called by `tools/history`. Only what lies under the project's root is seen, though the repository may be larger; a file
on the deny-list shows that it changed, never what it holds. Hashes come from `git.commit_sha`.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.tools.files import denied
from bot.tools.git import inside, lines_at, run

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS = "--format=%H%x00%an%x00%as%x00%P%x00%B%x00"
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-renames", "--no-color")
_BLAMED = re.compile(r"(?P<sha>[0-9a-f]{40}) \d+ (?P<line>\d+)(?: \d+)?")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; `day` is YYYY-MM-DD in its author's zone."""

    sha: str
    author: str
    day: str
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit changed under the root, against its first parent."""

    commit: Commit
    files: tuple[tuple[str, str], ...]
    """Status letter and path of each file."""
    diff: str
    withheld: int
    """How many of the files hold secrets by their name, and so are not in the diff."""
    cut: bool


@dataclass(frozen=True, slots=True)
class Blamed:
    """One line, and the commit that last changed it."""

    line: int
    sha: str
    author: str
    day: str


async def log(root: Path, sha: str, *, path: str = "", words: str = "", count: int = 20) -> tuple[Commit, ...]:
    """The newest commits up to `sha` that touch `path` (all of the root when empty), newest first.

    With `words` only those whose message holds them, in any case.
    """
    asked = [f"--grep={' '.join(words.split())}", "--fixed-strings", "--regexp-ignore-case"] if words else []
    target = inside(path) if path else "."
    out, _ = await run(root, "log", _FIELDS, f"--max-count={count}", *asked, sha, "--", target)
    return _commits(out)


async def change(root: Path, sha: str, path: str = "") -> Change:
    """What `sha` changed, in `path` or everywhere under the root. Raises `ToolError` when that is nothing."""
    out, _ = await run(root, "log", _FIELDS, "--max-count=1", sha)
    commit = _commits(out)[0]
    sides = ["--root", sha] if not commit.parents else [commit.parents[0], sha]
    target = inside(path) if path else "."
    tree = ("diff-tree", "-r", "--no-commit-id", "--relative", *_PLAIN)
    names, _ = await run(root, *tree, "--name-status", "-z", *sides, "--", target)
    files = _files(names)
    if not files:
        raise ToolError(f"{sha[:12]} changes nothing there")
    shown = [path for _, path in files if not denied(path)]
    diff, cut = await run(root, *tree, "--patch", *sides, "--", *shown[:500]) if shown else (b"", False)
    text = diff.decode("utf-8", errors="replace")
    return Change(commit, files, text, len(files) - len(shown), cut or len(shown) > 500)


async def blame(root: Path, sha: str, path: str, first: int, last: int) -> tuple[tuple[Blamed, ...], tuple[str, ...]]:
    """Who last changed lines `first` to `last` of `path` as it is in `sha`, and all lines of that file."""
    if denied(path):
        raise ToolError(f"{path[:80]} may hold secrets and is never read")
    lines = await lines_at(root, sha, path)
    if first > len(lines):
        raise ToolError(f"{path[:80]} has {len(lines)} lines there")
    span = f"{first},{min(last, len(lines))}"
    out, _ = await run(root, "blame", "--no-textconv", "--line-porcelain", "-L", span, sha, "--", inside(path))
    blamed = await asyncio.to_thread(lambda: _blamed(out.decode("utf-8", errors="replace")))
    return tuple(blamed), lines


def _commits(out: bytes) -> tuple[Commit, ...]:
    """Five fields a commit, each ended by a NUL, which no message can hold."""
    fields = out.decode("utf-8", errors="replace").split("\0")[:-1]
    found = []
    for at in range(0, len(fields) - 4, 5):
        sha, author, day, parents, message = fields[at : at + 5]
        found.append(Commit(sha.strip(), author, day, tuple(parents.split()), message.strip()))
    return tuple(found)


def _files(out: bytes) -> tuple[tuple[str, str], ...]:
    words = out.decode("utf-8", errors="replace").split("\0")[:-1]
    return tuple(zip(words[::2], words[1::2], strict=True))


def _blamed(text: str) -> list[Blamed]:
    """git's porcelain: a head with hash and line number, fields, then the line itself after a tab."""
    found: list[Blamed] = []
    sha, number = "", 0
    fields: dict[str, str] = {}
    for row in text.split("\n"):
        if row.startswith("\t"):
            found.append(Blamed(number, sha, fields.get("author", ""), _day(fields.get("author-time", "0"))))
        elif head := _BLAMED.fullmatch(row):
            sha, number, fields = head["sha"], int(head["line"]), {}
        else:
            name, _, value = row.partition(" ")
            fields[name] = value
    return found


def _day(seconds: str) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%d") if seconds.isdecimal() else ""
