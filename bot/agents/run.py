"""Run of an agent: its task, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from bot.agents.answers import Form
from bot.agents.unchecked_notes import find_best_text
from bot.decide.limits import NOTHING_SPENT, RunLimits, Spent
from bot.errors import Stopped, TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from bot.agents.journal import RunLog
    from bot.models.answer_change import AnswerChange
    from bot.models.conversation import ChatLine
    from bot.models.session import Session
    from bot.models.turn import Call, Entry
    from bot.tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class Task(Generic[Form]):
    """Input of one run. `prompt` and `tools` are the fixed prefix: the same for every run of an agent."""

    agent: str
    prompt: str
    question: str
    tools: Sequence[Tool]
    form: type[Form]
    """Pydantic model of the answer; `Prose` accepts any text."""
    limits: RunLimits
    withheld: Sequence[Tool] = ()
    """Tools that the model is not told about; if it calls one anyway, the tool's answer explains why."""
    situation: str = ""
    """Text for this run alone; it follows the prompt, so that the prompt stays cached."""
    earlier: Sequence[ChatLine] = ()
    """Messages before the question, in order, a user's line first and an assistant's last."""
    goes_on: Sequence[Entry] = ()
    """History of an interrupted run with the same tools; it replaces the prompt and `earlier`."""
    spent: Spent = NOTHING_SPENT
    """Use of the same limits by previous runs."""
    tier: int = 1
    session_id: str | None = None
    """Id of its session; `None` for a new one."""
    parent_session_id: str | None = None
    thread_id: str | None = None
    keep: Callable[[Run[Form]], Awaitable[None]] | None = None
    """Callback that saves the run, however it ended."""
    journal: RunLog | None = None
    """Journal of turns and calls."""
    before_turn: Callable[[Session], Awaitable[Sequence[str]]] | None = None
    """Callback before each call of the model, with the session so far: its texts join the conversation."""
    on_calls: Callable[[Sequence[Call]], None] | None = None
    """Callback with the calls of each turn, before any of them is run; some may not be."""
    shorten: Callable[[dict[str, Any]], list[AnswerChange]] | None = None
    """Callback that shortens an answer's JSON object where only its length breaks the form."""
    check: Callable[[Form, Sequence[AnswerChange]], Awaitable[str]] | None = None
    """Check of an answer, with the changes by code, before the run closes: its text, if any, goes back to the model,
    once in a run."""
    choose: Callable[[Sequence[Form]], Form] | None = None
    """Choice of the answer that counts, where a text has several that differ; the first one without it."""
    loaded: Callable[[], Sequence[Tool]] = tuple
    """Tools of `withheld` that its calls have loaded: the model is told about them from the next turn on."""
    is_closed: Callable[[], bool] = bool
    """Predicate: true if the last turn's calls complete the task, so that the model is not asked again."""


@dataclass(frozen=True, kw_only=True)
class Continued:
    """Run that a process goes on with: the id of its session, and what the processes before it spent."""

    session_id: str
    spent: Spent = NOTHING_SPENT


@dataclass(frozen=True, kw_only=True)
class Run(Generic[Form]):
    """Result of a run. Without an answer, `session.outcome` and `session.reason` explain why."""

    answer: Form | None
    session: Session
    history: tuple[Entry, ...]
    broken_texts: tuple[str, ...] = ()
    """Texts of answers that broke off, for people only."""
    changes: tuple[AnswerChange, ...] = ()
    """Changes by code to the model's answer."""
    why: str = ""
    """Guard that stopped the run, as in `models/task.Abort`."""
    spent: Spent = NOTHING_SPENT
    """Use of its limits, including the runs that it continues."""

    @property
    def unchecked_notes(self) -> str:
        """Return the best text of a run without an answer, for people only."""
        return find_best_text(self.history) if self.answer is None else ""

    def get_answer(self) -> Form:
        """Return the answer. Raises `TriageError` with the reason, and with the best text, when there is none."""
        if self.answer is not None:
            return self.answer
        reason = f"the {self.session.agent} ended without an answer: {self.session.reason}"
        problem = Stopped(reason, why=self.why) if self.why else TriageError(reason)
        problem.unchecked_notes = self.unchecked_notes
        raise problem
