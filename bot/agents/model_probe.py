"""Probe of a model: a question, a long answer, a tool call and a form, as the agents ask them.

Each is a run of the agent loop, so that its cost is reserved and booked. Nothing of a project is sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Literal

from pydantic import BaseModel, Field

from bot.agents.answers import Form, Prose
from bot.agents.run import Task
from bot.decide.limits import RunLimits
from bot.errors import NoKey, OverCap, Stalled, Stopped, TriageError, Unreachable
from bot.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from bot.agents.loop import Loop
    from bot.models.model_request import ModelRequest
    from bot.models.turn import Turn
    from bot.ports.outbound import Model

ProbeName = Literal["question", "stream", "tool call", "form"]
NUMBER = "7351"
"""Number that only the tool tells."""
_PROMPT = "You are tested for your use in a program. Do exactly the task, and add nothing."
_LIMITS = RunLimits(turns=4, corrections=1)
_LEAST_SECONDS = 5.0
"""Seconds without which a probe is not begun."""
_SILENT = 2
"""Probes in a row without an answer that end the check."""


class LimitInput(BaseModel):
    """Input of the tool."""

    name: str = Field(description="Name of the limit.")


class ProbeForm(BaseModel):
    """Form of the answer."""

    limit: int = Field(ge=0)
    file: str
    is_default: bool


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """Result of one probe: `problem` is the reason of a failure, else `None`."""

    name: ProbeName
    turns: tuple[Turn, ...] = ()
    calls: int = 0
    """Number of calls that may be billed."""
    problem: TriageError | None = None
    not_done: str = ""
    """Reason why it has neither an answer nor a failure; empty if it has one."""


@dataclass(frozen=True)
class _Probe(Generic[Form]):
    name: ProbeName
    question: str
    form: type[Form]
    has_tool: bool = False

    def find_fault(self, answer: Form, calls: Sequence[str]) -> str:
        """Return the fault of an answer; empty for a right one."""
        if self.has_tool and not calls:
            return "the model did not call the tool"
        if self.has_tool and NUMBER not in str(getattr(answer, "text", "")):
            return "the model called the tool, and did not use its result"
        if isinstance(answer, Prose) and not answer.text:
            return "the answer is empty"
        return ""

    async def run(self, loop: Loop, limits: RunLimits) -> ProbeResult:
        """Run the probe."""
        model, calls = _RecordingModel(loop.model), list[str]()

        async def read_limit(given: LimitInput) -> str:
            calls.append(given.name)
            return f"limit of {given.name}: {NUMBER}"

        tool = Tool(name="read_limit", description="Read a limit.", input=LimitInput, run=read_limit)
        task = Task(
            agent="doctor",
            prompt=_PROMPT,
            question=self.question,
            tools=(tool,) if self.has_tool else (),
            form=self.form,
            limits=limits,
        )
        problem: TriageError | None = None
        try:
            run = await replace(loop, model=model).run(task)
            if wrong := self.find_fault(run.get_answer(), calls):
                problem = TriageError(wrong)
        except TriageError as raised:
            problem = raised
            if isinstance(raised, Unreachable):
                raised.temporary = model.has_failed_for_now
        return ProbeResult(name=self.name, turns=tuple(model.turns), calls=model.calls, problem=problem)


PROBES: tuple[_Probe[Prose] | _Probe[ProbeForm], ...] = (
    _Probe("question", "Say the word pong.", Prose),
    _Probe("stream", "Count from 1 to 60, in digits, on one line.", Prose),
    _Probe(
        "tool call",
        "Call the tool `read_limit` with the name uploads, and say the number that it returns.",
        Prose,
        True,
    ),
    _Probe(
        "form", "The file app.py sets a limit of 12, which is the default. Give limit, file and is_default.", ProbeForm
    ),
)


@dataclass
class _RecordingModel:
    """Model (`Model`) that records its turns, and whose failures are none to wait for."""

    model: Model
    turns: list[Turn] = field(default_factory=list)
    calls: int = 0
    """Number of calls that may be billed."""
    has_failed_for_now: bool = False

    def __post_init__(self) -> None:
        self.name, self.max_output = self.model.name, self.model.max_output

    async def reply(self, request: ModelRequest) -> Turn:
        """Return the model's turn."""
        self.calls += 1
        try:
            turn = await self.model.reply(request)
        except Unreachable as problem:
            self.calls -= not problem.billed
            self.has_failed_for_now, problem.temporary = problem.temporary, False
            raise
        except TriageError:
            self.calls -= 1
            raise
        self.turns.append(turn)
        return turn


async def probe(
    loop: Loop, *, seconds: float, usd: float, all_seconds: float, number: int = len(PROBES)
) -> AsyncGenerator[ProbeResult]:
    """Yield a result for each of the first probes, asked within `seconds` and `usd` each, and `all_seconds` together.

    None is asked after a failure that the next one would share.
    """
    began, silent, reason = loop.clock.now(), 0, ""
    for planned in PROBES[:number]:
        left = all_seconds - (loop.clock.now() - began).total_seconds()
        if not reason and left < _LEAST_SECONDS:
            reason = f"the others took the {all_seconds:g} s of a model; use a faster one"
        if reason:
            yield ProbeResult(name=planned.name, not_done=f"not asked: {reason}")
            continue
        limit = min(seconds, left)
        result = await planned.run(loop, replace(_LIMITS, seconds=limit, idle_seconds=limit, usd=usd))
        yield result
        silent = silent + 1 if _is_silent(result.problem) else 0
        if _is_final(result) or silent == _SILENT:
            reason = "correct the failure above first"


def _is_silent(problem: TriageError | None) -> bool:
    return isinstance(problem, Unreachable) or (isinstance(problem, Stopped) and problem.why in ("limit", "stalled"))


def _is_final(result: ProbeResult) -> bool:
    """Return whether the model cannot be asked at all: for want of a key or money, or since its server is off."""
    if isinstance(result.problem, NoKey | OverCap):
        return True
    is_late = isinstance(result.problem, Stalled)
    return result.name == PROBES[0].name and isinstance(result.problem, Unreachable) and not is_late
