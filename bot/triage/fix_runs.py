"""Drafts of fixes: each is started once, followed by the plan of the push that its card shows."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.redaction.redacted_facts import redact_fact
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError, TriageError
from bot.models.fix import FixResult
from bot.models.fix_event import FixEnded
from bot.runtime.offload import run_offloaded
from bot.runtime.retry import call_with_retries

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.fix import FixOrder, FixProposal
    from bot.models.thread import Thread
    from bot.models.workspace import PushPlan
    from bot.ports.fixes import FixDrafter
    from bot.ports.outbound import Clock
    from bot.ports.workspaces import Workspaces
    from bot.triage.work_repositories import WorkRepositories

log = logging.getLogger(__name__)

TRIES = 3
"""Number of tries of one step with git or a forge, before a person is told."""
_NO_DRAFTER = "Nothing drafts fixes here any more: there is no model."
_NOT_BEGUN = "It was stopped before it began."


@dataclass(frozen=True, kw_only=True)
class FixRuns:
    """Runner of drafts. `drafter` is `None` where nothing drafts a fix any more."""

    drafter: FixDrafter | None
    repositories: WorkRepositories
    workspaces: Workspaces
    clock: Clock
    is_stopped: Callable[[], bool]
    """Return whether an admin has stopped Triage, which ends the process of a draft."""
    redactor: Redactor = field(default_factory=Redactor)

    def is_started(self, run_id: str) -> bool:
        """Return whether a draft was started, so that it is only waited for."""
        return self.drafter is not None and self.drafter.is_started(run_id)

    async def draft(self, thread: Thread, run_id: str) -> FixEnded | None:
        """Start the process of this fix unless it was started, and return its end with the plan of the push."""
        fix = thread.fix
        if fix is None or fix.order.run_id != run_id:
            return None
        plan, result = None, FixResult()
        try:
            result = await self._wait(thread, fix.order)
            if result.proposal:
                plan = await self._plan(result.proposal)
        except asyncio.CancelledError:
            if self.drafter and self.is_stopped():
                await self.drafter.stop(run_id)
            raise
        except TriageError as problem:
            result = result.evolve(proposal=None, problem=word_problem(problem, self.redactor))
        except Exception as problem:
            log.exception("the draft of a fix, run %s, failed", run_id)
            why = f"The draft failed ({type(problem).__name__}); the log says more."
            result = result.evolve(proposal=None, problem=why)
        return await self._build_end(run_id, result, plan)

    async def stop(self, thread: Thread, run_id: str) -> FixEnded | None:
        """End the process of a fix that was discarded, and return what it came to."""
        fix = thread.fix
        if fix is None or fix.order.run_id != run_id:
            return None
        result = FixResult(problem=_NOT_BEGUN)
        try:
            if self.drafter:
                await self.drafter.stop(run_id)
            if self.is_started(run_id):
                result = await self._wait(thread, fix.order)
        except Exception as problem:
            log.exception("the end of a discarded fix, run %s, failed", run_id)
            result = FixResult(problem=f"Its end failed ({type(problem).__name__}); the log says more.")
        return await self._build_end(run_id, result, None)

    async def _wait(self, thread: Thread, order: FixOrder) -> FixResult:
        return await self.drafter.draft(thread, order) if self.drafter else FixResult(problem=_NO_DRAFTER)

    async def _plan(self, proposal: FixProposal) -> PushPlan:
        """Return the push of exactly the proposed commit. Raises `TriageError` if it cannot be pushed."""
        repository = await self.repositories.get(proposal.repository)
        plan = await call_with_retries(
            self.clock, lambda: self.workspaces.plan_push(repository, proposal.slug), tries=TRIES
        )
        if plan.sha != proposal.head:
            raise ToolError(f"the branch {proposal.branch} has another commit than the one that passed the check")
        return plan

    async def _build_end(self, run_id: str, result: FixResult, plan: PushPlan | None) -> FixEnded:
        safe = await run_offloaded(redact_fact, result, self.redactor)
        return FixEnded(at=self.clock.now(), fresh=self.clock.new_id(), run_id=run_id, result=safe, plan=plan)


def word_problem(problem: Exception, redactor: Redactor) -> str:
    """Return the text of an error as a sentence, redacted."""
    words = redactor.redact(str(problem)).strip().rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."
