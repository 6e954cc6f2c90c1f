"""Pushes of Triage's branches: one commit to one branch `triage/<slug>` of the configured remote.

Never forced and to no other ref. A remote on this machine is written only if it is a bare repository; its hooks are
not run.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.checkouts.sealed_git import GitError
from bot.adapters.checkouts.work_clone import HEADS, OWN_HEADS, REMOTE
from bot.errors import NothingCommitted, Outdated, ToolError
from bot.models.workspace import BRANCH_PREFIX, Outline, PushPlan

if TYPE_CHECKING:
    from bot.adapters.checkouts import Source
    from bot.adapters.checkouts.changes import Changes
    from bot.adapters.checkouts.work_clone import WorkClone
    from bot.models.workspace import Workspace

_OPTIONS = ("--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
_RECEIVING = (
    "git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true "
    "-c receive.denyCurrentBranch=refuse -c receive.autogc=false -c receive.updateServerInfo=false receive-pack"
)
"""git that writes into a remote of this machine: it runs nothing that the remote names."""
_CHANGED = "the branch or its remote has changed since this was shown: nothing was pushed, ask for it again"


@dataclass(frozen=True)
class Pushes:
    """Pushes from a clone, which its caller has fetched."""

    clone: WorkClone

    async def check_remote(self, slug: str) -> None:
        """Raise `ToolError` if the repository has no remote that a branch may be pushed to."""
        repository = self.clone.repository
        if repository.kind == "init":
            raise ToolError(
                f"the repository {repository.name} has no remote: it began empty here, so nothing can be pushed"
            )
        if repository.kind == "link":
            raise ToolError(
                f"the repository {repository.name} comes from the folder {repository.address}, which Triage never "
                "changes: add its remote by add_repo with source=clone, and work there"
            )
        if source := await self.clone.locate_source():
            await self._check_bare(source)
        default, _ = await self.clone.find_default()
        if default == f"{BRANCH_PREFIX}{slug}":
            raise ToolError(f"the branch {default} is the default one at the remote, which Triage never pushes")

    async def plan(self, workspace: Workspace, changes: Changes) -> PushPlan:
        """Return the push of a branch. Raises `ToolError` if it is not a fast-forward, `NothingCommitted` if it has no
        commits."""
        clone, sha = self.clone, workspace.head
        remote_sha = await clone.find_ref(f"{REMOTE}{workspace.branch}")
        if remote_sha and not await clone.is_ancestor(remote_sha, sha):
            raise ToolError(
                f"the remote's {workspace.branch} has commits that are not here, and a push is never forced: create "
                f"another branch with base={workspace.branch}, and push that one"
            )
        commits = await clone.count_commits(*lacking(sha))
        if not commits and not remote_sha and await self._is_in_default(sha):
            raise NothingCommitted(
                f"the branch {workspace.branch} has no commit that its remote lacks: commit something first"
            )
        return PushPlan(
            repository=workspace.repository,
            slug=workspace.slug,
            sha=sha,
            remote=clone.repository.address,
            remote_sha=remote_sha,
            commits=commits,
            files=len(await changes.list_touched(*lacking(sha))),
        )

    async def outline(self, plan: PushPlan, changes: Changes, count: int) -> Outline:
        """Return what leaves by a push, as of the last fetch."""
        revisions = lacking(plan.sha)
        return Outline(commits=await changes.log(*revisions, count=count), files=await changes.list_touched(*revisions))

    async def push(self, plan: PushPlan) -> None:
        """Push what was planned; nothing if the remote has it already. Raises `Outdated`, `ToolError`, `GitError`."""
        clone, remote_ref = self.clone, f"{REMOTE}{plan.branch}"
        here, there = await clone.find_ref(f"{OWN_HEADS}{plan.slug}"), await clone.find_ref(remote_ref)
        if here != plan.sha or clone.repository.address != plan.remote or there not in (plan.remote_sha, plan.sha):
            raise Outdated(_CHANGED)
        if there == plan.sha:
            return
        source = await clone.locate_source()
        address, remote_folders = (str(source.folder), (source.folder,)) if source else (plan.remote, ())
        receiving = ("--receive-pack", _RECEIVING) if source else ()
        target = f"{plan.sha}:{HEADS}{plan.branch}"
        try:
            await clone.run("push", *_OPTIONS, *receiving, address, target, writes=remote_folders)
        except GitError:
            await clone.fetch()
            if await clone.find_ref(remote_ref) != plan.sha:
                raise
        await clone.run("update-ref", remote_ref, plan.sha)

    async def _is_in_default(self, sha: str) -> bool:
        """Return whether the remote's default branch has a commit; true where there is no such branch."""
        _, default = await self.clone.find_default()
        return not default or await self.clone.is_ancestor(sha, default)

    async def _check_bare(self, source: Source) -> None:
        """Raise `ToolError` if a remote on this machine is a folder of people, or leads elsewhere."""
        address = self.clone.repository.address
        config = str(source.folder / "config")
        reading = ("config", "--file", config, "--no-includes", "--bool", "--get", "core.bare")
        _, output = await self.clone.call(*reading, reads=source.reads, accepted=(0, 1, 128))
        if output.strip() != b"true" or source.folder.name == ".git":
            raise ToolError(
                f"the remote {address} is a folder in which people work, which Triage never changes: nothing is pushed"
            )
        if await asyncio.to_thread(_has_links, source.folder):
            raise ToolError(f"the remote {address} has links that lead elsewhere: nothing is pushed there")


def lacking(sha: str) -> tuple[str, ...]:
    """Return the range of commits up to one that no branch at the remote has, as last fetched."""
    return (sha, "--not", f"--glob={REMOTE}*")


def _has_links(folder: Path) -> bool:
    return any(
        Path(inner, name).is_symlink() for inner, folders, files in os.walk(folder) for name in (*folders, *files)
    )
