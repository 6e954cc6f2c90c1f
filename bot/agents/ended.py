"""The end of a run without an answer, as the agents of this room hand it on: a reason, and what the run took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from bot.agents.answers import Form
    from bot.agents.loop import Run
    from bot.models.ran import Ran


class Ended(TriageError):
    """A run ended without a usable answer. The message says why; no other engine takes its place."""

    def __init__(self, message: str, ran: Ran) -> None:
        super().__init__(message)
        self.ran = ran


def answer_of(run: Run[Form]) -> Form:
    """The answer of a run. Raises `Ended`."""
    if run.answer is None:
        raise Ended(f"the {run.session.agent} ended without an answer: {run.session.reason}", run.session.ran())
    return run.answer
