"""What became of an approved reply on its way to Slack. Part of the happenings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import Happened

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted(Happened):
    """The reply stands in the thread."""

    ts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundReplied(Happened):
    """A thread that is rebuilt from the journals had its reply already."""

    ts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PostFailed(Happened):
    """Slack refused the reply for good: nothing was posted."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DoubtfulPost(Happened):
    """The reply may or may not have been accepted; `settle_at` is when to look for it."""

    settle_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class NotFound(Happened):
    """After a doubtful post the reply was looked for, and not seen."""

    is_unread: bool = False
    """True if Slack did not let the thread be read, so that the reply may stand there all the same."""
