"""Events of the supervisor, recorded in the system log (`bot.adapters.logs`)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.session import SessionId
    from bot.models.system_event import EventLevel

log = logging.getLogger(__name__)

STARTED = "%d threads and %d turns of conversations are open, %d happenings were recovered"
"""Message that the log has once for each start of the bot."""

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "critical": logging.CRITICAL}


def record_event(level: EventLevel, session: SessionId | None, message: str) -> None:
    """Record an event of this session; `/triage events` and the App Home show it."""
    log.log(_LEVELS[level], "%s", message, extra={"session": session})
