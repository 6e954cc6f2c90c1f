"""The loop of every agent: ask the model, run the tools that it calls, tell it what they said, until it answers.

Called by the agents of this room. The history only grows, so that its beginning stays cached. All limits are asked in
one place before each turn. A tool's failure is an observation; a model that goes in circles is warned, then stopped.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from bot.agents.answers import Form, Unfit, read
from bot.agents.workbench import Workbench
from bot.decide.limits import Limits, Spent, is_last, most, reached
from bot.decide.loopguard import Circle, Failed, Made, circle, failed, made, same_error
from bot.errors import NoKey, OverCap, Stalled, Stopped, TriageError, Unreachable
from bot.models.session import Outcome, Session
from bot.models.turn import Call, Entry, Prompt, Result, Results, Said, ToolForm, Turn
from bot.tools.tool import schema_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.journal import Journal
    from bot.agents.ledger import Ledger
    from bot.ports import Clock, Model
    from bot.tools.tool import Tool

LAST_TURN = "This is your last turn. Call no more tools: give your answer now, with what you have."
CUT = "Your answer was cut at the length limit. Give the whole answer again, shorter."

_GRACE = 1.0
"""Seconds that a run may take longer than its limit, since its last call is given up by the edge first."""


@dataclass(frozen=True, kw_only=True)
class Task(Generic[Form]):
    """What one run is for. `prompt` and `tools` are the fixed prefix: the same for every run of an agent."""

    agent: str
    prompt: str
    question: str
    tools: Sequence[Tool]
    form: type[Form]
    """The pydantic model that the answer must fit."""
    limits: Limits
    tier: int = 1
    parent_session_id: str | None = None
    thread_id: str | None = None
    keep: Callable[[Run[Form]], Awaitable[None]] | None = None
    """Writes the run down, however it ended."""
    journal: Journal | None = None
    """Told of each turn and call as it happens."""


@dataclass(frozen=True, kw_only=True)
class Run(Generic[Form]):
    """What came of it. Without an answer, `session.outcome` and `session.reason` say why."""

    answer: Form | None
    session: Session
    history: tuple[Entry, ...]
    why: str = ""
    """Which guard stopped it, as `models/task.Abort` has it."""

    def found(self) -> Form:
        """The answer. Raises `TriageError` with the reason when there is none: no other engine takes its place."""
        if self.answer is None:
            said = f"the {self.session.agent} ended without an answer: {self.session.reason}"
            raise Stopped(said, why=self.why) if self.why else TriageError(said)
        return self.answer


@dataclass(frozen=True)
class _End(Generic[Form]):
    outcome: Outcome
    reason: str = ""
    answer: Form | None = None
    why: str = ""


@dataclass(kw_only=True)
class _Course(Generic[Form]):
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

    def say(self, entry: Said | Results) -> None:
        """Add to the history what the model has not read."""
        self.history.append(entry)
        texts = [entry.text] if isinstance(entry, Said) else [result.text for result in entry.results]
        self.new_bytes += sum(len(text.encode()) + 100 for text in texts)

    def hear(self, turn: Turn) -> None:
        """Add what the model said."""
        self.history.append(turn)
        self.last, self.new_bytes = turn, 0


@dataclass(frozen=True, kw_only=True)
class Loop:
    """Runs tasks on one model, any number at once."""

    model: Model
    ledger: Ledger
    clock: Clock
    new_id: Callable[[], str]

    async def run(self, task: Task[Form]) -> Run[Form]:
        """One run, within its limits. Raises `Unreachable`, `OverCap`, `NoKey` and what else a model's edge raises.

        However it ends, its session is saved, and it is written down.
        """
        course = self._course(task)
        try:
            async with asyncio.timeout(task.limits.seconds + _GRACE):
                end = await self._turns(course)
        except TimeoutError:
            course.session = self.ledger.lose(course.session, billed=True)
            end = _End("limit", f"it took longer than {task.limits.seconds:g} s", why="limit")
        except (Exception, asyncio.CancelledError) as problem:
            ours = isinstance(problem, TriageError)
            course.session = self.ledger.lose(course.session, billed=getattr(problem, "billed", not ours))
            await self._closed(course, _broken_off(problem))
            raise
        return await self._closed(course, end)

    async def _closed(self, course: _Course[Form], end: _End[Form]) -> Run[Form]:
        session = await self.ledger.close(course.session, end.outcome, end.reason)
        run = Run(answer=end.answer, session=session, history=tuple(course.history), why=end.why)
        if course.task.journal and end.outcome != "cancelled":  # the task's status says that already
            await course.task.journal.ended(session.outcome, session.reason)
        if course.task.keep:
            await course.task.keep(run)
        return run

    def _course(self, task: Task[Form]) -> _Course[Form]:
        now = self.clock.now()
        forms = tuple(ToolForm(name=tool.name, description=tool.description, schema=tool.schema) for tool in task.tools)
        fixed = json.dumps([task.prompt, schema_of(task.form), *(vars(form) for form in forms)])
        course = _Course(
            task=task,
            session=Session(
                session_id=f"{now:%Y%m%dT%H%M%S}-{self.new_id()}",
                agent=task.agent,
                tier=task.tier,
                model=self.model.name,
                parent_session_id=task.parent_session_id,
                thread_id=task.thread_id,
                started_at=now,
                saved_at=now,
            ),
            bench=Workbench(tools={tool.name: tool for tool in task.tools}, limits=task.limits),
            history=[Prompt(task.prompt)],
            forms=forms,
            new_bytes=len(fixed.encode()),
        )
        course.say(Said(task.question))
        return course

    async def _turns(self, course: _Course[Form]) -> _End[Form]:
        limits = course.task.limits
        while True:
            spent = self._spent(course)
            ahead = most(course.last.usage if course.last else None, course.new_bytes, self.model.max_output)
            price = self.ledger.price(self.model.name, ahead)
            if full := reached(limits, spent, ahead, price):
                if full.outcome == "over_cap":
                    raise OverCap(full.reason)
                return _End(full.outcome, full.reason, why=full.outcome)
            last = is_last(limits, spent, ahead, price)
            if last:
                course.say(Said(LAST_TURN))
            course.session = await self.ledger.hold(course.session, ahead)
            turn = await self.model.reply(
                tuple(course.history),
                course.forms,
                course.task.form,
                min(limits.idle_seconds, limits.seconds - spent.seconds),
            )
            course.session = self.ledger.book(course.session, turn)
            course.hear(turn)
            if course.task.journal:
                await course.task.journal.turn(turn)
            if end := await self._taken(course, turn, last=last):
                return end
            if last:
                return _End("limit", "it gave no answer in the last turn that its limits left it", why="limit")

    def _spent(self, course: _Course[Form]) -> Spent:
        session = course.session
        return Spent(
            turns=session.num_turns,
            seconds=(self.clock.now() - session.started_at).total_seconds(),
            tokens=session.usage.total,
            usd=session.cost_usd,
            tool_bytes=course.tool_bytes,
        )

    async def _taken(self, course: _Course[Form], turn: Turn, *, last: bool) -> _End[Form] | None:
        """What a turn leads to: the end, or the next turn."""
        match turn.stop:
            case "refused":
                return _End("refused", "the model refused to answer")
            case "full":
                return _End("limit", "what was said no longer fits into the model's window", why="limit")
            case "paused":
                return None
            case "calls":
                return None if last else await self._called(course, turn.calls)
            case "cut":
                if turn.calls:  # each call needs its result, and the last one's input may be half of it
                    course.say(Results(tuple(_not_run(call) for call in turn.calls)))
                return self._corrected(course, CUT, "was cut at the length limit")
            case "answered":
                try:
                    return _End("answered", answer=read(course.task.form, turn.text))
                except Unfit as problem:
                    ask = (
                        f"Your answer does not fit: {problem}. Answer again with one JSON object of the form asked for."
                    )
                    return self._corrected(course, ask, f"does not fit: {problem}")

    def _corrected(self, course: _Course[Form], ask: str, wrong: str) -> _End[Form] | None:
        """Ask for the answer again, so often."""
        course.corrections += 1
        if course.corrections > course.task.limits.corrections:
            return _End("unusable", f"the model's answer {wrong}, {course.corrections} times")
        course.say(Said(ask))
        return None

    async def _called(self, course: _Course[Form], calls: Sequence[Call]) -> _End[Form] | None:
        """Run the calls of a turn, unless they go in a circle."""
        wanted = [made(call.tool, call.input) for call in calls]
        found: list[Circle] = []
        for call in wanted:
            course.calls.append(call)
            if noticed := circle(course.calls):
                found.append(noticed)
        if stop := next((noticed for noticed in found if noticed.stop), None):
            return _End("loop", f"the model went in a circle: {stop.reason}", why=stop.why)
        idle = course.task.limits.idle_seconds
        try:
            async with asyncio.timeout(idle):
                results = await course.bench.run(calls, bytes_left=course.task.limits.tool_bytes - course.tool_bytes)
        except TimeoutError:
            silent = " and ".join(dict.fromkeys(call.tool for call in calls))
            return _End("stalled", str(Stalled(f"{silent} did not come back", seconds=idle)), why="stalled")
        if course.task.journal:
            await course.task.journal.results(calls, results)
        course.session = course.session.called(len(calls), course.bench.failed(calls, results))
        course.tool_bytes += sum(len(result.text.encode()) for result in results)
        course.say(Results(results))
        for call, result in zip(wanted, results, strict=True):
            if result.failed:
                course.errors.append(failed(call, result.text))
                if noticed := same_error(course.errors):
                    return _End("loop", f"the model went in a circle: {noticed.reason}", why=noticed.why)
        if found:
            course.say(Said(f"You are going in a circle: {found[-1].reason}. Try something else, or answer."))
        return None


def _not_run(call: Call) -> Result:
    return Result(call_id=call.call_id, text="not run: the turn was cut at the length limit", failed=True)


def _broken_off(problem: BaseException) -> _End[Any]:
    match problem:
        case Stalled():
            return _End("stalled", str(problem))
        case Unreachable():
            return _End("unreachable", str(problem))
        case OverCap():
            return _End("over_cap", str(problem))
        case NoKey():
            return _End("no_key", str(problem))
        case TriageError():
            return _End("failed", str(problem))
        case asyncio.CancelledError():
            return _End("cancelled", "it was called off")
        case _:
            return _End("failed", f"it broke ({type(problem).__name__})")
