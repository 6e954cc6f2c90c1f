"""The asker's words that end a question or acknowledge its answer, as its document has them; what is remembered of a
closed one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.message import Ts

SettledBy = Literal["said", "edited", "struck", "marked"]
"""A message; an edit that says so, or that strikes the question out; a reaction."""


class SettledWord(Fact):
    """Who said so, by what, and whose answer stood before it."""

    at: datetime
    by: str
    message_id: Ts
    """The message that says so, or that was edited or marked."""
    text: str
    """The sentence, clipped; of a reaction its emoji."""
    how: SettledBy = "said"
    answered_by: str | None = None
    """The colleague whose message may be the answer."""
    answer_id: Ts | None = None
    """That message."""


class Acknowledgement(Fact):
    """The asker's word that a posted reply served, or their check mark."""

    at: datetime
    by: str
    message_id: Ts
    """The message that says so, or that was marked."""
    question_round: int
    """Which question of the thread the reply answers."""
    reply: Ts | None = None
    """The reply; `None` where it was found by its operator alone."""
    draft_id: str = ""


class Denial(Acknowledgement):
    """Somebody's word below a posted reply that it did not serve: the asker's, or of another whom it fails too."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What is remembered of a closed thread whose card stands as it should: who asked."""

    thread_id: str
    original_sender_id: str
