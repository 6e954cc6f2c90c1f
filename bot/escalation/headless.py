"""Headless process: one run of tier 2 or 3 from its task to its end, whatever happens in between.

`return.json` is written at any end that the disk takes, and `.done` after it. A handoff is written before both, and
only by code.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bot.agents.run_state import broken_off
from bot.errors import TriageError
from bot.escalation.handoff_content import LAST_TIER
from bot.escalation.transcript import Transcript, TranscriptHandler
from bot.models.escalation import HeadlessReturn
from bot.models.handoff import QuestionHandoff

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime
    from typing import TextIO

    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.folder import RunFolder
    from bot.models.escalation import EscalationTask
    from bot.models.handoff import Handoff
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

GRACE = 5.0
"""Seconds that a run may exceed its time, since it ends itself with its best notes."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True, kw_only=True)
class RunEnd:
    """End of a run."""

    returned: HeadlessReturn
    handoff: Handoff | None = None


class Harness(Protocol):
    """Runner of the work: Triage's own investigator, or a program of the team."""

    @property
    def limits(self) -> str:
        """Return model or program and limits, for the first lines of the transcript."""

    async def run(self) -> RunEnd:
        """Run the task to its end, within its limits."""

    def collect(self, returned: HeadlessReturn) -> RunEnd:
        """Return the end of a run that was broken off, with what it has so far."""

    def close(self) -> Awaitable[None]:
        """Release connections."""


@dataclass(frozen=True, kw_only=True)
class Headless:
    """One process. `build` builds its harness from the settings, and may fail."""

    folder: RunFolder
    task: EscalationTask
    clock: Clock
    redactor: Redactor
    build: Callable[[Transcript, datetime], Awaitable[Harness]]
    out: TextIO | None = None

    async def run(self) -> int:
        """Run the task; return the exit code: 0 with a report or a handoff, else 1.

        A run that has, or had, another process is left alone.
        """
        stop = catch_signals()
        began = self.clock.now()
        lock = self.folder.take_lock()
        if lock is None:
            return 0
        try:
            transcript = Transcript(self.folder.transcript, redactor=self.redactor, clock=self.clock, out=self.out)
            logging.getLogger().addHandler(handler := TranscriptHandler(transcript))
            try:
                end = await self._run_to_end(transcript, stop, began)
                return self._finish(end, transcript)
            finally:
                logging.getLogger().removeHandler(handler)
        finally:
            os.close(lock)

    async def _run_to_end(self, transcript: Transcript, stop: asyncio.Future[str], began: datetime) -> RunEnd:
        self._write_head(transcript)
        harness: Harness | None = None
        try:
            harness = await self.build(transcript, began)
            transcript.write(f"limits: {harness.limits}")
            return await self._run_within_limits(harness, stop, began)
        except Exception as problem:
            if not isinstance(problem, TriageError):
                log.exception("the run failed")
            end = broken_off(problem)
            returned = HeadlessReturn(session_id=self.task.session_id, outcome=end.outcome, reason=end.reason)
            return harness.collect(returned) if harness else RunEnd(returned=returned)
        finally:
            if harness:
                await harness.close()

    async def _run_within_limits(self, harness: Harness, stop: asyncio.Future[str], began: datetime) -> RunEnd:
        """Await the harness; end it at a signal, or where it does not end itself in time."""
        left = self.task.seconds - (self.clock.now() - began).total_seconds()
        work = asyncio.ensure_future(harness.run())
        ends: list[asyncio.Future[Any]] = [work, stop]
        await asyncio.wait(ends, timeout=max(0.0, left) + GRACE, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        returned = HeadlessReturn(
            session_id=self.task.session_id,
            outcome="cancelled" if stop.done() else "limit",
            reason=f"it was ended by {stop.result()}"
            if stop.done()
            else f"it took longer than {self.task.seconds:g} s",
        )
        return harness.collect(returned)

    def _finish(self, end: RunEnd, transcript: Transcript) -> int:
        """Write handoff, return and `.done`; return the exit code."""
        is_last = self.task.tier == LAST_TIER
        handoff = None if is_last else end.handoff
        if is_last and end.handoff:
            transcript.write(
                f"Tier {LAST_TIER} is the last one: there is no handoff, and the question goes to a person."
            )
        returned = HeadlessReturn.model_validate(self._redact(end.returned.model_dump(mode="json")))
        try:
            self.folder.remove(self.folder.handoff)  # by whomever it was written
            if handoff:
                self.folder.write(self.folder.handoff, self._redact(handoff.model_dump(mode="json")))
                wish = handoff.missing if isinstance(handoff, QuestionHandoff) else handoff.remediation_attempted
                transcript.write(f"handoff to tier {handoff.recommended_tier}: {wish}")
            reason = f": {returned.reason}" if returned.reason else ""
            transcript.write(f"Ended: {returned.outcome.replace('_', ' ')}{reason}")
            self.folder.write(self.folder.returned, returned.model_dump(mode="json"))
            self.folder.mark_done()
        except OSError as problem:
            transcript.write(f"The result could not be written: {problem.strerror}")
            return 1
        return 0 if returned.report or handoff else 1

    def _redact(self, record: dict[str, object]) -> dict[str, object]:
        safe: dict[str, object] = self.redactor.value(record, repeated=True)
        return safe

    def _write_head(self, transcript: Transcript) -> None:
        task = self.task
        before = f", after session {task.parent_session_id}" if task.parent_session_id else ""
        transcript.write(f"Tier {task.tier} on thread {task.thread_id}: session {task.session_id}{before}")
        transcript.write(f"question: {task.assignment.question}")
        transcript.write(f"It ends after {task.seconds / 60:.3g} minutes or ${task.usd:.2f}.")
        transcript.write(f"To stop it: Stop on the question's card, or `kill {os.getpid()}`. It then keeps its notes.")


def catch_signals() -> asyncio.Future[str]:
    """Return the future of the name of the first signal that ends the process; further ones are ignored."""
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[str] = loop.create_future()

    def tell(name: str) -> None:
        if not stop.done():
            stop.set_result(name)

    for number in _SIGNALS:
        loop.add_signal_handler(number, tell, number.name)
    return stop
