"""Settlement: the asker's words that end a question or confirm its answer, and the summary of a closed thread."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.models.alert import AlertRecord  # noqa: TC001  # pydantic looks up what this module's models name
from bot.models.fact import Fact
from bot.models.message import Ts

SettledBy = Literal["said", "edited", "struck", "marked"]
"""The medium: a message; an edit that says so, or that strikes the question out; a reaction."""


class SettledWord(Fact):
    """The asker's statement that the question is settled."""

    at: datetime
    by: str
    message_id: Ts
    """The message that says so, or that was edited or reacted to."""
    text: str
    """The sentence, shortened; for a reaction its emoji."""
    how: SettledBy = "said"
    answered_by: str | None = None
    """The colleague whose message may be the answer."""
    answer_id: Ts | None = None
    """That message."""


class Acknowledgement(Fact):
    """The asker's confirmation that a posted reply helped, in words or by a reaction."""

    at: datetime
    by: str
    message_id: Ts
    """The message that says so, or that was reacted to."""
    question_round: int
    """Number of the question in the thread that the reply answers."""
    reply: Ts | None = None
    """The reply; `None` if an operator found it by hand."""
    draft_id: str = ""


class Denial(Acknowledgement):
    """A statement below a posted reply that it did not help, by the asker or somebody with the same problem."""


@dataclass(frozen=True, slots=True)
class ClosedThread:
    """Summary of a closed thread without outstanding work: its id and its asker."""

    thread_id: str
    original_sender_id: str
    alert: AlertRecord | None = None
    """The alert that it was opened for."""
    ended_at: datetime | None = None
    """Time of its end, for a thread of an alert."""
