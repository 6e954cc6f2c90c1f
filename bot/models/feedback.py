"""Reader feedback on a posted reply: a thumb, and the reason for a thumb down.

Thumbs carry the draft's id, so that feedback belongs to its reply whatever happens to the thread later.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Literal

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.interaction import LONGEST_INPUT
from bot.models.message import SlackId, Ts
from bot.models.thread_id import THREAD_ID, ThreadId

Thumb = Literal["up", "down"]
Reason = Literal["wrong_source", "wrong_answer", "outdated"]

_DRAFT = rf"(?P<draft_id>(?P<thread_id>{THREAD_ID.strip('^$')})/\d{{1,6}})"
_VALUE = re.compile(rf"(?P<thumb>up|down) {_DRAFT}")
_REPLY = re.compile(rf"{_DRAFT} (?P<reply_ts>\d{{1,12}}\.\d{{1,9}})")


class ReaderFeedback(Fact):
    """Feedback of one reader on one reply."""

    interaction_id: str
    """Identical for every delivery of one press or dialog."""
    team_id: SlackId
    user_id: SlackId
    thread_id: ThreadId
    draft_id: str
    reply_ts: Ts


class Vote(ReaderFeedback):
    """A press on a thumb."""

    action: Literal["feedback"] = "feedback"
    channel_id: SlackId
    thumb: Thumb
    trigger_id: str
    """Slack's trigger, which opens one dialog within three seconds."""


class Complaint(ReaderFeedback):
    """A submission of the dialog behind a thumb down."""

    action: Literal["feedback_reason"] = "feedback_reason"
    reason: Reason | None
    text: str


def read_vote(body: dict[str, Any]) -> Vote | None:
    """Parse the thumb of a `block_actions` payload; `None` for other presses."""
    try:
        action = body["actions"][0]
        named = _VALUE.fullmatch(action["value"]) if action["action_id"] == "feedback" else None
        return named and Vote(
            interaction_id=f"{body['user']['id']}-feedback-{action['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            channel_id=body["channel"]["id"],
            reply_ts=body["container"]["message_ts"],
            trigger_id=body["trigger_id"],
            **named.groupdict(),
        )
    except (KeyError, IndexError, TypeError, ValidationError):
        return None


def read_complaint(body: dict[str, Any]) -> Complaint | None:
    """Parse the dialog of a `view_submission` payload; `None` for other dialogs."""
    try:
        view = body["view"]
        named = _REPLY.fullmatch(view["private_metadata"]) if view["callback_id"] == "feedback" else None
        inputs = view["state"]["values"]
        chosen, text = inputs["reason"]["reason"]["selected_option"], inputs["text"]["text"]["value"] or ""
        reason = chosen["value"] if chosen else None
        if len(text) > LONGEST_INPUT:
            return None
        digest = hashlib.sha256(f"{reason} {text}".encode("utf-8", "replace")).hexdigest()[:16]
        return named and Complaint(
            interaction_id=f"{body['user']['id']}-{view['id']}-{digest}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            reason=reason,
            text=text,
            **named.groupdict(),
        )
    except (KeyError, TypeError, ValidationError):
        return None
