"""Effect runner: runs the effects that the workflow decided, each as a task that returns a thread event."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bot.decide.endings import find_abort, why_of
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.effect import (
    CheckFindings,
    DraftFix,
    Effect,
    Escalate,
    Investigate,
    KeepNote,
    LookUpReply,
    OpenMergeRequest,
    OpenReferences,
    PostReply,
    Remind,
    RunRunbook,
    ShowCardInChannel,
    SideEffect,
    StopFix,
)
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed, ThreadEvent, Validated
from bot.triage.repeated_questions import EarlierAnswers

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.agents.ledger import Ledger
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Engine, Escalations
    from bot.surfaces.task_files import Journals
    from bot.surfaces.thread_views import ThreadViews
    from bot.triage.assignments import Assignments
    from bot.triage.delivery import Delivery
    from bot.triage.draft_check import DraftChecker
    from bot.triage.edits import Edits
    from bot.triage.fix_runs import FixRuns
    from bot.triage.merge_requests import MergeRequests
    from bot.triage.notes import NoteKeeper
    from bot.triage.paused_fit import PausedFit
    from bot.triage.repeated_questions import RepeatedQuestions
    from bot.triage.run_results import RunResults
    from bot.triage.runbook_runs import RunbookRuns
    from bot.triage.sent_files import SentFiles
    from bot.triage.slack_names import SlackNames

log = logging.getLogger(__name__)

SEATS = 8
"""Investigations that run at the same time in one process."""

_RunResult = Findings | RunFailed | EvidenceFailed | Validated


@dataclass(frozen=True, kw_only=True)
class Effects:
    """Runner of effects. `deadline` is the timeout of one investigation in seconds."""

    engine: Engine
    assignments: Assignments
    results: RunResults
    delivery: Delivery
    notes: NoteKeeper
    checking: DraftChecker
    edits: Edits
    naming: SlackNames
    clock: Clock
    deadline: float
    seats: AbstractAsyncContextManager[Any]
    """Limit of concurrent investigations; the others wait."""
    redactor: Redactor = field(default_factory=Redactor)
    escalations: Escalations | None = None
    """Processes of tiers 2 and 3; `None` where nothing starts one."""
    runbook_runs: RunbookRuns | None = None
    """Runs of approved runbooks; `None` where no runbook is configured."""
    fix_runs: FixRuns | None = None
    """Drafts of fixes; `None` in tests that need none."""
    merge_requests: MergeRequests | None = None
    """Openings of the merge requests of fixes; `None` in tests that need none."""
    repeated_questions: RepeatedQuestions | None = None
    """Lookup of repeated questions; `None` in tests that need none."""
    journals: Journals | None = None
    """Run journals; `None` in tests that need none."""
    paused_fit: PausedFit | None = None
    """Check for a better paused project; `None` in tests that need none."""
    sent_files: SentFiles | None = None
    """Reader of text files; `None` if the settings turn it off."""
    views: ThreadViews
    ledger: Ledger | None = None
    """Record of the agents' runs; `None` where the engine has no agents."""

    async def run(self, thread: Thread, effect: Effect) -> ThreadEvent | None:
        """Run `effect` for `thread`; return the resulting event, if any. Raises nothing but cancellation."""
        match effect:
            case Investigate(run_id=run_id):
                return await self._look_up(thread, run_id)
            case Escalate(run_id=run_id):
                return await self._escalate(thread, run_id)
            case CheckFindings(run_id=run_id):
                check = self.checking.check(thread, run_id, *self.results.take(run_id))
                return await self._run_guarded(thread, run_id, check, self.deadline)
            case OpenReferences(opening=opening):
                return await self.edits.open(thread, opening)
            case PostReply() | KeepNote() | LookUpReply():
                return await self._deliver(thread, effect)
            case RunRunbook() | DraftFix() | StopFix() | OpenMergeRequest():
                return await self._run_beside(thread, effect)
            case ShowCardInChannel():
                return await self.views.nudges.notify_operator(thread)
            case Remind():
                await self.views.reminders.remind(thread)
                return None

    def is_started(self, effect: RunRunbook | DraftFix) -> bool:
        """Return whether a runbook or the draft of a fix was started, so that it is only waited for."""
        runs = self.runbook_runs if isinstance(effect, RunRunbook) else self.fix_runs
        return runs is not None and runs.is_started(effect.run_id)

    async def _run_beside(self, thread: Thread, effect: SideEffect) -> ThreadEvent | None:
        """Run a side effect; nothing happens where nothing runs such."""
        if isinstance(effect, RunRunbook):
            return await self.runbook_runs.run(thread, effect.run_id) if self.runbook_runs else None
        if isinstance(effect, OpenMergeRequest):
            return await self.merge_requests.open(thread, effect.run_id) if self.merge_requests else None
        if self.fix_runs is None:
            return None
        work = self.fix_runs.draft if isinstance(effect, DraftFix) else self.fix_runs.stop
        return await work(thread, effect.run_id)

    async def _deliver(self, thread: Thread, effect: PostReply | KeepNote | LookUpReply) -> ThreadEvent | None:
        """Take an approved reply one step further."""
        match effect:
            case PostReply():
                return await self.delivery.post(thread, look_first=effect.look_first, search_twice=effect.search_twice)
            case KeepNote():
                return await self.notes.keep(thread)
            case LookUpReply():
                return await self.delivery.look_up(thread)

    async def _look_up(self, thread: Thread, run_id: str) -> ThreadEvent:
        """Investigate a question when a slot is free, unless an earlier answer can be reused."""
        thread, left = await self.naming.thread(thread), self.deadline
        if self.sent_files:
            thread, left = await self.sent_files.thread(thread, seconds=left)
        before = await self._find_earlier(thread)
        async with nullcontext() if before.report else self.seats:
            return await self._run_guarded(thread, run_id, self._investigate(thread, run_id, before), left)

    async def _find_earlier(self, thread: Thread) -> EarlierAnswers:
        """Look for an earlier answer to a question; a created task is done again, however often it was."""
        if self.repeated_questions is None or thread.is_about_order:
            return EarlierAnswers(links=thread.asked_before)
        return await self.repeated_questions.look(thread)

    async def _run_guarded(
        self, thread: Thread, run_id: str, work: Awaitable[_RunResult], seconds: float | None
    ) -> ThreadEvent:
        """Await a run's result, also after an error or timeout, and add the figures of the agents' runs.

        `seconds` is the rest of its deadline; `None` for a run that has its own time limit.
        """
        result = await self._run_with_deadline(run_id, work, seconds)
        if self.journals:
            await self.journals.record_end(thread, run_id, result)
        read = {message.message_id: message.files for message in thread.question_messages if message.files}
        run_figures = self.ledger.runs_of(thread.thread_id, thread.asked_at) if self.ledger else ()
        return replace(result, runs=run_figures, names=thread.names, files=read)

    async def _run_with_deadline(self, run_id: str, work: Awaitable[_RunResult], seconds: float | None) -> _RunResult:
        why: str | None = None
        notes = ""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            reason = f"the investigation took longer than {self.deadline / 60:g} minutes and was ended"
            why = "time"
        except TriageError as problem:
            reason, why, notes = str(problem), why_of(problem), problem.unchecked_notes
        except Exception as problem:
            log.exception("run %s failed", run_id)
            reason = f"the investigation failed ({type(problem).__name__}); the log says more"
        return self._fail(run_id, reason, why=why, unchecked_notes=self.redactor.redact(notes))

    async def _investigate(self, thread: Thread, run_id: str, before: EarlierAnswers) -> Findings:
        if self.journals:
            await self.journals.begin(thread, run_id, before.report.engine if before.report else self.engine.name)
        reads_hints = not before.report and self.engine.name != "keyword"
        prepared = await self.assignments.prepare(thread, reads_hints=reads_hints)
        report = before.report or await self.engine.investigate(prepared.assignment.evolve(run_id=run_id))
        paused = (
            await self.paused_fit.find_better(prepared.assignment, report)
            if self.paused_fit and not before.report
            else None
        )
        return await self.results.build(thread, run_id, prepared, report, before=before, paused=paused)

    async def _escalate(self, thread: Thread, run_id: str) -> ThreadEvent:
        """Run a tier in a separate process until its end, however long that takes, unless an earlier answer can be
        reused."""
        thread = await self.naming.thread(thread)
        if self.sent_files:
            thread, _ = await self.sent_files.thread(thread, seconds=self.deadline)
        is_first = thread.investigator_round == 1 and not (thread.escalation and thread.escalation.session_id)
        before = EarlierAnswers(links=thread.asked_before)
        if is_first:
            before = await self._find_earlier(thread)
        work = self._reuse(thread, run_id, before) if before.report else self._run_tier(thread, run_id, before)
        return await self._run_guarded(thread, run_id, work, seconds=None)

    async def _reuse(self, thread: Thread, run_id: str, before: EarlierAnswers) -> Findings:
        return replace(await self._investigate(thread, run_id, before), is_started=False)

    async def _run_tier(self, thread: Thread, run_id: str, before: EarlierAnswers) -> Findings | RunFailed:
        if self.escalations is None:
            return self._fail(run_id, "nothing starts longer runs here", why="settings", is_started=False)
        if self.journals:
            await self.journals.begin(thread, run_id, f"tier {thread.escalation.tier if thread.escalation else 2}")
        prepared = await self.assignments.prepare(thread, reads_hints=self.engine.name != "keyword")
        end = await self.escalations.run(thread, run_id, prepared.assignment)
        returned = end.returned
        result: Findings | RunFailed
        if returned.report:
            read = end.assignment.projects if end.assignment else ()
            result = await self.results.build(thread, run_id, prepared.with_trees(read), returned.report, before=before)
        else:
            result = self._fail(
                run_id,
                returned.reason,
                why=find_abort(returned.outcome),
                unchecked_notes=self.redactor.redact(returned.unchecked_notes),
                is_started=end.is_started,
            )
        return replace(
            result,
            read_messages=returned.read_messages,
            next_tier=end.next_tier,
            next_reason=self.redactor.redact(end.next_reason),
            problem=self.redactor.redact(end.refusal),
        )

    def _fail(self, run_id: str, reason: str, **fields: Any) -> RunFailed:
        """Return the end of a run without findings."""
        now, fresh = self.clock.now(), self.clock.new_id()
        return RunFailed(at=now, fresh=fresh, run_id=run_id, reason=self.redactor.redact(reason), **fields)
