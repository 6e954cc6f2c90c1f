"""Worktree of one branch of Triage: its creation, and its files as a tree of git.

Programs may write in a worktree, so nothing there is believed: git gets its folder from the path, never from the
worktree's `.git`, links are never followed, neither in it nor in its place, and a repository within it is left alone.
Only plumbing reads the files: it starts no filter, no hook, and no git in a submodule.
"""

from __future__ import annotations

import asyncio
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.adapters.checkouts import MB, MOST_FILES
from bot.adapters.checkouts.worktree_mark import list_aside, restore_mark
from bot.errors import RetryLater, ToolError
from bot.models.workspace import BRANCH_PREFIX
from bot.runtime.real_folder import check_folder
from bot.runtime.removed_folder import remove_folder
from bot.runtime.workspace_lock import OWN_PARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from bot.adapters.checkouts.work_clone import WorkClone

MAX_MB = 2_000
"""Megabytes of a tree, and of the changes of one commit, in a repository without a limit of its own."""


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Files of a worktree as a tree of git, and the changed paths that are not in it."""

    tree: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Worktree:
    """The worktree of the branch `triage/<slug>`. `withholds` tells if a path may hold secrets by its name."""

    clone: WorkClone
    slug: str
    withholds: Callable[[str], bool]

    @property
    def folder(self) -> Path:
        """Return the folder of the files."""
        return self.clone.trees / self.slug

    async def create(self) -> None:
        """Create the worktree unless it is complete. One that was never completed was handed to nobody.

        Raises `ToolError` if its files are too many or too large, or a link is in its place.
        """
        if await asyncio.to_thread(self.is_complete):
            await asyncio.to_thread(self._restore_mark)
            return
        branch = f"{BRANCH_PREFIX}{self.slug}"
        await self._check_size(branch)
        await self.remove()
        await self.clone.run("worktree", "add", "--quiet", str(self.folder), branch)

    async def remove(self) -> None:
        """Remove the files with all that git knows of them; the branch stays. Raises `RetryLater` if some cannot be."""
        for folder in (self.folder, self._git_folder):
            if not await asyncio.to_thread(remove_folder, folder):
                raise RetryLater(f"{folder} cannot be removed whole: see who owns its files")
        await self.clone.run("worktree", "prune")

    def is_complete(self) -> bool:
        """Return whether the files were written to their end. Blocking.

        Raises `ToolError` if a link is in the place of the worktree: it is neither complete nor to be made again.
        """
        own = self._git_folder
        check_folder(self.folder, own=OWN_PARTS)
        check_folder(own, own=OWN_PARTS + 1)
        return self.folder.is_dir() and (own / "index").is_file() and not os.path.lexists(own / "locked")

    async def take_snapshot(self) -> Snapshot:
        """Write the files as they are now into git's index, and return their tree. Raises `ToolError`."""
        await asyncio.to_thread(self._restore_mark)
        listed = await self._call("ls-files", "-z", "--modified", "--others", "--exclude-standard")
        names = [name for name in dict.fromkeys(listed.split(b"\0")) if name]
        kept, left_out = await asyncio.to_thread(self._choose, names)
        if kept:
            stdin = b"".join(name + b"\0" for name in kept)
            await self._call("update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=stdin)
        tree = (await self._call("write-tree")).decode().strip()
        return Snapshot(tree=tree, left_out=left_out)

    @property
    def _git_folder(self) -> Path:
        return self.clone.clone / "worktrees" / self.slug

    def _restore_mark(self) -> None:
        restore_mark(self.folder, self._git_folder, self._aside)

    def list_aside(self) -> tuple[str, ...]:
        """Return the paths at which what was in the place of the worktree's `.git` is kept. Blocking."""
        return list_aside(self.folder, self._aside)

    @property
    def _aside(self) -> Path:
        return self.clone.folder / "aside"

    async def _check_size(self, branch: str) -> None:
        listed = await self.clone.run("ls-tree", "-r", "-l", "-z", "--end-of-options", f"refs/heads/{branch}")
        entries = listed.split("\0")[:-1]
        sizes = (entry.partition("\t")[0].split()[-1] for entry in entries)
        size = sum(int(text) for text in sizes if text.isdecimal())
        if len(entries) > MOST_FILES or size > self._max_bytes:
            name, count = self.clone.repository.name, f"{len(entries):,} files, {size // MB:,} MB"
            raise ToolError(f"the repository {name} is too large for a workspace: {count}")

    @property
    def _max_bytes(self) -> int:
        origin = self.clone.repository.origin
        return (origin.max_mb if origin else MAX_MB) * MB

    def _choose(self, names: Iterable[bytes]) -> tuple[list[bytes], tuple[str, ...]]:
        """Return the changed paths to take, and those that are left out. Raises `ToolError` if they are too large."""
        kept: list[bytes] = []
        left_out: list[str] = []
        size, links = 0, _Links(os.fsencode(self.folder))
        for name in names:
            if links.leads_through(name):  # the link itself takes the place of the files that were below
                continue
            status = _lstat(os.path.join(os.fsencode(self.folder), name))  # noqa: PTH118  # bytes, as git names them
            if (status and not _is_file(status)) or self.withholds(os.fsdecode(name)):
                left_out.append(name.decode("utf-8", "replace"))
                continue
            kept.append(name)
            size += status.st_size if status else 0
        if len(kept) > MOST_FILES or size > self._max_bytes:
            raise ToolError(f"the changes are too large for a commit: {len(kept):,} files, {size // MB:,} MB")
        return kept, tuple(left_out)

    async def _call(self, *arguments: str, **options: Any) -> bytes:
        """Run git on the worktree, by its path alone."""
        variables = {"GIT_DIR": str(self._git_folder), "GIT_WORK_TREE": str(self.folder)}
        _, output = await self.clone.call(*arguments, cwd=self.folder, variables=variables, **options)
        return output


class _Links:
    """Folders of a worktree that are symbolic links; each is looked at once."""

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._seen: dict[bytes, bool] = {}

    def leads_through(self, name: bytes) -> bool:
        """Return whether a folder on the way to a path is a link."""
        parts = name.rstrip(b"/").split(b"/")[:-1]
        folder = b""
        for part in parts:
            folder = folder + b"/" + part
            if folder not in self._seen:
                self._seen[folder] = os.path.islink(self._root + folder)  # noqa: PTH114  # bytes, as git names them
            if self._seen[folder]:
                return True
        return False


def _lstat(path: bytes) -> os.stat_result | None:
    """Return the status of a path; `None` if it is gone."""
    try:
        return os.lstat(path.rstrip(b"/"))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_file(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
