"""Waiting state of a question in the backlog: part of a thread's document."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

Level = Literal["user", "channel", "workspace"]


class Waiting(Fact):
    """The reason why a complete question is not investigated yet: a rate limit."""

    level: Level
    """The limit it waits for: its asker's, its channel's, or the workspace's."""
    ahead: int
    """The number of questions ahead when it was added to the backlog."""
