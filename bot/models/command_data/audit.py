"""Data of `audit`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class AuditEntryData(Fact):
    """What a person did or tried."""

    at: UtcTime
    user: str | None
    """`None` where the request named nobody."""
    action: str
    """Name of the command or button; of an unknown command as it was given."""
    called: str | None
    """Name that was given, if it was another one."""
    via: str | None
    """`slash`, `thread`, `chat`, `cli`, `home` or `emoji`; `None` for a press on a card."""
    channel: str | None
    """`None` for a terminal and the App Home."""
    thread_id: str | None
    input: dict[str, str]
    """Beginning of each field's value."""
    outcome: str
    """Outcome as in `outcome` above; of a press its result in words."""
    result: str | None
    """First line of the command's answer."""
    was_executed: bool
    """False for a call or request that was turned down before any command saw it."""


class AuditData(Fact):
    """Commands and presses, the newest first."""

    since: UtcTime
    before: UtcTime
    entries: tuple[AuditEntryData, ...]
    has_more: bool
    """True if there are older ones within the time; the last of `rows` has the call that lists them."""
    read_back_to: UtcTime | None
    """Time of the oldest record that was read, if not all of the time was searched."""
