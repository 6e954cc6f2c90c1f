"""Restart order: on disk before the process drains, so that the next one says that the restart is done."""

from __future__ import annotations

from datetime import datetime

from bot.models.fact import Fact
from bot.models.interaction import Asker
from bot.models.pending_command import Confirmation


class RestartOrder(Fact):
    """Order of one restart."""

    at: datetime
    asker: Asker
    """The admin who confirmed it."""
    confirmation: Confirmation | None = None
    """The confirmation, whose message says how it went; `None` for an order from a terminal."""
