"""State of a run in progress, its start, and its possible ends."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic

from bot.agents.answers import Form, InvalidAnswer, Parsed, choose_rival, is_prose, parse_answer, response_form
from bot.agents.tool_runner import ToolRunner
from bot.decide.turn_plan import Conversation, measure_bytes_per_token
from bot.errors import NoKey, OverCap, Stalled, TriageError, Unreachable
from bot.models.model_request import ModelRequest
from bot.models.session import Session
from bot.models.turn import CodeMessage, Prompt, Recalled, Result, Results, ToolForm, Turn, Usage
from bot.tools.tool import schema_of

if TYPE_CHECKING:
    from datetime import datetime

    from bot.agents.run import Task
    from bot.decide.loopguard import CallSignature, Circle, Failed
    from bot.models.session import Outcome
    from bot.models.turn import Call, Entry
    from bot.ports.outbound import Model
    from bot.tools.tool import Tool

LAST_TURN = "This is your last turn. Call no more tools: give your answer now, with what you have."
RESULT_FRAMING = 100
"""Bytes around each text in the request."""
ANSWER_NOW = "answer now, with what you have"
"""Reason why a call of the last turn is not run."""


@dataclass(frozen=True)
class End(Generic[Form]):
    """End of a run. `why` names the guard that stopped it, as in `models/task.Abort`."""

    outcome: Outcome
    reason: str = ""
    answer: Form | None = None
    why: str = ""


@dataclass(kw_only=True)
class RunState(Generic[Form]):
    """State of a run in progress."""

    task: Task[Form]
    session: Session
    tool_runner: ToolRunner
    history: list[Entry]
    forms: tuple[ToolForm, ...]
    conversation: Conversation
    requested_at: datetime
    """Start of the last call that brought a turn."""
    last_limit: str = ""
    """Limit that made the last turn the last; empty before it."""
    has_refused_calls: bool = False
    """True once calls of the last turn, or of a circle before it, were answered with `ANSWER_NOW`."""
    circle: Circle | None = None
    """Circle that made the last turn the last."""
    failures: list[str] = field(default_factory=list)
    """Temporary failures of the model's server since its last turn."""
    broken_texts: list[str] = field(default_factory=list)
    """Texts of answers that broke off, each once."""
    uncounted_tokens: int = 0
    """Estimated tokens of turns that the server did not count."""
    tool_bytes: int = 0
    corrections: int = 0
    calls: list[CallSignature] = field(default_factory=list)
    errors: list[Failed] = field(default_factory=list)
    held: Parsed[Form] | None = None
    """Newest answer that fits its form: it counts if the run ends before a better one."""
    is_checked: bool = False
    """True once an answer was checked within the run."""

    def to_request(self, *, seconds: float, max_output: int) -> ModelRequest:
        """Return the request of the next turn, which may take so many seconds and tokens."""
        return ModelRequest(
            history=tuple(self.history),
            tools=self.forms,
            form=response_form(self.task.form),
            seconds=seconds,
            idle_seconds=self.task.limits.idle_seconds,
            max_output=max_output,
        )

    def add_entry(self, entry: CodeMessage | Recalled | Results) -> None:
        """Add an entry that the model has not read yet."""
        self.history.append(entry)
        texts = [result.text for result in entry.results] if isinstance(entry, Results) else [entry.text]
        new_bytes = self.conversation.new_bytes + sum(len(text.encode()) + RESULT_FRAMING for text in texts)
        self.conversation = replace(self.conversation, new_bytes=new_bytes)

    def add_turn(self, turn: Turn, reading: Usage, requested_at: datetime) -> None:
        """Add the model's turn; in a conversation, text beside calls is left out, unless the turn has thoughts.

        `reading` is the estimate of its use, which counts where the server reports none.
        """
        self.history.append(turn.without_words() if turn.calls and is_prose(self.task.form) else turn)
        self.failures, self.requested_at = [], requested_at
        before, usage = self.conversation, turn.usage
        if not turn.has_usage:
            usage = reading.evolve(output_tokens=max(usage.output_tokens, len(json.dumps(turn.content)) // 3))
            self.uncounted_tokens += usage.total - turn.usage.total
        self.conversation = replace(
            before,
            last=usage,
            new_bytes=0,
            bytes_per_token=measure_bytes_per_token(before.bytes_per_token, before.new_bytes, before.last, turn.usage),
            longest_output=max(before.longest_output, usage.output_tokens),
        )

    def begin_last_turn(self, limit: str, circle: Circle | None = None) -> None:
        """Tell the model that its turn is the last, because of this limit or circle."""
        self.last_limit, self.circle, self.has_refused_calls = limit, circle, circle is not None
        self.add_entry(CodeMessage(f"You are going in a circle: {circle.reason}. {LAST_TURN}" if circle else LAST_TURN))

    def end_without_answer(self) -> End[Form]:
        """Return the end of a run whose last turn brought no answer."""
        if self.circle:
            return end_in_circle(self.circle)
        reason = f"it gave no answer in the last turn within its limits ({self.last_limit})"
        return End("limit", reason, why="limit")

    def may_run(self, call: Call) -> bool:
        """Return whether a call is run: in the last turn only one that closes the task."""
        tool = self.tool_runner.tools.get(call.tool)
        return not self.last_limit or (tool is not None and tool.is_closing)

    def add_loaded_tools(self) -> None:
        """Tell the model about the tools that its calls have loaded; those that it knows keep their order."""
        known = {form.name for form in self.forms}
        new = tuple(_form(tool) for tool in self.task.loaded() if tool.name not in known)
        self.forms += new
        new_bytes = self.conversation.new_bytes + sum(len(json.dumps(vars(form)).encode()) for form in new)
        self.conversation = replace(self.conversation, new_bytes=new_bytes)

    def hold_answer_beside_calls(self, turn: Turn) -> None:
        """Hold an answer that the model wrote beside calls: it counts if the run ends without a later one."""
        if not is_prose(self.task.form):
            with suppress(InvalidAnswer):
                self.held = parse_answer(self.task.form, turn.text, self.task.shorten)

    def settle(self, end: End[Form]) -> End[Form]:
        """Return the end of the run, with the answer that it holds where a correction of it brought no other."""
        if self.held is None or end.answer is not None:
            return end
        self.held = choose_rival(self.held, self.task.choose)
        return End("answered", answer=self.held.answer)


def start_run(task: Task[Form], *, model: Model, now: datetime, new_id: str) -> RunState[Form]:
    """Start a run: the fixed prefix, earlier messages, the question."""
    forms = tuple(map(_form, task.tools))
    history: list[Entry] = [*task.goes_on] or [Prompt(text) for text in (task.prompt, task.situation) if text]
    fixed = [*map(_entry_content, history), schema_of(task.form), *(vars(form) for form in forms)]
    state = RunState(
        task=task,
        session=Session(
            session_id=task.session_id or f"{now:%Y%m%dT%H%M%S}-{new_id}",
            agent=task.agent,
            tier=task.tier,
            model=model.name,
            parent_session_id=task.parent_session_id,
            thread_id=task.thread_id,
            started_at=now,
            saved_at=now,
        ),
        tool_runner=ToolRunner(tools={tool.name: tool for tool in (*task.withheld, *task.tools)}, limits=task.limits),
        history=history,
        forms=forms,
        conversation=Conversation(new_bytes=len(json.dumps(fixed).encode()), max_output=model.max_output),
        requested_at=now,
    )
    if task.goes_on:
        last = task.goes_on[-1]
        if isinstance(last, Turn) and last.calls:  # each call needs its result
            state.add_entry(Results(tuple(not_run(call, "the run before was ended") for call in last.calls)))
    for line in () if task.goes_on else task.earlier:
        state.add_entry(CodeMessage(line.content) if line.role == "user" else Recalled(line.content))
    state.add_entry(CodeMessage(task.question))
    return state


def _form(tool: Tool) -> ToolForm:
    return ToolForm(name=tool.name, description=tool.description, schema=tool.schema)


def _entry_content(entry: Entry) -> Any:
    """Return the content of an entry as the model reads it, to count bytes."""
    match entry:
        case Turn(content=content):
            return content
        case Results(results=results):
            return [result.text for result in results]
        case _:
            return entry.text


def end_in_circle(circle: Circle) -> End[Any]:
    """Return the end of the run of a model that goes in a circle."""
    return End("loop", f"the model went in a circle: {circle.reason}", why=circle.why)


def not_run(call: Call, why: str) -> Result:
    """Return the result of a call that is not run."""
    return Result(call_id=call.call_id, text=f"not run: {why}", was_run=False)


def broken_off(problem: BaseException) -> End[Any]:
    """Return the end of a run that raised an error."""
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
            return End("failed", f"it failed ({type(problem).__name__})")
