"""Presses on a proposed runbook: refused while Triage is stopped, and where the settings differ or nothing fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import with_moments
from bot.approval.answers import FIRST_TO_RUN, RUNBOOK_CHANGED, RUNBOOK_RESTS, RUNBOOK_UNNEEDED, RUNS_STOPPED
from bot.approval.stale_press import explain_stale_press

if TYPE_CHECKING:
    from bot.models.presses import RunRunbookPressed
    from bot.models.thread import Thread
    from bot.ports.health import RunbookRunner
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class RunbookPresses:
    """Judge of presses."""

    orchestrator: Orchestrator
    runner: RunbookRunner | None = None
    """Runbooks of the settings; `None` where there are none."""

    async def run(self, thread: Thread, press: RunRunbookPressed) -> str | None:
        """Approve the proposal of a thread; return why it is not run, or what is missing; `None` if it is run."""
        if refusal := self._find_refusal(thread):
            return refusal
        step = await self.orchestrator.submit(thread.thread_id, press)
        if step.accepted:
            return FIRST_TO_RUN if step.effect is None else None
        if step.thread:  # the user may have seen a stale card
            self.orchestrator.redraw(step.thread)
        return step.refusal or explain_stale_press(step.thread)

    def _find_refusal(self, thread: Thread) -> str | None:
        """Return the reason why the proposal of this thread is not run; `None` if it is, or there is no proposal."""
        remedy = thread.incident.proposal if thread.incident else None
        if thread.incident is None or remedy is None or remedy.state != "proposed":
            return None
        if self.orchestrator.state() == "stopped":
            return RUNS_STOPPED
        if self.runner is None:
            return f"The settings no longer have any runbook. {RUNBOOK_CHANGED}"
        if change := self.runner.describe_change(remedy, thread.incident.services):
            return f"{change} {RUNBOOK_CHANGED}"
        if healthy := self.runner.describe_health(remedy.runbook):
            return f"{healthy} {RUNBOOK_UNNEEDED}"
        rest = self.runner.describe_rest(remedy.runbook)
        return f"{with_moments(rest)} {RUNBOOK_RESTS}" if rest else None
