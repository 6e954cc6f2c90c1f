"""Baseline: how long people waited for an answer before Triage came, and the same measure since (spec 1, AC-10)."""

from __future__ import annotations

from datetime import datetime

from pydantic import NonNegativeInt

from bot.models.fact import Fact


class ChannelTimes(Fact):
    """Times from a question to its first answer by another person, in one channel."""

    channel: str
    name: str
    seconds: tuple[NonNegativeInt, ...]
    """Ascending; of the answered questions."""
    unanswered: NonNegativeInt
    """Questions without an answer within the longest wait that counts."""


class Baseline(Fact):
    """Times of a period. Questions are found by the present classifier, whatever it was at that time."""

    source: str
    """An export's name, or `slack` for the channels' own history."""
    classifier: str
    """Version of the classifier."""
    since: datetime
    """Time of the first message."""
    until: datetime
    """Time of the last one."""
    channels: tuple[ChannelTimes, ...]

    @property
    def seconds(self) -> tuple[int, ...]:
        """Return the times of all channels, ascending."""
        return tuple(sorted(each for channel in self.channels for each in channel.seconds))

    @property
    def unanswered(self) -> int:
        """Return the number of unanswered questions of all channels."""
        return sum(channel.unanswered for channel in self.channels)
