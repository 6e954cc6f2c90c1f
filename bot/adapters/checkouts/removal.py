"""Removal of a clone with its workspaces, and the work that would be lost by it: what is in no other repository."""

from __future__ import annotations

import asyncio
import re
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.checkouts.changes import Changes
from bot.adapters.checkouts.pushes import lacking
from bot.adapters.checkouts.work_clone import HEADS, OWN_HEADS
from bot.adapters.checkouts.worktree import Worktree
from bot.errors import RetryLater, ToolError
from bot.models.workspace import BranchLoss
from bot.runtime.real_folder import check_folder
from bot.runtime.removed_folder import remove_folder
from bot.runtime.workspace_lock import OWN_PARTS, hold_workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from bot.adapters.checkouts.work_clone import WorkClone

MOST_PATHS = 20
"""Number of paths that a loss names."""
_GONE = ".gone-"
"""Beginning of the name of a folder that is being removed."""


@dataclass(frozen=True)
class Losses:
    """Work in a clone that is nowhere else, as far as its last fetch knows. `withholds` is as for `Changes`."""

    clone: WorkClone
    withholds: Callable[[str], bool]

    async def find(self) -> tuple[BranchLoss, ...]:
        """Return the branches with commits that no remote branch has, or with files that are not committed."""
        if not await self.clone.tidy():
            return ()
        listed = await self.clone.run("for-each-ref", "--format=%(refname)%00%(objectname)", HEADS.rstrip("/"))
        branches = [line.split("\0") for line in listed.splitlines()]
        losses = [await self._find_of(name, sha) for name, sha in branches]
        return tuple(loss for loss in losses if loss.commits or loss.changes or loss.left_out or loss.problem)

    async def _find_of(self, ref: str, sha: str) -> BranchLoss:
        commits = await self.clone.count_commits(*lacking(sha))
        loss = BranchLoss(branch=ref.removeprefix(HEADS), sha=sha, commits=commits)
        if not ref.startswith(OWN_HEADS):
            return loss
        worktree = Worktree(clone=self.clone, slug=ref.removeprefix(OWN_HEADS), withholds=self.withholds)
        try:
            if not await asyncio.to_thread(worktree.is_complete):
                return loss
            snapshot = await worktree.take_snapshot()
        except ToolError as problem:
            return loss.evolve(problem=str(problem))
        files = await Changes(self.clone, self.withholds).list_files(sha, snapshot.tree)
        return loss.evolve(
            tree=snapshot.tree,
            changes=len(files),
            paths=tuple(change.path for change in files[:MOST_PATHS]),
            left_out=(*await asyncio.to_thread(worktree.list_aside), *snapshot.left_out)[:MOST_PATHS],
        )


@asynccontextmanager
async def hold_all(trees: Path) -> AsyncIterator[None]:
    """Hold every workspace of a clone alone. Raises `ToolError` if one is in use, or on a link in place of a folder."""
    await asyncio.to_thread(check_folder, trees, own=OWN_PARTS - 1)
    async with AsyncExitStack() as stack:
        for folder in await asyncio.to_thread(list_folders, trees):
            await stack.enter_async_context(hold_workspace(folder, alone=True))
        yield


def list_folders(parent: Path) -> list[Path]:
    """Return the folders in a folder but links, none if it is not there. Blocking."""
    return [path for path in parent.iterdir() if path.is_dir() and not path.is_symlink()] if parent.is_dir() else []


def list_clones(parent: Path, project: str) -> list[Path]:
    """Return the folders of all clones of a project, also of those that are not wholly removed. Blocking.

    Raises `ToolError` on a link in their place.
    """
    check_folder(parent, own=1)
    name = re.compile(rf"(?:{re.escape(_GONE)})?{re.escape(project)}(?:@[^@]+)?-[0-9a-f]{{12}}")
    return [folder for folder in list_folders(parent) if name.fullmatch(folder.name)]


def discard(folder: Path) -> None:
    """Remove a folder, and what an earlier removal left that was ended before its end; blocking.

    It is moved away first: nobody ever finds half of a clone. Links within go, never what they lead to.
    Raises `RetryLater` if some of it cannot be removed; the next removal goes on with that.
    """
    gone = folder if folder.name.startswith(_GONE) else folder.with_name(f"{_GONE}{folder.name}")
    try:
        if gone != folder and folder.is_dir() and remove_folder(gone):
            folder.rename(gone)
    except OSError as problem:
        raise RetryLater(f"{folder} cannot be removed: {problem.strerror}") from problem
    for left in folder.parent.glob(f"{_GONE}*"):
        remove_folder(left)
    if gone.exists():
        raise RetryLater(f"{gone} cannot be removed whole: see who owns its files")
