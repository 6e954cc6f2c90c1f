"""Records of `events.ndjson`: one for every event, reaction, press, dialog, shortcut, command and webhook, written
before its ack.

A record is the normalised message of spec 1, 3.1, plus `kind`, the id that duplicates share, and the raw payload
without the keys that would let a reader of the file act as Slack or answer in its place.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from bot.decide.alerts import read_alert
from bot.models import opened_merge_request
from bot.models.auto_reply import read_auto_reply_press
from bot.models.conversation_record import is_direct
from bot.models.feedback import Complaint, Vote, read_complaint, read_vote
from bot.models.home import HomePress, read_home_opened, read_home_press, read_messages_opened
from bot.models.interaction import Dialog, Press, TypedCommand, read_command, read_dialog, read_press
from bot.models.loss import (
    AppRemoved,
    ChannelChanged,
    PersonChanged,
    read_app_removed,
    read_channel_changed,
    read_person_changed,
)
from bot.models.message import Deletion, Edit, Message, normalise
from bot.models.message_sample import read_sample_press
from bot.models.opened_merge_request import OpenedMergeRequest, read_opened_merge_request
from bot.models.pending_command import (
    ConfirmationDialog,
    ConfirmationPress,
    read_confirmation_dialog,
    read_confirmation_press,
)
from bot.models.queue import QueuePress, read_queue_press
from bot.models.reaction import Reaction, read_reaction
from bot.models.received_payload import REMOVED, REVISED, Kind, Payload, ReceivedPayload
from bot.models.shortcut import Shortcut, read_shortcut
from bot.models.turn_stop import read_stop_press
from bot.models.viewed_page import PageViewed, read_page_viewed

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET_KEYS = frozenset({"token", "bot_access_token", "response_url", "response_urls", "trigger_id", "secret"})
_OF_THE_SCREEN = frozenset({"app_context", "assistant_thread"})
"""Keys of the page that a person views, which is only kept in memory."""
_LEFT_OUT = _SECRET_KEYS | _OF_THE_SCREEN
_NESTED = (dict, list)
_KINDS: dict[type, Kind] = {Message: "message", Edit: "edit", Deletion: "deletion", Reaction: "reaction"}

_OF_PEOPLE = (type(None), Message, Edit, Deletion, Reaction, ChannelChanged, PersonChanged, AppRemoved)
"""Payloads of people's own conversations, and unknown ones."""

_OF_COMMANDS = (TypedCommand, ConfirmationPress, ConfirmationDialog)
_WITH_ID = (
    Press,
    Dialog,
    Vote,
    Complaint,
    Shortcut,
    *_OF_COMMANDS,
    Reaction,
    HomePress,
    QueuePress,
    OpenedMergeRequest,
)


def read(body: dict[str, Any], *, chat_names: Mapping[str, str], team: str = "") -> ReceivedPayload:
    """Parse a body that Slack sent; never fails, so that everything is recorded.

    `team` is the workspace that has the app, part of every thread id; if empty, the body's own is used.
    """
    kind, payload = _read_payload(body, chat_names, team)
    key = payload.interaction_id if isinstance(payload, _WITH_ID) else body.get("event_id")
    return ReceivedPayload(kind=kind, payload=payload, event_id=key if isinstance(key, str) else None)


def place_of(received: ReceivedPayload, body: dict[str, Any]) -> str:
    """Return the channel id of a body, empty if it has none."""
    payload, event = received.payload, body.get("event")
    message = payload.message if isinstance(payload, Edit) else payload
    channel = event.get("channel") if isinstance(event, dict) else None
    channel = channel.get("id") if isinstance(channel, dict) else channel
    return str(getattr(message, "chat_id", None) or (channel if isinstance(channel, str) else ""))


def event_record(
    received: ReceivedPayload, body: dict[str, Any], *, received_at: str, mode: str | None = None
) -> dict[str, Any]:
    """Build the record of a body. `mode` is that of its channel, `None` if it is not watched.

    For people's conversations in unwatched channels, and for unknown payloads, only ids and times are recorded.
    """
    channel = place_of(received, body)
    is_untold = mode is None and "event" in body and isinstance(received.payload, _OF_PEOPLE) and not is_direct(channel)
    if is_untold or isinstance(received.payload, PageViewed):
        own = (
            body.get("event_id") if isinstance(received.payload, Reaction) else received.event_id
        )  # the other names the emoji
        came = {"kind": "event", "event_id": own, "received_at": received_at}
        return {**came, "chat_id": channel, "mode": None}
    message = received.payload.message if isinstance(received.payload, Edit) else received.payload
    fields = message.model_dump(mode="json", exclude={"trigger_id"}) if message else {}
    return {
        "kind": received.kind,
        "event_id": received.event_id,
        "received_at": received_at,
        **({"caught_up": True} if body.get("caught_up") else {}),
        **fields,
        "raw": _without_secrets(body),
        "mode": mode,
    }


def revision_record(channel: str, event_id: str, *, received_at: str) -> dict[str, Any]:
    """Build the record of an applied edit or deletion, by the id of its event."""
    came = {"kind": REVISED, "event_id": None, "received_at": received_at}
    return {**came, "chat_id": channel, "mode": None, "revision": event_id}


def removal_record(thread_id: str, *, received_at: str) -> dict[str, Any]:
    """Build the record of a thread that a command removed."""
    came = {"kind": REMOVED, "event_id": None, "received_at": received_at}
    return {**came, "chat_id": thread_id.split("-")[1], "mode": None, "thread_id": thread_id}


def _read_payload(body: dict[str, Any], chat_names: Mapping[str, str], team: str) -> tuple[Kind, Payload | None]:
    match body.get("type"):
        case "block_actions":
            own = read_vote(body) or read_home_press(body) or read_queue_press(body) or read_confirmation_press(body)
            notice = read_sample_press(body) or read_auto_reply_press(body)
            return "press", own or notice or read_press(body)
        case "view_submission":
            return "dialog", read_complaint(body) or read_confirmation_dialog(body) or read_dialog(body)
        case "message_action":
            return "shortcut", read_shortcut(body, chat_names=chat_names, team=team)
        case opened_merge_request.TYPE:
            return "forge", read_opened_merge_request(body)
        case None if "command" in body:
            return "command", read_command(body)
        case _:
            spoken = _with_alert(normalise(body, chat_names=chat_names, team=team), body)
            message = spoken or read_reaction(body, team=team)
            view_event = read_home_opened(body) or read_messages_opened(body) or read_page_viewed(body)
            access = read_channel_changed(body) or read_person_changed(body) or read_app_removed(body)
            payload = message or view_event or access or read_stop_press(body, team=team)
            return _KINDS.get(type(payload), "event"), payload


def _with_alert(payload: Message | Edit | Deletion | None, body: dict[str, Any]) -> Message | Edit | Deletion | None:
    """Return a program's message, or its edit, with the alert that it states."""
    message = payload.message if isinstance(payload, Edit) else payload
    event = body["event"] if isinstance(message, Message) else {}
    if not isinstance(message, Message) or message.sender.type != "bot":
        return payload
    message = message.evolve(alert=read_alert(event["message"] if isinstance(payload, Edit) else event))
    return payload.evolve(message=message) if isinstance(payload, Edit) else message


def _without_secrets(body: dict[str, Any]) -> dict[str, Any]:
    """Remove secrets and response addresses from a body; unchanged parts are not copied, since a body may be large."""
    inner = {
        key: new
        for key, value in body.items()
        if isinstance(value, _NESTED) and (new := _clean_values(value)) is not value
    }
    if not inner and _LEFT_OUT.isdisjoint(body):
        return body
    return {key: inner.get(key, value) for key, value in body.items() if key not in _LEFT_OUT}


def _clean_values(value: Any) -> Any:
    if isinstance(value, dict):
        return _without_secrets(value)
    cleaned = [_clean_values(inner) if isinstance(inner, _NESTED) else inner for inner in value]
    return cleaned if any(map(operator.is_not, cleaned, value)) else value
