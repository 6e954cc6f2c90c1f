"""Commits and differences of a clone, as plain values; no driver, text conversion or rename search of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from bot.adapters.checkouts.sealed_git import OutputTooLarge
from bot.errors import ToolError
from bot.models.workspace import Diff, FileChange, WorkCommit

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.adapters.checkouts.work_clone import WorkClone

MAX_BYTES = 1_000_000
"""Bytes of a patch."""
LINK_MODE = "120000"
"""git's mode of a symbolic link."""
MOST_FILES = 500
"""Number of files in a patch."""

_LOG = ("log", "--format=", "--name-status", "-z", "-c", "--no-show-signature", "--no-ext-diff", "--no-textconv")
_TREE = ("diff-tree", "-r", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color")
_FIELDS = "--format=%H%x00%an%x00%ct%x00%s%x00"
_FIELD_COUNT = 4
_STATUSES: dict[bytes, Literal["added", "deleted"]] = {b"A": "added", b"D": "deleted"}
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


@dataclass(frozen=True)
class Changes:
    """Reader of a clone's commits and trees. `withholds` tells if a path may hold secrets by its name."""

    clone: WorkClone
    withholds: Callable[[str], bool]

    async def list_files(self, before: str, after: str) -> tuple[FileChange, ...]:
        """Return the files that differ between two commits or trees."""
        pairs = await self._list_pairs(before, after)
        return tuple(
            FileChange(status=_STATUSES.get(status, "modified"), path=path.decode("utf-8", "replace"))
            for status, path in pairs
        )

    async def list_touched(self, *revisions: str) -> tuple[FileChange, ...]:
        """Return the files that commits change, one after the other; of a merge what is as in none of its parents.

        The commits are a range of SHAs as `rev-list` takes it. A file that a later commit restores counts as well.
        """
        _, output = await self.clone.call(*_LOG, "--no-renames", "--no-color", *revisions, "--")
        words = output.lstrip(b"\0\n").split(b"\0")[:-1]
        statuses = dict[bytes, bytes]()
        for status, path in zip(words[::2], words[1::2], strict=False):
            statuses.setdefault(path, status.strip())  # of the newest commit
        return tuple(
            FileChange(status=_STATUSES.get(status, "modified"), path=path.decode("utf-8", "replace"))
            for path, status in sorted(statuses.items())
        )

    async def diff(self, before: str, head: str, after: str, path: str = "") -> Diff:
        """Return the changes between the commit `before` and the tree `after`, in `path` or everywhere.

        `head` is the commit that the result names.
        """
        pairs = await self._list_pairs(before, after, path)
        shown = [name for _, name in pairs if not self.withholds(name.decode("utf-8", "replace"))]
        text, is_cut = "", len(shown) > MOST_FILES
        if shown:
            names = [name.decode("utf-8", "surrogateescape") for name in shown[:MOST_FILES]]
            arguments = (*_TREE, "--patch", before, after, "--", *names)
            try:
                _, output = await self.clone.call(*arguments, variables=_LITERAL, most=MAX_BYTES)
            except OutputTooLarge as cut:
                output, is_cut = cut.output, True
            text = output.decode("utf-8", "replace")
        files = tuple(
            FileChange(status=_STATUSES.get(status, "modified"), path=name.decode("utf-8", "replace"))
            for status, name in pairs
        )
        return Diff(base=before, head=head, files=files, text=text, withheld=len(pairs) - len(shown), is_cut=is_cut)

    async def list_links(self, commit: str) -> tuple[str, ...]:
        """Return the paths of a commit's symbolic links."""
        listed = (await self.clone.run("ls-tree", "-r", "-z", "--end-of-options", commit)).split("\0")
        return tuple(entry.partition("\t")[2] for entry in listed if entry.startswith(f"{LINK_MODE} "))

    async def log(self, *revisions: str, count: int) -> tuple[WorkCommit, ...]:
        """Return the newest commits of a range of SHAs, given as `rev-list` takes it."""
        bounds = (f"--max-count={count}", "--no-show-signature", "--no-mailmap", _FIELDS)
        listed = await self.clone.run("log", *bounds, *revisions, "--")
        fields = listed.split("\0")
        rows = (fields[at : at + _FIELD_COUNT] for at in range(0, len(fields) - _FIELD_COUNT + 1, _FIELD_COUNT))
        return tuple(
            WorkCommit(sha=found.strip(), author=author, at=_parse_time(seconds), subject=subject)
            for found, author, seconds, subject in rows
        )

    async def _list_pairs(self, before: str, after: str, path: str = "") -> list[tuple[bytes, bytes]]:
        """Return status letter and path of each file that differs."""
        if path.startswith("/") or ".." in path.split("/") or "\0" in path:
            raise ToolError(f"{path[:80]!r} is no path in the repository: give one such as src/app.py")
        arguments = (*_TREE, "--name-status", "-z", before, after, *(["--", path] if path else []))
        _, output = await self.clone.call(*arguments, variables=_LITERAL)
        words = output.split(b"\0")[:-1]
        return [*zip(words[::2], words[1::2], strict=False)]


def _parse_time(seconds: str) -> datetime:
    """Return a time in seconds of the epoch; its beginning for one that no calendar has."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
