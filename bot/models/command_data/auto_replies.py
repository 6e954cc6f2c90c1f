"""Data of `autoreply`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class ConsentData(Fact):
    """A channel in which replies may go out without a press."""

    channel: str
    by: str
    at: UtcTime


class GateData(Fact):
    """Gate of one pool, with the figures that decide it."""

    project: str
    kind: str
    validator: str
    """Model of the validator."""
    is_open: bool
    cases: int
    """Judged drafts of the four weeks."""
    false_passes: int
    bound: float
    """Upper bound of the share of false passes over the four weeks, one-sided, 95 %."""
    bound_now: float
    """The same with the present week."""
    missing: int
    """Further cases that it needs at least."""


class AutoReplyData(Fact):
    """Channels and gates of automatic replies."""

    channels: tuple[ConsentData, ...]
    gates: tuple[GateData, ...]
