"""Delivery events: the result of posting an approved reply to Slack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted(TimedEvent):
    """The reply was posted in the thread."""

    ts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundReplied(TimedEvent):
    """A thread rebuilt from the journals already had its reply."""

    ts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PostFailed(TimedEvent):
    """Slack refused the reply permanently: nothing was posted."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DoubtfulPost(TimedEvent):
    """The reply may or may not have been accepted; `settle_at` is the time to look for it."""

    settle_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class NotFound(TimedEvent):
    """The reply was looked for after a doubtful post, and not found."""

    is_unread: bool = False
    """True if Slack did not let the thread be read, so that the reply may be there after all."""
