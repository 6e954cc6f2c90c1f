"""A question's place in the line of those that wait for their turn: part of a thread's document."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

Level = Literal["user", "channel", "workspace"]


class Waiting(Fact):
    """Why a complete question is not investigated yet: more was asked than is taken at once."""

    level: Level
    """Whose questions stand before it: those of its asker, of its channel, or all."""
    ahead: int
    """How many of them there were when it was put in the line."""
