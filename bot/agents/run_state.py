"""How far a run has come, how it begins, and how it can end. Made and moved on by `agents/loop` alone."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from bot.agents.answers import Form, is_prose
from bot.agents.tool_runner import Workbench
from bot.errors import NoKey, OverCap, Stalled, TriageError, Unreachable
from bot.models.session import Session
from bot.models.turn import CodeMessage, Prompt, Recalled, Result, Results, ToolForm, Turn
from bot.tools.tool import schema_of

if TYPE_CHECKING:
    from datetime import datetime

    from bot.agents.loop import Task
    from bot.decide.loopguard import Failed, Made
    from bot.models.session import Outcome
    from bot.models.turn import Call, Entry


@dataclass(frozen=True)
class End(Generic[Form]):
    """How a run ended. `why` names the guard that stopped it, as `models/task.Abort` has it."""

    outcome: Outcome
    reason: str = ""
    answer: Form | None = None
    why: str = ""


@dataclass(kw_only=True)
class Course(Generic[Form]):
    """How far a run has come."""

    task: Task[Form]
    session: Session
    bench: Workbench
    history: list[Entry]
    forms: tuple[ToolForm, ...]
    new_bytes: int
    """Bytes of what was said since the last turn."""
    last: Turn | None = None
    tool_bytes: int = 0
    corrections: int = 0
    calls: list[Made] = field(default_factory=list)
    errors: list[Failed] = field(default_factory=list)

    def say(self, entry: CodeMessage | Recalled | Results) -> None:
        """Add to the history what the model has not read."""
        self.history.append(entry)
        texts = [result.text for result in entry.results] if isinstance(entry, Results) else [entry.text]
        self.new_bytes += sum(len(text.encode()) + 100 for text in texts)

    def hear(self, turn: Turn) -> None:
        """Add what the model said; in a talk what it says beside its calls is no part of it, and is left out."""
        self.history.append(turn.without_words() if turn.calls and is_prose(self.task.form) else turn)
        self.last, self.new_bytes = turn, 0


def begun(task: Task[Form], *, model: str, now: datetime, new_id: str) -> Course[Form]:
    """The beginning of a run: the fixed prefix, what was said before, the question."""
    forms = tuple(ToolForm(name=tool.name, description=tool.description, schema=tool.schema) for tool in task.tools)
    history: list[Entry] = [*task.goes_on] or [Prompt(text) for text in (task.prompt, task.situation) if text]
    fixed = [*map(_words, history), schema_of(task.form), *(vars(form) for form in forms)]
    course = Course(
        task=task,
        session=Session(
            session_id=f"{now:%Y%m%dT%H%M%S}-{new_id}",
            agent=task.agent,
            tier=task.tier,
            model=model,
            parent_session_id=task.parent_session_id,
            thread_id=task.thread_id,
            started_at=now,
            saved_at=now,
        ),
        bench=Workbench(tools={tool.name: tool for tool in (*task.withheld, *task.tools)}, limits=task.limits),
        history=history,
        forms=forms,
        new_bytes=len(json.dumps(fixed).encode()),
    )
    if task.goes_on:
        last = task.goes_on[-1]
        if isinstance(last, Turn) and last.calls:  # each call needs its result
            course.say(Results(tuple(not_run(call, "the run before was ended") for call in last.calls)))
    for line in () if task.goes_on else task.earlier:
        course.say(CodeMessage(line.content) if line.role == "user" else Recalled(line.content))
    course.say(CodeMessage(task.question))
    return course


def _words(entry: Entry) -> Any:
    """What a model reads of an entry, for counting."""
    match entry:
        case Turn(content=content):
            return content
        case Results(results=results):
            return [result.text for result in results]
        case _:
            return entry.text


def not_run(call: Call, why: str) -> Result:
    """What becomes of a call that is not made."""
    return Result(call_id=call.call_id, text=f"not run: {why}", failed=True)


def broken_off(problem: BaseException) -> End[Any]:
    """How a run ends by an error."""
    match problem:
        case Stalled():
            return End("stalled", str(problem))
        case Unreachable():
            return End("unreachable", str(problem))
        case OverCap():
            return End("over_cap", str(problem))
        case NoKey():
            return End("no_key", str(problem))
        case TriageError():
            return End("failed", str(problem))
        case asyncio.CancelledError():
            return End("cancelled", "it was called off")
        case _:
            return End("failed", f"it broke ({type(problem).__name__})")
