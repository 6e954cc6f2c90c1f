"""What tier 0 says of a message (spec 1, 3.2): made by `decide/classifier`, kept in `events-classified.ndjson`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.models.fact import Fact

Class = Literal["actionable", "ambient", "ack"]


class Reason(Fact):
    """A feature that fired, or the rule that settled the class."""

    feature: str
    weight: float
    """What it counts towards *actionable*; for an ack told by its weights, towards *ack*."""


class Classification(Fact):
    """The fields that are added to a classified message."""

    is_bot_mention: bool
    is_question: bool
    is_ack_or_emoji: bool
    is_internal_chatter: bool
    mentions_thread_with_inflight: bool
    classification: Class
    classifier_confidence: float = Field(ge=0, le=1)
    classifier_version: str
    classified_at: datetime
    reasons: tuple[Reason, ...] = ()
    """The weightiest first."""
    wants: bool = Field(default=False, exclude=True)
    """It asks on its author's behalf, by its words; the reasons tell it of a record."""
