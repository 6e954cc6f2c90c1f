"""Pushes and merges by command: each shows exactly what it would do, and a press does that, or nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.path_text import escape_path, list_paths
from bot.commands.registry import sealed_command
from bot.commands.repository_finder import MAX_PATHS
from bot.commands.repository_inputs import OfBranch
from bot.commands.state import count
from bot.models.fact import Fact
from bot.models.workspace import MergePlan, PushPlan

if TYPE_CHECKING:
    from bot.commands.repository_finder import RepositoryFinder
    from bot.models.interaction import Asker
    from bot.models.workspace import WorkRepository

MAX_COMMITS = 10
"""Number of commits that a confirmation names."""
_STARTS_OVER = (
    "*Starts over:* earlier merges in Triage's clone conflict with the remote's default branch, and are left out; "
    "their branches stay."
)


class ShownPush(Fact):
    """Push as it was shown; no other one is done by the press."""

    branch: str
    """Repository and branch."""
    plan: PushPlan


class ShownMerge(Fact):
    """Merge as it was shown; no other one is done by the press."""

    branch: str
    """Repository and branch."""
    plan: MergePlan


@dataclass(frozen=True, kw_only=True)
class PushCommands:
    """Commands that push and merge branches of Triage."""

    finder: RepositoryFinder

    async def show_push(self, request: OfBranch, asker: Asker) -> SealedRequest:
        """Show the branch, its commit, the remote and the files. Raises `NotDone` if nothing can be pushed."""
        repository = await self.finder.find(request.project, asker)
        slug = await self.finder.find_branch(repository, request.branch, asker)
        plan = await self.finder.plan_push(repository, slug)
        if plan.remote_sha == plan.sha:
            raise NotDone(f"The remote has `{plan.branch}` at `{plan.sha[:12]}` already. Nothing is pushed.")
        before = f"at `{plan.remote_sha}` before" if plan.remote_sha else "a new branch there"
        lacks = f"{count(plan.commits, 'commit')} that the remote lacks, {count(plan.files, 'changed file')}"
        rows = [
            f"*Push:* `{plan.branch}` of `{repository.name}` to `{escape(plan.remote)}`, {before}; never forced.",
            f"*Commit:* `{plan.sha}`, {f'with {lacks}' if plan.commits else 'which other branches there have'}.",
            *await self._describe(repository, plan),
        ]
        shown = ShownPush(branch=f"{repository.name} {plan.branch}", plan=plan)
        return self._seal(shown, rows, plan.branch)

    @sealed_command(
        "git_push",
        "pushes a branch of Triage to its remote, never forced",
        input=OfBranch,
        sealed=ShownPush,
        names="branch",
        role="operator",
        tier="irreversible",
        deed="a branch was pushed",
        also=("push_branch",),
        preview=show_push,
    )
    async def push(self, request: ShownPush, _: Asker) -> CommandAnswer:
        """Push exactly what was shown."""
        plan = request.plan
        repository = await self.finder.get(plan.repository)
        await self.finder.allow(self.finder.workspaces.push(repository, plan))
        what = f"{count(plan.commits, 'commit')} to" if plan.commits else "the new branch"
        pushed = f"{what} `{plan.branch}` at `{escape(plan.remote)}`"
        return CommandAnswer(line=f"Pushed {pushed}: `{plan.sha[:12]}`.")

    async def show_merge(self, request: OfBranch, asker: Asker) -> SealedRequest:
        """Show the branches, their commits and the files. Raises `NotDone` if they conflict, or on nothing to merge."""
        repository = await self.finder.find(request.project, asker)
        slug = await self.finder.find_branch(repository, request.branch, asker)
        plan = await self.finder.allow(self.finder.workspaces.plan_merge(repository, slug))
        target = f"`{escape(plan.target)}` of `{repository.name}`"
        if plan.conflicts:
            files = self.finder.redactor.redact(list_paths(plan.conflicts, MAX_PATHS))
            raise NotDone(
                f"`{plan.branch}` conflicts with {target} in {files}. Nothing was merged: "
                f"`git_create_branch <name> {repository.name} base={plan.target_sha[:12]}` begins one for it there."
            )
        if not plan.commits:
            left_out = await self.finder.name_uncommitted(repository, slug)
            raise NotDone(f"{target} has all commits of `{plan.branch}` already. Nothing is merged.{left_out}")
        stays = "" if repository.kind == "init" else " The remote's default branch stays as it is."
        rows = [
            f"*Merge:* `{plan.branch}` at `{plan.sha}` into {target} at `{plan.target_sha}`, in Triage's own clone: "
            f"{count(plan.commits, 'commit')}, {count(plan.files, 'changed file')}.{stays}",
            *([_STARTS_OVER] if plan.starts_over else []),
            *await self._describe(repository, plan),
        ]
        return self._seal(ShownMerge(branch=f"{repository.name} {plan.branch}", plan=plan), rows, plan.branch)

    @sealed_command(
        "git_merge",
        "merges a branch into the default one of Triage's clone; conflicts abort it",
        input=OfBranch,
        sealed=ShownMerge,
        names="branch",
        role="operator",
        tier="irreversible",
        deed="a branch was merged",
        also=("merge_branch",),
        preview=show_merge,
    )
    async def merge(self, request: ShownMerge, asker: Asker) -> CommandAnswer:
        """Merge exactly what was shown, in the name of the person who pressed."""
        plan = request.plan
        repository = await self.finder.get(plan.repository)
        author = await self.finder.find_author(asker)
        sha = await self.finder.allow(self.finder.workspaces.merge(repository, plan, author=author))
        where = f"`{escape(plan.target)}` of `{repository.name}`, in Triage's own clone"
        return CommandAnswer(line=f"Merged `{plan.branch}` into {where}: `{sha[:12]}`.")

    async def _describe(self, repository: WorkRepository, plan: PushPlan | MergePlan) -> list[str]:
        """Return rows on the commits of a plan, their files, and what is not committed."""
        workspaces = self.finder.workspaces
        outline = await self.finder.allow(workspaces.outline(repository, plan, count=MAX_COMMITS))
        status = await self.finder.allow(workspaces.status(repository, plan.slug))
        subjects = "; ".join(f"`{commit.sha[:12]}` {escape_path(commit.subject)}" for commit in outline.commits)
        rest = plan.commits - len(outline.commits)
        rows = [
            *([f"*Commits:* {subjects}{f'; and {rest} more' if rest > 0 else ''}."] if subjects else []),
            f"*Files:* {list_paths((change.path for change in outline.files), MAX_PATHS) or 'none'}.",
        ]
        if open_changes := [change.path for change in status.uncommitted]:
            rows.append(f"*Not committed,* and left out: {list_paths(open_changes, MAX_PATHS)}.")
        return [self.finder.redactor.redact(row) for row in rows]

    def _seal(self, shown: ShownPush | ShownMerge, rows: list[str], branch: str) -> SealedRequest:
        digest = hashlib.sha256(shown.model_dump_json().encode()).hexdigest()[:6]
        return SealedRequest(
            request=shown,
            brief="What it does is shown above the buttons.",
            shown="\n".join(rows),
            typed_again=f"{branch}#{digest}",
        )
