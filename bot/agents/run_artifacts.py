"""Artifacts of a run in its thread's folder: calls with results, opened lines and the returned answer.

The thread's document has findings and references only; these files have the raw material, for people. It has passed the
guard and the redactor.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bot.agents.journal import RunJournal
from bot.agents.unchecked_notes import clip_notes
from bot.errors import TriageError
from bot.models.turn import CodeMessage, Results, Turn
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from bot.agents.answers import Form
    from bot.agents.run import Run
    from bot.decide.redaction.redactor import Redactor
    from bot.models.turn import Entry
    from bot.ports.outbound import Clock, TaskFiles
    from bot.tools.read_log import ReadLog

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RunArtifacts:
    """Writer of run artifacts."""

    tasks: TaskFiles | None
    """Task folders; `None` for runs without a thread, such as a drill's."""
    redactor: Redactor

    def journal(self, task: str, name: str, clock: Clock, who: str = "agent") -> RunJournal:
        """Return the journal of a run in its task's folder, with lines by `who`."""
        return RunJournal(tasks=self.tasks, redactor=self.redactor, clock=clock, task=task, name=name, who=who)

    async def keep(self, name: str, run: Run[Form], read_log: ReadLog, *, task: str, **extra: Any) -> None:
        """Save a run as `<name>-<session id>.json`. A failing disk loses no answer.

        `task` is the folder; it is empty for a run without a thread.
        """
        session = run.session
        if not task or self.tasks is None:
            return
        record = {
            "session_id": session.session_id,
            "thread_id": session.thread_id,
            "outcome": session.outcome,
            "reason": session.reason,
            "took": session.to_figures().model_dump(mode="json", exclude={"session_id", "outcome"}),
            "opened": [asdict(span) for span in read_log.spans],
            "steps": list_steps(run.history),
            "broken": [clip_notes(text) for text in run.broken_texts],
            "changes": [change.model_dump() for change in run.changes],
            "returned": run.answer.model_dump(mode="json") if run.answer else None,
            **extra,
        }
        try:
            await self.tasks.save(
                task, f"{name}-{session.session_id}.json", await run_offloaded(self.redactor.value, record)
            )
        except TriageError as problem:
            log.warning("thread %s: its run was not saved: %s", session.thread_id, problem)


def list_steps(history: tuple[Entry, ...]) -> list[dict[str, Any]]:
    """List messages and calls in order, each call with its result; the fixed prompt is left out."""
    entries: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    for entry in history:
        match entry:
            case CodeMessage(text=text):
                entries.append({"code": text})
            case Turn():
                if entry.text:
                    entries.append({"model": entry.text})
                for call in entry.calls:
                    calls[call.call_id] = {"tool": call.tool, "input": call.input}
                    entries.append(calls[call.call_id])
            case Results():
                for result in entry.results:
                    if result.call_id in calls:
                        calls[result.call_id] |= {"result": result.text, "failed": result.failed}
    return entries
