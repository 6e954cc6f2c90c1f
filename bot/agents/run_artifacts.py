"""What a run leaves in its thread's folder: each call with what came of it, what was opened, what was handed in.

The thread's document holds findings and references only; the raw material is here, for people. It has passed the guard,
and the redactor once more.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bot.agents.journal import RunJournal
from bot.errors import TriageError
from bot.models.turn import CodeMessage, Results, Turn
from bot.runtime.offload import beside

if TYPE_CHECKING:
    from bot.agents.answers import Form
    from bot.agents.loop import Run
    from bot.decide.redaction.redactor import Redactor
    from bot.models.turn import Entry
    from bot.ports.outbound import Clock, TaskFiles
    from bot.tools.read_log import Opened

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Papers:
    """Keeps them."""

    tasks: TaskFiles | None
    """Where; nowhere for runs that belong to no thread, such as a drill's."""
    redactor: Redactor

    def journal(self, task: str, name: str, clock: Clock, who: str = "agent") -> RunJournal:
        """The journal of a run in the folder of its task, which `who` writes into."""
        return RunJournal(tasks=self.tasks, redactor=self.redactor, clock=clock, task=task, name=name, who=who)

    async def keep(self, name: str, run: Run[Form], opened: Opened, *, task: str, **more: Any) -> None:
        """Write down one run, as `<name>-<session id>.json`. A disk that fails here loses no answer.

        `task` is the folder; where it is empty the run belongs to no thread.
        """
        session = run.session
        if not task or self.tasks is None:
            return
        record = {
            "session_id": session.session_id,
            "thread_id": session.thread_id,
            "outcome": session.outcome,
            "reason": session.reason,
            "took": session.ran().model_dump(mode="json", exclude={"session_id", "outcome"}),
            "opened": [asdict(span) for span in opened.spans],
            "steps": steps(run.history),
            "returned": run.answer.model_dump(mode="json") if run.answer else None,
            **more,
        }
        try:
            await self.tasks.keep(task, f"{name}-{session.session_id}.json", await beside(self.redactor.value, record))
        except TriageError as problem:
            log.warning("thread %s: its run was not written down: %s", session.thread_id, problem)


def steps(history: tuple[Entry, ...]) -> list[dict[str, Any]]:
    """What was said and called, in order, each call with its result; the fixed prompt is left out."""
    told: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    for entry in history:
        match entry:
            case CodeMessage(text=text):
                told.append({"code": text})
            case Turn():
                if entry.text:
                    told.append({"model": entry.text})
                for call in entry.calls:
                    calls[call.call_id] = {"tool": call.tool, "input": call.input}
                    told.append(calls[call.call_id])
            case Results():
                for result in entry.results:
                    if result.call_id in calls:
                        calls[result.call_id] |= {"result": result.text, "failed": result.failed}
    return told
