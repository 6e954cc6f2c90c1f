"""Merge requests by command: a draft of a branch that was pushed, exactly as it was shown, and once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.code_block import code_block, code_line
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.registry import sealed_command
from bot.commands.repository_finder import find_branch_task
from bot.commands.repository_inputs import NewMergeRequest
from bot.decide.merge_request_text import word_merge_request
from bot.errors import RetryLater, Uncertain
from bot.models.fact import Fact
from bot.models.merge_request import DraftPlan
from bot.runtime.retry import call_with_retries

if TYPE_CHECKING:
    from bot.commands.repository_finder import RepositoryFinder
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.merge_request import MergeRequest, MergeRequestText
    from bot.models.workspace import PushPlan, WorkRepository
    from bot.ports.forge import Forge
    from bot.ports.outbound import Clock

MAX_SUBJECTS = 20
"""Number of commits that a body without words names."""
MAX_COMMITS = 50
"""Number of commits that are looked at for title and body."""
_TRIES = 3
_LONGEST_WAIT_S = 20.0
"""Seconds after which a person is told to come again rather than waited."""


class ShownDraft(Fact):
    """Draft as it was shown; no other one is opened by the press."""

    branch: str
    """Repository and branch."""
    plan: DraftPlan


@dataclass(frozen=True, kw_only=True)
class MergeRequestCommands:
    """The command that opens a draft at the forge of a branch's remote."""

    finder: RepositoryFinder
    tasks: TaskFinder
    forge: Forge
    clock: Clock

    async def show_draft(self, request: NewMergeRequest, asker: Asker) -> SealedRequest:
        """Show repository, branch, commit, target, title and body. Raises `NotDone` if no draft can be opened."""
        finder = self.finder
        repository = await finder.find(request.project, asker)
        slug = await finder.find_branch(repository, request.branch, asker)
        push = await self._check_pushed(repository, slug)
        if fault := self.forge.find_fault(push.remote):
            raise NotDone(f"{escape(fault[:1].upper() + fault[1:])}. Nothing is opened.")
        if open_request := await finder.allow(self.forge.find(push.remote, push.branch)):
            raise NotDone(f"{_describe(open_request, repository.name)} is open already. Nothing is opened.")
        branches = await finder.workspaces.branches(repository)
        target = branches.default
        if not target:
            raise NotDone(f"The remote of `{repository.name}` has no default branch. Nothing is opened.")
        plan = DraftPlan(
            repository=repository.name,
            slug=slug,
            sha=push.sha,
            remote=push.remote,
            target=target,
            text=await self._word(request, repository, push, branches.default_sha, asker),
        )
        shown = ShownDraft(branch=f"{repository.name} {plan.branch}", plan=plan)
        digest = hashlib.sha256(shown.model_dump_json().encode()).hexdigest()[:6]
        return SealedRequest(
            request=shown,
            brief="What would be opened is shown above the buttons.",
            shown="\n".join(
                (
                    f"*Open a draft:* `{plan.branch}` of `{plan.repository}` into `{escape(plan.target)}`, at "
                    f"`{escape(plan.remote)}`.",
                    f"*Commit:* `{plan.sha}`, as pushed.",
                    f"*Title:* {code_block([code_line(plan.text.title)])}",
                    f"*Body:* {code_block([code_line(line) for line in plan.text.body.splitlines()])}",
                )
            ),
            typed_again=f"{plan.branch}#{digest}",
        )

    @sealed_command(
        "git_create_pr",
        "opens a draft pull or merge request of a pushed branch",
        input=NewMergeRequest,
        sealed=ShownDraft,
        names="branch",
        role="operator",
        tier="irreversible",
        deed="a draft was opened",
        also=("create_pr",),
        untrusted="code",
        rest=True,
        resumes=True,
        preview=show_draft,
    )
    async def open_draft(self, request: ShownDraft, _: Asker) -> CommandAnswer:
        """Open exactly what was shown, once: after a crash the draft of the earlier call is found."""
        plan = request.plan
        try:
            opened = await self.finder.allow(call_with_retries(self.clock, lambda: self._open(plan), tries=_TRIES))
        except RetryLater as problem:
            raise _refer_to_later(problem) from problem
        return CommandAnswer(
            line=f"{_describe(opened, plan.repository)} is open{', as a draft' if opened.is_draft else ''}."
        )

    async def _open(self, plan: DraftPlan) -> MergeRequest:
        """Open a draft, or return the open request. Raises `RetryLater` if the same call may succeed soon, `NotDone` if
        the branch has changed."""
        try:
            if there := await self.forge.find(plan.remote, plan.branch):
                return there
            push = await self._check_pushed(await self.finder.get(plan.repository), plan.slug)
            if (push.sha, push.remote) != (plan.sha, plan.remote):
                raise NotDone("The branch has changed since this was shown: nothing was opened, ask for it again.")
            text = plan.text
            return await self.forge.open_draft(
                plan.remote, branch=plan.branch, target=plan.target, title=text.title, body=text.body
            )
        except Uncertain as doubt:
            raise RetryLater(str(doubt), after=2) from doubt
        except RetryLater as problem:
            if problem.after > _LONGEST_WAIT_S:
                raise _refer_to_later(problem) from problem
            raise

    async def _check_pushed(self, repository: WorkRepository, slug: str) -> PushPlan:
        """Return the state of a branch that is at its remote as it is here. Raises `NotDone` if it is not."""
        push = await self.finder.plan_push(repository, slug)
        if push.remote_sha != push.sha:
            there = f"at `{push.remote_sha[:12]}`" if push.remote_sha else "not yet"
            raise NotDone(
                f"`{push.branch}` is at `{push.sha[:12]}` here, and {there} at the remote: `git_push {slug} "
                f"{repository.name}` pushes it first. Nothing is opened."
            )
        return push

    async def _word(
        self, request: NewMergeRequest, repository: WorkRepository, push: PushPlan, target: str, asker: Asker
    ) -> MergeRequestText:
        """Return title and body without secrets; what is not given comes from the commits that the target lacks."""
        redact, slug = self.finder.redactor.redact, push.slug
        commits = await self.finder.allow(
            self.finder.workspaces.log(repository, push.sha, since=target, count=MAX_COMMITS)
        )
        subjects = [redact(commit.subject) for commit in reversed(commits)]
        listed = "\n".join(f"- {subject}" for subject in subjects[:MAX_SUBJECTS])
        author = await self.finder.find_author(asker)
        try:
            return word_merge_request(
                redact(request.title) or next(iter(subjects), slug),
                redact(request.body) or listed,
                person=author.name,
                user_id=author.user_id,
                task=await find_branch_task(self.tasks, slug, asker),
            )
        except ValueError as problem:
            raise NotDone(f"{str(problem)[:1].upper()}{str(problem)[1:]}.") from problem


def _refer_to_later(problem: RetryLater) -> NotDone:
    wait = f" in {problem.after / 60:.0f} minutes" if problem.after > _LONGEST_WAIT_S else ""
    reason = str(problem)
    return NotDone(
        f"{escape(reason[:1].upper() + reason[1:])}. Give the command again{wait}: it finds what is there, and opens "
        "nothing twice.",
        outcome="failed",
    )


def _describe(request: MergeRequest, repository: str) -> str:
    """Return the name of a merge request, with its page and its branches."""
    name = f"{request.name[:1].upper()}{request.name[1:]}"
    return f"{name} of `{repository}` (<{escape(request.url)}>)"
