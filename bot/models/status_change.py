"""A change of a thread's status: part of its document."""

from __future__ import annotations

from datetime import datetime

from bot.models.fact import Fact


class StatusChange(Fact):
    """One line of the history: when, from which status (`new` at first), to which."""

    at: datetime
    previous: str
    next: str
