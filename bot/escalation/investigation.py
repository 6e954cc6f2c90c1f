"""Investigation of tier 2 or 3 by Triage's own investigator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.agents.long_run import LongRunOutput
from bot.agents.run_state import broken_off
from bot.errors import OverCap, TriageError, Unreachable
from bot.escalation.handoff_content import build_handoff, list_calls
from bot.escalation.headless import RunEnd
from bot.models.escalation import HeadlessReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from bot.agents.investigator_output import InvestigatorOutput
    from bot.agents.run import Run
    from bot.escalation.follow_ups import FollowUps
    from bot.escalation.transcript import Transcript
    from bot.models.escalation import EscalationTask
    from bot.models.session import Session
    from bot.ports.outbound import Clock, Engine

_LEAST_TIME = timedelta(seconds=1.5)
"""Time in which a run tries no other call: a server that fails then has used up the rest of it."""


@dataclass(kw_only=True)
class RunRecord:
    """Record of the run: its log and its messages while it lasts, and its result at the end."""

    transcript: Transcript
    follow_ups: FollowUps
    run: Run[InvestigatorOutput] | None = None
    """The ended run; `None` before its end."""

    async def before_turn(self, session: Session) -> Sequence[str]:
        """Return new messages of the thread for the model."""
        self.transcript.begin_turn(session)
        return self.follow_ups.fetch_new()

    async def keep(self, run: Run[InvestigatorOutput]) -> None:
        """Keep the ended run."""
        self.run = run


@dataclass(frozen=True, kw_only=True)
class Investigation:
    """Harness around an investigator, whose run is kept in `record`."""

    task: EscalationTask
    engine: Engine
    record: RunRecord
    limits: str
    ends_at: datetime
    clock: Clock
    close: Callable[[], Awaitable[None]]

    async def run(self) -> RunEnd:
        """Return the findings, or the reason why there are none with the best notes."""
        try:
            report = await self.engine.investigate(self.task.assignment)
        except TriageError as problem:
            end = broken_off(problem)
            if isinstance(problem, Unreachable) and self.clock.now() >= self.ends_at - _LEAST_TIME:
                reason = f"it took longer than {self.task.seconds:g} s; {end.reason}"
                end = replace(end, outcome="limit", reason=reason)
            elif isinstance(problem, OverCap) and problem.limit == "day":  # this process knows no day
                end = replace(
                    end, reason=f"it may cost ${self.task.usd:.2f}, and its next turn could take it past that"
                )
            elif (run := self.record.run) and run.answer is None:
                end = replace(end, outcome=run.session.outcome, reason=run.session.reason or end.reason)
            return self.collect(
                HeadlessReturn(
                    session_id=self.task.session_id,
                    outcome=end.outcome,
                    reason=end.reason,
                    unchecked_notes=problem.unchecked_notes,
                )
            )
        return self.collect(HeadlessReturn(session_id=self.task.session_id, outcome="answered", report=report))

    def collect(self, returned: HeadlessReturn) -> RunEnd:
        """Return the end with notes, messages that were read, and a handoff where there is something to hand over."""
        run = self.record.run
        notes = returned.unchecked_notes
        if returned.report is None and run:
            notes = notes or run.unchecked_notes or (run.answer.draft_reply if run.answer else "")
        returned = returned.evolve(unchecked_notes=notes, read_messages=self.record.follow_ups.read)
        answer = run.answer if run and returned.report and isinstance(run.answer, LongRunOutput) else None
        handoff = build_handoff(self.task, returned, answer, list_calls(run.history) if run else ())
        return RunEnd(returned=returned, handoff=handoff)
