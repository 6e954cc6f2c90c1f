"""Openings of merge requests: the commit of a fix is pushed as its card shows it, then a draft is opened at the forge.

Each step looks at what is there before it does anything, so that a kill at any moment leaves one commit on one branch,
and one draft.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.merge_request_text import word_merge_request
from bot.decide.redaction.redactor import Redactor
from bot.errors import Outdated, ToolError, TriageError, Uncertain
from bot.models.fix_event import MergeRequestFailed, MergeRequestOpened
from bot.runtime.failpoints import passing
from bot.runtime.retry import call_with_retries
from bot.triage.fix_runs import TRIES, word_problem

if TYPE_CHECKING:
    from bot.models.fix import Fix, FixProposal, Pushed
    from bot.models.merge_request import MergeRequest
    from bot.models.thread import Thread
    from bot.models.workspace import PushPlan, WorkRepository
    from bot.ports.forge import Forge
    from bot.ports.outbound import Clock, Journal
    from bot.ports.workspaces import Workspaces
    from bot.triage.slack_names import SlackNames
    from bot.triage.work_repositories import WorkRepositories

log = logging.getLogger(__name__)

ACTION = "merge_request_opened"
"""`action` of the audit's record of a merge request that is open."""
PUSHED = "branch_pushed"
"""`action` of the record of a branch that is at the remote, also where no merge request followed."""
_TAIL = 200
"""Newest records of the audit among which one of the same opening is looked for."""
_NOT_OPENED = "The branch is pushed, but its merge request was not opened:"
_CHANGED = (
    "the remote or the default branch is another one than on the card: nothing was pushed. Where that stays so, "
    "discard the fix, and propose it again"
)
_OUTDATED = (
    "the branch has another commit than on the card, here or at the remote: nothing was pushed. Discard the fix, and "
    "propose it again"
)


@dataclass(frozen=True, kw_only=True)
class MergeRequests:
    """Opener of merge requests. `audit` is the journal of decisions."""

    repositories: WorkRepositories
    workspaces: Workspaces
    forge: Forge
    naming: SlackNames
    audit: Journal
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    async def open(self, thread: Thread, run_id: str) -> MergeRequestOpened | MergeRequestFailed | None:
        """Push the commit of a fix and open its merge request, each unless that is done; return the result."""
        fix = thread.fix
        if fix is None or fix.opening_id != run_id or fix.proposal is None or fix.plan is None:
            return None
        pushed: Pushed = "no"
        try:
            repository = await self._find_repository(fix.proposal, fix.plan)
            pushed = "maybe"
            await self._push(repository, fix.plan)
            pushed = "yes"
            await self._record(thread, fix, fix.proposal, PUSHED, fix.plan.remote)
            request = await self._open_draft(thread, fix, fix.proposal, repository)
            await self._record(thread, fix, fix.proposal, ACTION, request.url)
        except TriageError as problem:
            log.warning("thread %s: no merge request: %s", thread.thread_id, problem)
            outdated = isinstance(problem, Outdated)
            if pushed == "maybe":
                pushed = "no" if isinstance(problem, ToolError) else await self._look(fix.proposal)
            return self._fail(run_id, word_problem(problem, self.redactor), pushed, is_outdated=outdated)
        except Exception as problem:
            log.exception("thread %s: the opening of its merge request failed", thread.thread_id)
            return self._fail(run_id, f"The opening failed ({type(problem).__name__}); the log says more.", pushed)
        return MergeRequestOpened(at=self.clock.now(), fresh=self.clock.new_id(), run_id=run_id, request=request)

    async def _find_repository(self, proposal: FixProposal, plan: PushPlan) -> WorkRepository:
        """Return the repository if all is as the card shows it. Raises `TriageError` if anything differs."""
        repository = await self.repositories.get(proposal.repository)
        is_shown = (plan.sha, plan.branch, repository.address) == (proposal.head, proposal.branch, plan.remote)
        if not is_shown or (await self.workspaces.branches(repository, afresh=True)).default != proposal.target:
            raise Outdated(_CHANGED)
        if fault := self.forge.find_fault(repository.address):
            raise ToolError(f"nothing was pushed: {fault}")
        return repository

    async def _push(self, repository: WorkRepository, plan: PushPlan) -> None:
        """Push exactly what the card shows.

        Raises `ToolError` where nothing was pushed, `RetryLater`, and `Uncertain` on a refusal after a try that may
        have pushed.
        """
        tries = 0

        async def push() -> None:
            nonlocal tries
            tries += 1
            await self.workspaces.push(repository, plan)

        try:
            with passing("fixes.push", plan.branch):
                await call_with_retries(self.clock, push, tries=TRIES)
        except ToolError as problem:
            if tries > 1:
                raise Uncertain(f"the push failed, and was then refused: {problem}") from problem
            if isinstance(problem, Outdated):
                raise Outdated(_OUTDATED) from problem
            raise

    async def _look(self, proposal: FixProposal) -> Pushed:
        """Return whether the commit is at the remote after a push that failed."""
        try:
            repository = await self.repositories.get(proposal.repository)
            seen = await self.workspaces.plan_push(repository, proposal.slug)
        except TriageError:
            return "maybe"
        return "yes" if seen.remote_sha == proposal.head else "no"

    async def _open_draft(
        self, thread: Thread, fix: Fix, proposal: FixProposal, repository: WorkRepository
    ) -> MergeRequest:
        """Open the draft, or find it. Raises `TriageError` with what is done already."""
        user = fix.decided_by or fix.order.asked_by
        names = await self.naming.names({user: ""})
        title, body = (self.redactor.redact(text) for text in (fix.title, fix.description))
        try:
            text = word_merge_request(title, body, person=names[user] or user, user_id=user, task=thread.task)
            with passing("fixes.open", proposal.branch):
                return await call_with_retries(
                    self.clock,
                    lambda: self.forge.open_draft(
                        repository.address,
                        branch=proposal.branch,
                        target=proposal.target,
                        title=text.title,
                        body=text.body,
                    ),
                    tries=TRIES,
                )
        except Uncertain as doubt:
            raise ToolError(
                f"The branch is pushed; whether its merge request was opened is not known: {doubt}"
            ) from doubt
        except (TriageError, ValueError) as problem:
            raise ToolError(f"{_NOT_OPENED} {problem}") from problem

    async def _record(self, thread: Thread, fix: Fix, proposal: FixProposal, action: str, address: str) -> None:
        """Record in the audit what left the machine, with the person and the commit, once each."""
        done = (action, proposal.branch, proposal.head)
        if any(
            (each.get("action"), each.get("branch"), each.get("sha")) == done for each in await self.audit.tail(_TAIL)
        ):
            return
        record = {
            "interaction_id": fix.opening_id,
            "action": action,
            "user_id": fix.decided_by,
            "thread_id": thread.thread_id,
            "sha": proposal.head,
            "branch": proposal.branch,
            "remote" if action == PUSHED else "link": self.redactor.redact(address),
            "at": self.clock.now().isoformat(),
            "result": "done",
        }
        await call_with_retries(self.clock, lambda: self.audit.append(record), tries=TRIES)

    def _fail(self, run_id: str, problem: str, pushed: Pushed, *, is_outdated: bool = False) -> MergeRequestFailed:
        at, fresh = self.clock.now(), self.clock.new_id()
        return MergeRequestFailed(
            at=at, fresh=fresh, run_id=run_id, problem=problem, pushed=pushed, is_outdated=is_outdated
        )
