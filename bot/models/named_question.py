"""A question of somebody's own, as they may name it in what they say to the bot."""

from __future__ import annotations

from bot.models.fact import Fact


class OwnQuestion(Fact):
    """An open question: its thread, and its asker's words as a list may show them."""

    home: str
    text: str
