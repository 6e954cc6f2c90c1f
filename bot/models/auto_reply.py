"""Automatic replies: an admin's consent for a channel, the approval by code, and each reply that went out by it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import ValidationError

from bot.models.button_press import read_button_press
from bot.models.fact import Fact
from bot.models.judged_draft import JudgedDraft, Pool
from bot.models.message import SlackId, Ts
from bot.models.presses import TimedEvent
from bot.models.thread_id import THREAD_ID, ThreadId

AutoReplyAction = Literal["take_back", "is_right"]
_VALUE = re.compile(rf"(?P<draft_id>(?P<thread_id>{THREAD_ID.strip('^$')})/\d{{1,6}})")


class Consent(Fact):
    """An admin's press by which automatic replies are on in a channel."""

    by: SlackId
    at: datetime
    shown: tuple[str, ...]
    """The figures that the confirmation showed, as mrkdwn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoApproval(TimedEvent):
    """Approval of a draft by code, on figures alone. It holds for the document that was looked at, and no later one."""

    by: str
    """The bot's own user."""
    draft_id: str
    version: int
    """`version` of that document."""
    figures: str
    """The figures that opened the gate, as a sentence."""


class AutoReply(Fact):
    """A reply that goes out without a press; saved before its approval, until nothing is left to do about it."""

    thread_id: ThreadId
    draft_id: str
    chat_id: SlackId
    operator: SlackId
    approved_at: datetime
    case: JudgedDraft
    """The draft as the maturity gate would count it if a person confirmed it."""
    figures: str
    is_audited: bool = False
    ts: Ts | None = None
    """The posted reply."""
    notice: str = ""
    """Channel and ts of the operator's notice, separated by a space; empty before it is posted."""
    judgement: AutoReplyAction | None = None
    judged_by: str | None = None
    judged_at: datetime | None = None
    removal: Literal["deleted", "corrected"] | None = None
    """What became of a reply that was taken back."""

    @property
    def is_under_way(self) -> bool:
        """Return whether its notice is not posted, or the reply not taken back yet as somebody pressed."""
        return not self.notice or (self.judgement == "take_back" and self.removal is None)


class GateRecord(Fact):
    """State of a pool's gate as people were last told, so that each change is told once."""

    pool: Pool
    is_open: bool
    at: datetime
    reason: str
    told: tuple[str, ...] = ()
    """The people who were told of this change."""
    is_told: bool = True


class AutoReplyPress(Fact):
    """A press on a button of the notice of an automatic reply."""

    interaction_id: str
    """Identical for every delivery of it."""
    team_id: SlackId
    user_id: SlackId
    channel_id: SlackId
    action: AutoReplyAction
    thread_id: ThreadId
    draft_id: str


def read_auto_reply_press(body: dict[str, Any]) -> AutoReplyPress | None:
    """Parse a press in a `block_actions` payload; `None` for other buttons."""
    try:
        named = _VALUE.fullmatch(body["actions"][0]["value"])
        return named and AutoReplyPress(**read_button_press(body), **named.groupdict())
    except (KeyError, IndexError, TypeError, ValidationError):
        return None
