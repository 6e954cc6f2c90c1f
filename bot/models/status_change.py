"""Change of a thread's status: part of its document."""

from __future__ import annotations

from datetime import datetime

from bot.models.fact import Fact


class StatusChange(Fact):
    """One entry of the history: the time, the previous status (`new` at first) and the next."""

    at: datetime
    previous: str
    next: str
