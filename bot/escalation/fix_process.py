"""Process that drafts a fix: from its task to its end, whatever happens in between.

`return.json` is written at any end that the disk takes, and `.done` after it. It knows neither git nor Slack: it
changes files in the folder of its task, which it holds alone.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.agents.run_state import broken_off
from bot.errors import OverCap, TriageError
from bot.escalation.headless import GRACE, catch_signals
from bot.escalation.transcript import Transcript, TranscriptHandler
from bot.models.fix import FixResult
from bot.models.fix_task import FixReturn
from bot.runtime.workspace_lock import PATIENCE, hold_workspace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TextIO

    from bot.agents.fixer import Fixer
    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.folder import RunFolder
    from bot.models.fix_task import FixDraft, FixTask
    from bot.models.session import Outcome
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class FixHarness:
    """Runner of the work."""

    fixer: Fixer
    limits: str
    """Model and limits, for the first lines of the transcript."""
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class FixProcess:
    """One process. `build` builds its harness from the settings, and may fail."""

    folder: RunFolder
    task: FixTask
    clock: Clock
    redactor: Redactor
    build: Callable[[Transcript], FixHarness]
    out: TextIO | None = None

    async def run(self) -> int:
        """Run the task; return the exit code: 0 with a draft, else 1.

        A run that has, or had, another process is left alone.
        """
        stop = catch_signals()
        lock = self.folder.take_lock()
        if lock is None:
            return 0
        try:
            transcript = Transcript(self.folder.transcript, redactor=self.redactor, clock=self.clock, out=self.out)
            logging.getLogger().addHandler(handler := TranscriptHandler(transcript))
            try:
                return self._finish(await self._run_to_end(transcript, stop), transcript)
            finally:
                logging.getLogger().removeHandler(handler)
        finally:
            os.close(lock)

    async def _run_to_end(self, transcript: Transcript, stop: asyncio.Future[str]) -> FixReturn:
        task = self.task
        transcript.write(f"Fix {task.run_id} on thread {task.thread_id}: session {task.session_id}")
        transcript.write(f"defect at {task.defect.ref}: {task.defect.summary}")
        transcript.write(f"To stop it: `kill {os.getpid()}`.")
        harness: FixHarness | None = None
        try:
            harness = self.build(transcript)
            transcript.write(f"limits: {harness.limits}")
            async with hold_workspace(task.folder, alone=True, patience=PATIENCE):
                return await self._run_within_limits(harness, stop)
        except Exception as problem:
            if not isinstance(problem, TriageError):
                log.exception("the run failed")
            end = broken_off(problem)
            is_of_run = isinstance(problem, OverCap) and problem.limit != "account"
            reason = self._word_cap() if is_of_run else end.reason
            return self._collect(harness, end.outcome, f"It ended before a change had passed: {reason}.")
        finally:
            if harness:
                await harness.close()

    def _word_cap(self) -> str:
        return (
            f"this fix may cost ${self.task.usd:,.2f} (`tiers.2.max_usd`, else `model.max_usd_per_run`, as far as the "
            "day had it), and the next turn may take more; with more money, Propose a Fix begins another one"
        )

    async def _run_within_limits(self, harness: FixHarness, stop: asyncio.Future[str]) -> FixReturn:
        """Await the rounds; end them at a signal, or where they do not end in time."""
        work = asyncio.ensure_future(harness.fixer.draft(self.task))
        ends: list[asyncio.Future[Any]] = [work, stop]
        await asyncio.wait(ends, timeout=self.task.most_seconds + GRACE, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return self._collect(harness, "answered", "", work.result())
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        if stop.done():
            return self._collect(harness, "cancelled", f"It was ended by {stop.result()}.")
        return self._collect(harness, "limit", f"It took longer than {self.task.most_seconds / 60:.3g} minutes.")

    def _collect(
        self, harness: FixHarness | None, outcome: Outcome, problem: str, draft: FixDraft | None = None
    ) -> FixReturn:
        """Return the end with the rounds so far."""
        session_id, problem = self.task.session_id, self.redactor.redact(problem)
        if harness is None:
            return FixReturn(session_id=session_id, outcome=outcome, result=FixResult(problem=problem))
        progress = harness.fixer.progress
        result = FixResult(
            check_before=progress.check_before,
            rounds=tuple(progress.rounds),
            problem="" if draft else problem or progress.problem,
        )
        return FixReturn(session_id=session_id, outcome=outcome, draft=draft, result=result)

    def _finish(self, returned: FixReturn, transcript: Transcript) -> int:
        """Write the result and `.done`; return the exit code."""
        words = returned.result.problem or (f"proposed: {returned.draft.title}" if returned.draft else "no change")
        transcript.write(f"Ended: {words}")
        try:
            self.folder.write(self.folder.returned, returned.model_dump(mode="json"))
            self.folder.mark_done()
        except OSError as problem:
            transcript.write(f"The result could not be written: {problem.strerror}")
            return 1
        return 0 if returned.draft else 1
