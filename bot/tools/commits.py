"""Commits, changes and blame of a project, read from git as plain values.

Only files under the project's root are visible, though the repository may be larger; of a file on the deny-list only
the fact of a change is shown. `git.commit_ref` checks each `ref`.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.tools.denied_paths import is_denied
from bot.tools.git import check_path, commit_ref, commit_sha, lines_at, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_FILES = 500
"""Maximum number of files in the diff of a change."""

_FIELDS = "--format=%H%x00%an%x00%as%x00%cs%x00%ct%x00%P%x00%B%x00"
_FIELD_COUNT = 7
_TREE = ("diff-tree", "-r", "--root", "--relative", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color")
_NAMES = ("--format=", "--name-only", "-z", "--relative", "--no-ext-diff", "--no-textconv", "--no-color")
_BLAME = ("--no-textconv", "--no-ignore-revs-file", "--line-porcelain")
_BLAMED = re.compile(r"(?P<sha>[0-9a-f]{40}) \d+ (?P<line>\d+)(?: \d+)?")


@dataclass(frozen=True, slots=True)
class Commit:
    """Commit; `day` is YYYY-MM-DD, the author's, or the committer's where that is later: after a rebase."""

    sha: str
    author: str
    day: str
    committed_at: int
    """Time in seconds of the epoch."""
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a commit under the root, against its first parent."""

    commit: Commit
    files: tuple[tuple[str, str], ...]
    """Status letter and path of each file."""
    diff: str
    withheld: int
    """Number of files left out of the diff since their names suggest secrets."""
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Blamed:
    """Line of a file, and the commit that last changed it."""

    line: int
    sha: str
    author: str
    day: str


async def log(root: Path, ref: str, *, path: str = "", words: str = "", count: int = 20) -> tuple[Commit, ...]:
    """List the newest commits up to `ref` that touch `path` (all of the root when empty), newest first.

    `words` limits them to messages that contain these words, in any case.
    """
    filters = [f"--grep={' '.join(words.split())}", "--fixed-strings", "--regexp-ignore-case"] if words else []
    target = check_path(path) if path else "."
    named = ("--end-of-options", commit_ref(ref), "--", target)
    out, _ = await run(root, "log", _FIELDS, f"--max-count={count}", *filters, *named)
    return _commits(out)


async def log_files(root: Path, paths: Sequence[str], *, since: datetime, count: int) -> tuple[Commit, ...]:
    """List the newest commits up to `HEAD` since a time that touch any of these files, newest first.

    A merge into the main line counts if it changed them there.
    """
    bounds = (f"--max-count={count}", f"--since={since.isoformat()}")
    named = ("--end-of-options", commit_ref("HEAD"), "--", *map(check_path, paths))
    merges, _ = await run(root, "log", _FIELDS, *bounds, "--first-parent", "--merges", *named)
    out, _ = await run(root, "log", _FIELDS, *bounds, *named)
    by_sha = {commit.sha: commit for commit in (*_commits(merges), *_commits(out))}
    return tuple(sorted(by_sha.values(), key=lambda commit: commit.committed_at, reverse=True)[:count])


async def added_files(root: Path, paths: Sequence[str], *, since: datetime) -> tuple[str, ...]:
    """List those of these files that a commit added since a time, also by renaming another one."""
    options = (*_NAMES, "--no-renames", "--diff-filter=A", f"--since={since.isoformat()}")
    out, _ = await run(root, "log", *options, "--end-of-options", commit_ref("HEAD"), "--", *map(check_path, paths))
    return _names(out)


async def earlier_names(root: Path, path: str, *, since: datetime) -> tuple[str, ...]:
    """List the paths under the root that a file had since a time; git follows its renames."""
    options = (*_NAMES, "--follow", f"--since={since.isoformat()}")
    out, _ = await run(root, "log", *options, "--end-of-options", commit_ref("HEAD"), "--", check_path(path))
    return _names(out)


async def changed_paths(root: Path, before: str, after: str) -> tuple[str, ...]:
    """List the paths under the root that differ between two commits. Raises `ToolError` if one does not exist."""
    commits = [await commit_sha(root, ref) for ref in (before, after)]
    out, _ = await run(root, *_TREE, "--no-commit-id", "--name-only", "-z", *commits, "--", ".")
    return _names(out)


async def change(root: Path, ref: str, path: str = "") -> Change:
    """Return the change of `ref`, in `path` or everywhere under the root. Raises `ToolError` when it is empty."""
    target = check_path(path) if path else "."
    named = ("--end-of-options", commit_ref(ref), "--", target)
    out, names_cut = await run(
        root, *_TREE, "--always", "--diff-merges=first-parent", _FIELDS, "--name-status", "-z", *named
    )
    head, names = _split_output(out)
    commit, files = _commits(head)[0], _files(names.removeprefix(b"\n"))
    if not files:
        raise ToolError(f"{commit.sha[:12]} changes nothing there")
    paths = [path for _, path in files if not is_denied(path)]
    sides = [commit.parents[0], commit.sha] if commit.parents else [commit.sha]
    tree = (*_TREE, "--no-commit-id", "--patch")
    diff, cut = await run(root, *tree, *sides, "--", *paths[:MOST_FILES]) if paths else (b"", False)
    text = diff.decode("utf-8", errors="replace")
    return Change(commit, files, text, len(files) - len(paths), cut or names_cut or len(paths) > MOST_FILES)


async def blame(
    root: Path, ref: str, path: str, first: int, last: int
) -> tuple[str, tuple[Blamed, ...], tuple[str, ...]]:
    """Return the SHA of `ref`, the last change of each line `first` to `last` of `path` there, and all of its lines."""
    if is_denied(path):
        raise ToolError(f"{path[:80]} may hold secrets and is never read")
    sha, lines = await lines_at(root, ref, path)
    if first > len(lines):
        raise ToolError(f"{path[:80]} has {len(lines)} lines there")
    span = f"{first},{min(last, len(lines))}"
    out, _ = await run(root, "blame", *_BLAME, "-L", span, sha, "--", check_path(path))
    blamed = await asyncio.to_thread(lambda: _parse_blame(out.decode("utf-8", errors="replace")))
    return sha, tuple(blamed), lines


def _commits(out: bytes) -> tuple[Commit, ...]:
    """Parse git's output: the fields of each commit, each ended by a NUL, which no message can contain."""
    fields = out.decode("utf-8", errors="replace").split("\0")
    commits = []
    for at in range(0, len(fields) - _FIELD_COUNT + 1, _FIELD_COUNT):
        sha, author, written, committed, seconds, parents, message = fields[at : at + _FIELD_COUNT]
        day, at = max(written, committed), int(seconds) if seconds.isdecimal() else 0
        commits.append(Commit(sha.strip(), author, day, at, tuple(parents.split()), message.strip()))
    return tuple(commits)


def _split_output(out: bytes) -> tuple[bytes, bytes]:
    """Split git's output into a commit's fields and the files after them."""
    parts = out.split(b"\0", _FIELD_COUNT + 1)
    if len(parts) < _FIELD_COUNT + 2:
        raise ToolError("this commit is too large to be shown")
    return b"\0".join(parts[:_FIELD_COUNT]), parts[_FIELD_COUNT + 1]


def _names(out: bytes) -> tuple[str, ...]:
    """Parse paths, each ended by a NUL; drop one that was cut off."""
    return tuple(dict.fromkeys(name for name in out.decode("utf-8", errors="replace").split("\0")[:-1] if name))


def _files(out: bytes) -> tuple[tuple[str, str], ...]:
    """Parse pairs of status and path, each ended by a NUL; drop an entry that was cut off."""
    words = out.decode("utf-8", errors="replace").split("\0")[:-1]
    return tuple(zip(words[::2], words[1::2], strict=False))


def _parse_blame(text: str) -> list[Blamed]:
    """Parse git's porcelain: a header with hash and line number, fields, then the line itself after a tab."""
    lines: list[Blamed] = []
    sha, number = "", 0
    fields: dict[str, str] = {}
    for row in text.split("\n"):
        if row.startswith("\t"):
            lines.append(Blamed(number, sha, fields.get("author", ""), _day(fields.get("author-time", "0"))))
        elif head := _BLAMED.fullmatch(row):
            sha, number, fields = head["sha"], int(head["line"]), {}
        else:
            name, _, value = row.partition(" ")
            fields[name] = value
    return lines


def _day(seconds: str) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%d") if seconds.isdecimal() else ""
