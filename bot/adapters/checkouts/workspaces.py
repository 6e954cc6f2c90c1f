"""Workspaces of repositories, each in its own clone: branches, commits, pushes and merges of Triage.

    <folder>/<repository>-<digest>/repository.git    the clone (`work_clone`)
    <folder>/<repository>-<digest>/trees/<slug>/     the worktree of `triage/<slug>` (`worktree`)

Each step is one change of a ref, after all that it needs is written: a call after a crash looks at what is there, and
goes on. One call at a time works on a repository.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.adapters.checkouts.branches import create_branch, find_start, list_refs
from bot.adapters.checkouts.changes import Changes
from bot.adapters.checkouts.commit_message import build_message
from bot.adapters.checkouts.merges import Merges
from bot.adapters.checkouts.pushes import Pushes
from bot.adapters.checkouts.removal import Losses, discard, hold_all, list_clones
from bot.adapters.checkouts.sealed_git import SealedGit
from bot.adapters.checkouts.work_clone import BASES, OWN_HEADS, REMOTE, WorkClone
from bot.adapters.checkouts.worktree import Worktree
from bot.errors import RetryLater, ToolError
from bot.models.workspace import BRANCH_PREFIX, Branches, Committed, PushPlan, RemoteBranch, Workspace, WorkspaceStatus
from bot.runtime.workspace_lock import hold_workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime
    from pathlib import Path

    from bot.adapters.checkouts import Source
    from bot.models.project import Repository
    from bot.models.workspace import (
        Author,
        BranchLoss,
        Diff,
        FileChange,
        MergePlan,
        Outline,
        WorkCommit,
        WorkRepository,
    )
    from bot.ports.outbound import Clock

FRESH = timedelta(seconds=60)
"""Time within which a fetch counts as just done, where only its news are shown."""


@dataclass(kw_only=True)
class GitWorkspaces:
    """Workspaces in `folder`. `token` returns the token of a repository, empty for none; `withholds` tells if a path
    may hold secrets by its name: no commit takes it, and no diff shows it."""

    folder: Path
    clock: Clock
    source: Callable[[Repository], Source]
    token: Callable[[Repository], str]
    withholds: Callable[[str], bool]
    _clones: dict[str, WorkClone] = field(default_factory=dict)
    _fetched: dict[str, datetime] = field(default_factory=dict)

    async def prepare(self, repository: WorkRepository, slug: str, *, base: str = "") -> Workspace:
        """Return the workspace of a branch, created as far as it is missing (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            if not await clone.find_ref(f"{OWN_HEADS}{slug}"):
                await self._fetch(clone)
                await create_branch(clone, slug, base)
            await self._worktree(clone, slug).create()
            return await self._describe(clone, slug)

    async def find(self, repository: WorkRepository, slug: str) -> Workspace | None:
        """Return the workspace of a branch, or `None` if there is no such branch here (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            is_there = await clone.find_ref(f"{OWN_HEADS}{slug}")
            return await self._open(clone, slug) if is_there else None

    async def branches(self, repository: WorkRepository, *, afresh: bool = False) -> Branches:
        """Return the branches of a repository, fetched lately or just now (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            problem = await self._refresh(clone, afresh=afresh)
            default, default_sha = await clone.find_default()
            merged_sha = await Merges(clone).find_target()
            slugs = [name for name, _ in await list_refs(clone, OWN_HEADS)]
            remote = await list_refs(clone, REMOTE)
            return Branches(
                default=default,
                default_sha=default_sha,
                merged_sha=merged_sha if merged_sha != default_sha else "",
                workspaces=tuple([await self._describe(clone, slug) for slug in slugs]),
                remote=tuple(RemoteBranch(name=name, sha=sha) for name, sha in remote),
                problem=problem,
            )

    async def status(self, repository: WorkRepository, slug: str) -> WorkspaceStatus:
        """Return what a branch has since its base, and what is not committed (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            workspace, changes = await self._open(clone, slug), Changes(clone, self.withholds)
            snapshot = await self._worktree(clone, slug).take_snapshot()
            return WorkspaceStatus(
                workspace=workspace,
                uncommitted=await changes.list_files(workspace.head, snapshot.tree),
                commits=await changes.log(workspace.head, f"^{workspace.base}", count=50),
                remote_sha=await clone.find_ref(f"{REMOTE}{workspace.branch}"),
                left_out=snapshot.left_out,
                set_aside=await asyncio.to_thread(self._worktree(clone, slug).list_aside),
            )

    async def diff(self, repository: WorkRepository, slug: str, *, base: str = "", path: str = "") -> Diff:
        """Return the changes of a workspace since its base or another one (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            workspace, changes = await self._open(clone, slug), Changes(clone, self.withholds)
            snapshot = await self._worktree(clone, slug).take_snapshot()
            start = await find_start(clone, workspace, base)
            return await changes.diff(start, workspace.head, snapshot.tree, path)

    async def changed_files(self, repository: WorkRepository, slug: str, *, base: str = "") -> tuple[FileChange, ...]:
        """Return the files that `diff` would name (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            workspace = await self._open(clone, slug)
            snapshot = await self._worktree(clone, slug).take_snapshot()
            start = await find_start(clone, workspace, base)
            return await Changes(clone, self.withholds).list_files(start, snapshot.tree)

    async def list_links(self, repository: WorkRepository, slug: str) -> tuple[str, ...]:
        """Return the symbolic links of a branch (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            return await Changes(clone, self.withholds).list_links((await self._open(clone, slug)).head)

    async def log(
        self, repository: WorkRepository, ref: str = "", *, since: str = "", count: int = 15
    ) -> tuple[WorkCommit, ...]:
        """Return the newest commits of a branch, by default of the default branch (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            await self._refresh(clone)
            sha = await clone.resolve(ref) if ref else (await clone.find_default())[1]
            left_out = [f"^{await clone.resolve(since)}"] if since else []
            return await Changes(clone, self.withholds).log(sha, *left_out, count=count) if sha else ()

    async def outline(self, repository: WorkRepository, plan: PushPlan | MergePlan, *, count: int) -> Outline:
        """Return what a push or a merge brings (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            changes = Changes(clone, self.withholds)
            if isinstance(plan, PushPlan):
                return await Pushes(clone).outline(plan, changes, count)
            return await Merges(clone).outline(plan, changes, count)

    async def commit(
        self, repository: WorkRepository, slug: str, message: str, *, author: Author, task: str = ""
    ) -> Committed | None:
        """Commit all changes in a workspace; `None` if there are none (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            workspace = await self._open(clone, slug)
            async with hold_workspace(workspace.folder, alone=False):
                snapshot = await self._worktree(clone, slug).take_snapshot()
                files = await Changes(clone, self.withholds).list_files(workspace.head, snapshot.tree)
                if not files:
                    return None
                text = build_message(message, task)
                sha = await clone.commit_tree(snapshot.tree, (workspace.head,), text, author)
                await clone.move_ref(f"{OWN_HEADS}{slug}", sha, workspace.head)
            return Committed(sha=sha, files=files, left_out=snapshot.left_out)

    async def plan_push(self, repository: WorkRepository, slug: str) -> PushPlan:
        """Return the push of a branch as it would be done now (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            workspace = await self._open(clone, slug)
            pushes = Pushes(clone)
            await pushes.check_remote(slug)
            await self._fetch(clone)
            return await pushes.plan(workspace, Changes(clone, self.withholds))

    async def push(self, repository: WorkRepository, plan: PushPlan) -> None:
        """Push exactly what was planned (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            pushes = Pushes(clone)
            await pushes.check_remote(plan.slug)
            await self._fetch(clone)
            async with hold_workspace(self._worktree(clone, plan.slug).folder, alone=False):
                await pushes.push(plan)

    async def plan_merge(self, repository: WorkRepository, slug: str) -> MergePlan:
        """Return the merge of a branch into the default branch as it would be done now (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            workspace = await self._open(clone, slug)
            await self._fetch(clone)
            return await Merges(clone).plan(workspace, Changes(clone, self.withholds))

    async def merge(self, repository: WorkRepository, plan: MergePlan, *, author: Author) -> str:
        """Merge exactly what was planned, in the clone alone (`Workspaces`)."""
        async with (
            self._work_on(repository) as clone,
            hold_workspace(self._worktree(clone, plan.slug).folder, alone=False),
        ):
            return await Merges(clone).merge(plan, author)

    async def drop(self, repository: WorkRepository, slug: str, *, head: str) -> None:
        """Remove a branch with its workspace, if its newest commit is `head` (`Workspaces`)."""
        async with self._work_on(repository) as clone:
            ref, worktree = f"{OWN_HEADS}{slug}", self._worktree(clone, slug)
            if await clone.find_ref(ref) != head:
                return
            async with hold_workspace(worktree.folder, alone=True):
                await worktree.remove()  # first: a later branch of this name must not find its files
                await clone.run("update-ref", "--stdin", stdin=f"delete {ref} {head}\ndelete {BASES}{slug}\n".encode())

    async def find_losses(self, repository: WorkRepository) -> tuple[BranchLoss, ...]:
        """Return what would be lost with the clone (`Workspaces`)."""
        clone = self._clone(repository)
        async with clone.lock:
            return await Losses(clone, self.withholds).find()

    async def remove(self, repository: WorkRepository, *, losses: tuple[BranchLoss, ...] | None = None) -> None:
        """Remove the clone with all of its workspaces, if nothing else would be lost (`Workspaces`)."""
        clone = self._clone(repository)
        async with clone.lock, hold_all(clone.trees):
            if losses is not None and await Losses(clone, self.withholds).find() not in (losses, ()):
                raise ToolError("what would be lost has changed since it was shown: nothing was removed, ask again")
            clone.distrust()
            await asyncio.to_thread(discard, clone.folder)

    async def remove_project(self, project: str) -> None:
        """Remove the clones of all repositories of a project, also of earlier ones (`Workspaces`)."""
        for folder in await asyncio.to_thread(list_clones, self.folder, project):
            clone = self._clones.get(folder.name)
            async with clone.lock if clone else asyncio.Lock(), hold_all(folder / "trees"):
                if clone:
                    clone.distrust()
                await asyncio.to_thread(discard, folder)

    @asynccontextmanager
    async def _work_on(self, repository: WorkRepository) -> AsyncIterator[WorkClone]:
        """Hold the lock of a repository's clone, opened; after an error its leftovers are removed by the next call."""
        clone = self._clone(repository)
        async with clone.lock:
            try:
                await clone.open()
                yield clone
            except ToolError:
                raise
            except BaseException:
                clone.distrust()
                raise

    def _clone(self, repository: WorkRepository) -> WorkClone:
        digest = hashlib.sha256(f"{repository.kind} {repository.address}".encode()).hexdigest()[:12]
        name = f"{repository.name.replace('/', '@')}-{digest}"
        clone = self._clones.get(name)
        if clone is None or clone.repository != repository:
            origin = repository.origin
            git = (
                SealedGit(protocol=origin.protocol, token=self.token(origin)) if origin else SealedGit(protocol="file")
            )
            lock = clone.lock if clone else asyncio.Lock()
            clone = WorkClone(folder=self.folder / name, repository=repository, git=git, source=self.source, lock=lock)
            self._clones[name] = clone
        return clone

    def _worktree(self, clone: WorkClone, slug: str) -> Worktree:
        return Worktree(clone=clone, slug=slug, withholds=self.withholds)

    async def _open(self, clone: WorkClone, slug: str) -> Workspace:
        """Return the workspace of an existing branch, whose files are made again if they are gone."""
        if not await clone.find_ref(f"{OWN_HEADS}{slug}"):
            raise ToolError(f"the repository {clone.repository.name} has no branch {BRANCH_PREFIX}{slug} of Triage")
        await self._worktree(clone, slug).create()
        return await self._describe(clone, slug)

    async def _describe(self, clone: WorkClone, slug: str) -> Workspace:
        head, base = await clone.find_refs(f"{OWN_HEADS}{slug}", f"{BASES}{slug}")
        return Workspace(
            repository=clone.repository.name,
            slug=slug,
            folder=self._worktree(clone, slug).folder,
            head=head,
            base=base or head,
        )

    async def _fetch(self, clone: WorkClone) -> None:
        await clone.fetch()
        self._fetched[clone.folder.name] = self.clock.now()

    async def _refresh(self, clone: WorkClone, *, afresh: bool = False) -> str:
        """Fetch unless that was just done; return the reason if it is not possible."""
        before, now = self._fetched.get(clone.folder.name), self.clock.now()
        if not afresh and before and before <= now < before + FRESH:
            return ""
        try:
            await self._fetch(clone)
        except (RetryLater, ToolError) as problem:
            clone.distrust()
            return str(problem)
        return ""
