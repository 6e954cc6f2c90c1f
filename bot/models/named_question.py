"""Question of a person, as they may refer to it in a message to the bot."""

from __future__ import annotations

from bot.models.fact import Fact


class OwnQuestion(Fact):
    """An open question: its thread, and its words for a list."""

    home: str
    text: str
