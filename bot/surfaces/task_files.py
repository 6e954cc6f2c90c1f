"""Task files: `task.json`, updated until it matches a thread's document, and the journals of its runs.

They are written before the card: a card recorded as rendered implies that its `task.json` is up to date, so that a kill
in between is repaired at the next start.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.agents.journal import RunJournal, sanitize_line
from bot.errors import RetryLater
from bot.models.repeated_question import ANSWERED_BEFORE
from bot.models.task import RUNNING, Dispatch, EarlierQuestion
from bot.models.task_manifest import manifest
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.thread import Thread
    from bot.models.thread_event import Validated
    from bot.ports.outbound import Clock, TaskFiles

    RunEvent = Findings | RunFailed | EvidenceFailed | Validated

log = logging.getLogger(__name__)

MANIFEST = "task.json"
TAIL = 20
"""Lines at the end of the last journal that the next run receives."""
_LONGEST_WAIT = 60.0
_LOCKS = 64


@dataclass(frozen=True, kw_only=True)
class Journals:
    """Writer of the journals: the start and the result of each run."""

    tasks: TaskFiles
    redactor: Redactor
    clock: Clock

    async def begin(self, thread: Thread, run_id: str, engine: str) -> None:
        """Write the head and first line of a run's journal; repeated if the process died in between."""
        if live := _dispatch(thread, run_id):
            text = f"Round {thread.investigator_round} begins, engine {engine}: {thread.question}"
            by = engine if engine == ANSWERED_BEFORE else live.model
            await self._open_journal(thread, live).say(text, head=self._head(thread, live, by))

    async def record_end(self, thread: Thread, run_id: str, event: RunEvent) -> None:
        """Write the result of an investigation or its checks."""
        if (live := _dispatch(thread, run_id)) is None:
            return
        journal = self._open_journal(thread, live)
        match event:
            case Findings(report=report):
                if report.fallback:
                    await journal.say(
                        f"Without the model: {report.fallback}. The {report.engine} engine answers instead."
                    )
                findings = report.findings
                refs = ", ".join(reference.ref for reference in findings.evidence_refs) or "none"
                await journal.say(f"Findings, confidence {findings.confidence}: {findings.summary_for_orchestrator}")
                await journal.say(f"References: {refs}")
            case RunFailed():
                await journal.say(f"No findings: {event.reason}")
            case EvidenceFailed():
                failed = [f"{check.ref}: {check.reason}" for check in event.checks if check.result == "failed"]
                await journal.say(f"References that do not stand: {'; '.join(failed)}")
            case _ if event.unvalidated:
                await journal.say(f"No validator: {event.unvalidated}")
            case _ if event.validator_return:
                returned = event.validator_return
                await journal.say(f"Validator: {returned.verdict}. {' '.join(returned.reasons)}")
            case _:
                await journal.say("Every reference stands." if event.checks else "There was no reference to check.")

    async def build_context(self, thread: Thread) -> dict[str, Any]:
        """Return the task's part of an assignment: its folder, this run's journal, and earlier results."""
        live = _dispatch(thread, thread.run_id or "")
        names = [dispatch.journal_file for dispatch in thread.dispatches if dispatch.run_id != thread.run_id]
        return {
            "task": thread.task,
            "journal": live.journal_file if live else "",
            "found_before": tuple(self.redactor.redact(_describe_earlier(dispatch)) for dispatch in thread.earlier),
            "journal_before": await self.tasks.tail(thread.task, names[-1], TAIL) if names else "",
        }

    def _open_journal(self, thread: Thread, dispatch: Dispatch) -> RunJournal:
        return RunJournal(
            tasks=self.tasks,
            redactor=self.redactor,
            clock=self.clock,
            task=thread.task,
            name=dispatch.journal_file,
            who="triage",
        )

    def _head(self, thread: Thread, dispatch: Dispatch, by: str) -> str:
        question = sanitize_line(self.redactor, thread.question)
        named = (("Task", thread.task), ("Thread", thread.thread_id), ("Question", question), ("Model", by))
        about = "\n".join(f"- {name}: {value}" for name, value in named)
        return f"# {dispatch.role}\n\n{about}\n\nTimes are UTC.\n\n## Log\n"


class TaskFileWriter:
    """Writer of `task.json`, and of the status at the end of each journal."""

    def __init__(self, *, tasks: TaskFiles, clock: Clock) -> None:
        self._tasks = tasks
        self._clock = clock
        self._drawn: dict[str, tuple[int, tuple[Dispatch, ...]]] = {}
        """For each open thread the revision and the dispatches written to its files."""
        self._newest: dict[str, Thread] = {}
        self._drawing: dict[str, asyncio.Task[None]] = {}
        self._locks = [asyncio.Lock() for _ in range(_LOCKS)]

    def redraw(self, thread: Thread) -> None:
        """Update the files to this document soon."""
        name = thread.thread_id
        if self._is_shown(thread):
            return
        self._newest[name] = thread
        if name not in self._drawing:
            self._drawing[name] = asyncio.create_task(self._draw_all(name), name=f"task {name}")

    async def write_now(self, thread: Thread) -> bool:
        """Update the files to this document now; return whether they could be written."""
        async with self._locks[hash(thread.thread_id) % _LOCKS]:
            if self._is_shown(thread):
                return True
            try:
                await self._draw(thread)
            except RetryLater as problem:
                log.warning("thread %s: its task files are not written: %s", thread.thread_id, problem)
                return False
        return True

    async def stop(self) -> None:
        """Start no new update; the rest is done at the next start."""
        drawing = [*self._drawing.values()]
        for task in drawing:
            task.cancel()
        await asyncio.gather(*drawing, return_exceptions=True)

    def _is_shown(self, thread: Thread) -> bool:
        revision, dispatches = self._drawn.get(thread.thread_id, (-1, None))
        return thread.revision < revision or dispatches == thread.dispatches

    async def _draw_all(self, name: str) -> None:
        wait = 0.5
        try:
            while thread := self._newest.pop(name, None):
                if await self.write_now(thread):
                    wait = 0.5
                    continue
                self._newest.setdefault(name, thread)
                await self._clock.sleep(wait)
                wait = min(_LONGEST_WAIT, wait * 2)
        except Exception:
            log.exception("the task of thread %s failed", name)
        finally:
            del self._drawing[name]

    async def _draw(self, thread: Thread) -> None:
        task = thread.task
        previous = self._drawn.get(thread.thread_id, (-1, ()))[1]
        for dispatch in thread.dispatches:
            if dispatch.status != RUNNING and dispatch not in previous:
                line = f"- Status: {dispatch.status} ({dispatch.model})"
                await self._tasks.append(task, dispatch.journal_file, line, once=True)
        await self._tasks.save(task, MANIFEST, manifest(thread))
        if thread.is_open:
            self._drawn[thread.thread_id] = (thread.revision, thread.dispatches)
        else:
            self._drawn.pop(thread.thread_id, None)


def _dispatch(thread: Thread, run_id: str) -> Dispatch | None:
    """Return the record of a live run."""
    return next((dispatch for dispatch in reversed(thread.dispatches) if dispatch.run_id == run_id), None)


def _describe_earlier(earlier: EarlierQuestion) -> str:
    """Describe the result of an earlier question for a model."""
    refs = [f"- {reference.ref}: {reference.supports_claim}" for reference in earlier.refs]
    where = f"\nIts journal: {earlier.journal_file}" if earlier.journal_file else ""
    outcome = f"\nIt ended as {earlier.outcome}, with this draft:\n{earlier.said}"
    return "\n".join([f"Asked: {earlier.question}", f"Found: {earlier.summary}", *refs]) + where + outcome
