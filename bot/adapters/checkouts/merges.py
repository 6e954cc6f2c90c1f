"""Merges of Triage's branches into the default branch of the clone; nothing is merged where files conflict.

The merge is computed without a worktree, so that nothing is left behind by an end in the middle. The remote's default
branch is never changed; a clone keeps its own one beside, with what was merged here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.checkouts.sealed_git import GitError
from bot.adapters.checkouts.work_clone import ABSENT, HEADS, OWN_HEADS
from bot.errors import ToolError
from bot.models.workspace import BRANCH_PREFIX, MergePlan, Outline

if TYPE_CHECKING:
    from bot.adapters.checkouts.changes import Changes
    from bot.adapters.checkouts.work_clone import WorkClone
    from bot.models.workspace import Author, Workspace

_CHANGED = "a branch has changed since this was shown: nothing was merged, ask for it again"
_OLD_GIT = "usage: git merge-tree"


@dataclass(frozen=True)
class Merges:
    """Merges in a clone, which its caller has fetched."""

    clone: WorkClone

    async def find_target(self) -> str:
        """Return the newest commit of the default branch here: with merges, if it has them; empty without a commit."""
        name, remote = await self.clone.find_default()
        own = await self.clone.find_ref(f"{HEADS}{name}") if name else ""
        if not own or not remote or own == remote:
            return own or remote
        return remote if await self.clone.is_ancestor(own, remote) else own

    async def plan(self, workspace: Workspace, changes: Changes) -> MergePlan:
        """Return the merge of a branch. Raises `ToolError` if there is nothing that it could be merged into."""
        clone = self.clone
        name, _ = await clone.find_default()
        target = await self.find_target()
        if not name or not target:
            raise ToolError(
                f"the repository {clone.repository.name} has no default branch: its HEAD names none, or no "
                "commit; check a branch out there, or make a first commit, then merge again"
            )
        if name.startswith(BRANCH_PREFIX):
            raise ToolError(f"the default branch of {clone.repository.name} has a name of Triage's own: {name}")
        start, starts_over = await self._find_start(target)
        tree, conflicts = await self._merge_trees(start, workspace.head)
        return MergePlan(
            repository=workspace.repository,
            slug=workspace.slug,
            sha=workspace.head,
            target=name,
            target_sha=target,
            commits=await clone.count_commits(workspace.head, f"^{start}"),
            files=len(await changes.list_files(start, tree)) if tree else 0,
            conflicts=conflicts,
            starts_over=starts_over,
        )

    async def outline(self, plan: MergePlan, changes: Changes, count: int) -> Outline:
        """Return the commits that the target gets by a merge, and the files that then differ there."""
        start, _ = await self._find_start(plan.target_sha)
        tree, _ = await self._merge_trees(start, plan.sha)
        return Outline(
            commits=await changes.log(plan.sha, f"^{start}", count=count),
            files=await changes.list_files(start, tree) if tree else (),
        )

    async def merge(self, plan: MergePlan, author: Author) -> str:
        """Merge what was planned; return the SHA of the merge. Raises `ToolError`, and changes nothing then."""
        clone, ref = self.clone, f"{HEADS}{plan.target}"
        name, _ = await clone.find_default()
        here, target = await clone.find_ref(f"{OWN_HEADS}{plan.slug}"), await self.find_target()
        if (name, here, target) != (plan.target, plan.sha, plan.target_sha):
            raise ToolError(_CHANGED)
        start, starts_over = await self._find_start(target)
        if starts_over != plan.starts_over:
            raise ToolError(_CHANGED)
        tree, conflicts = await self._merge_trees(start, plan.sha)
        if conflicts:
            raise ToolError(
                f"the branch {plan.branch} conflicts with {plan.target} in {conflicts[0]}: nothing was merged"
            )
        message = f"Merge branch '{plan.branch}'\n"
        sha = await clone.commit_tree(tree, (start, plan.sha), message, author)
        await clone.move_ref(ref, sha, await clone.find_ref(ref) or ABSENT)
        return sha

    async def _find_start(self, target: str) -> tuple[str, bool]:
        """Return the commit to merge into: `target` with the remote's news, since both may have parted.

        Where they conflict it is the remote's newest commit, without what was merged here; and whether that is so.
        """
        name, remote = await self.clone.find_default()
        if not remote or await self.clone.is_ancestor(remote, target):
            return target, False
        tree, conflicts = await self._merge_trees(target, remote)
        if conflicts:
            return remote, True
        return await self.clone.commit_tree(tree, (target, remote), f"Merge the remote's {name}\n"), False

    async def _merge_trees(self, one: str, other: str) -> tuple[str, tuple[str, ...]]:
        """Return the tree of a merge, or the files that conflict."""
        arguments = ("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", one, other)
        try:
            code, output = await self.clone.call(*arguments, accepted=(0, 1))
        except GitError as problem:
            if _OLD_GIT in str(problem):
                raise ToolError("a merge needs git 2.38 or newer on Triage's machine") from None
            if "unrelated histories" in str(problem):
                raise ToolError("the branches have no commit in common: nothing can be merged") from None
            raise
        tree, *names = output.split(b"\0")
        if code == 0:
            return tree.decode().strip(), ()
        return "", tuple(dict.fromkeys(name.decode("utf-8", "replace") for name in names if name))
