"""What settles a question: its asker's word, as part of its document; what is remembered of a closed one."""

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


@dataclass(frozen=True, slots=True)
class Settled:
    """What is remembered of a closed thread whose card stands as it should: who asked."""

    thread_id: str
    original_sender_id: str
