"""Lean message model for the commands that read many lines: only the fields for the rules of tier 0.

`triage classify` and `triage replay` read their input with it: many thousand lines a second, too many for a fully
checked `Message`. Incomplete messages such as a bare `{"text": …}` are accepted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from bot.models.contents import read_rules_text
from bot.models.excerpts import excerpt
from bot.models.markup import plain_text
from bot.models.message import SLACKBOT, mentions_in, text_for_rules, thread_id
from bot.models.received_payload import KINDS_WITHOUT_MESSAGE

_USER = re.compile(r"<@([A-Z][A-Z0-9]+)(?:\|[^<>]*)?>")
_MRKDWN = re.compile(r"<(?:[@#!]|https?:|mailto:)")
_NEW_SUBTYPES = (None, "thread_broadcast", "file_share", "me_message", "bot_message")


class LineMessage(NamedTuple):
    """One message read from a line."""

    text: str
    """The readable text: mentions as `@U123`, links as their address."""
    sender: str = ""
    by_bot: bool = False
    mentions: tuple[str, ...] = ()
    channel: str = ""
    channel_name: str = ""
    thread: str | None = None
    """The thread that it replies in; `None` for a message in the channel itself, or if unknown."""
    home: str | None = None
    """The thread that it belongs to or would open; `None` if the message cannot be identified."""
    ts: str = ""
    other_ids: tuple[str, ...] = ()
    """The other ids of a bot, as a bot and as an app."""
    rules_content: str | None = None
    """`text` without channels, groups and broadcasts, split by `models/contents.ATTACHED`; `None` if it equals
    `text`."""

    @property
    def rules_text(self) -> str:
        """Return the text for the rules."""
        return self.text if self.rules_content is None else self.rules_content


def parse_line_message(record: dict[str, Any]) -> LineMessage | None:
    """Parse a record; `None` for an event that is not a new message, such as a press, a join or a deletion.

    A record is a normalised message (spec 1, 3.1), Slack's own event with or without its envelope, or `{"text": …}`
    with optional `author`, `channel`, `thread_ts` and `ts`. Raises `ValueError` with the reason if it is none of these.
    """
    if "content" in record:
        normal = _normalise_record(record)
        return normal if (event := _event_of(record)) is None else _with_rules_text(normal, event)
    if record.get("kind") in KINDS_WITHOUT_MESSAGE:
        return None
    event = record.get("event")
    if isinstance(event, dict):
        record = event
    if record.get("type") in ("message", "app_mention"):
        if record.get("subtype") not in _NEW_SUBTYPES or record.get("hidden"):
            return None
        return _slack(record)
    if "text" in record:
        return _slack(record)
    if isinstance(record.get("type"), str):
        return None
    raise ValueError("expected an event, or an object with text")


def _event_of(record: dict[str, Any]) -> dict[str, Any] | None:
    """Return the original Slack message of a journal's record, if it was stored."""
    raw = record.get("raw")
    event = raw.get("event") if isinstance(raw, dict) else None
    if isinstance(event, dict) and event.get("subtype") == "message_changed":
        event = event.get("message")
    return event if isinstance(event, dict) and "text" in event else None


def _with_rules_text(normal: LineMessage, event: dict[str, Any]) -> LineMessage:
    """Add the text for the rules, which records do not store, to a record's message."""
    slack_message = _slack({**event, "type": "message"})
    return normal._replace(
        text=slack_message.text, rules_content=slack_message.rules_content, mentions=slack_message.mentions
    )


class _Author(NamedTuple):
    id: str
    type: str


@lru_cache(maxsize=10_000)
def _author(name: str, by_bot: bool) -> _Author:
    return _Author(name, "bot" if by_bot else "user")


ANY_TIME = datetime.fromtimestamp(0, UTC)
"""Time of messages without one: only their order counts then."""


class MessagePosition:
    """The place and the author of a message, for its thread context. Building a `Message` takes longer than classifying
    it."""

    __slots__ = ("chat_id", "create_time", "home", "message_id", "sender", "team_id", "thread_id")

    def __init__(self, message: LineMessage) -> None:
        self.team_id = ""
        self.chat_id = message.channel
        self.message_id = message.ts
        self.thread_id = message.thread
        self.home = message.home or ""
        self.sender = _author(message.sender, message.by_bot)
        self.create_time = parse_time(message) or ANY_TIME


def parse_time(message: LineMessage) -> datetime | None:
    """Return the time of a message in UTC, or `None` if its line has none."""
    try:
        return datetime.fromtimestamp(float(message.ts), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        at = datetime.fromisoformat(message.ts)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _normalise_record(record: dict[str, Any]) -> LineMessage:
    content, sender, mentions = record["content"], record.get("sender"), record.get("mentions")
    if not isinstance(content, str):
        raise ValueError("content: expected a text")
    sender = sender if isinstance(sender, dict) else {}
    by_bot, raw = sender.get("type") == "bot", record.get("raw")
    event = raw.get("event") if by_bot and isinstance(raw, dict) else None
    channel, thread, ts = _text(record.get("chat_id")), _text(record.get("thread_id")), _text(record.get("message_id"))
    return LineMessage(
        content,
        _text(sender.get("id")),
        by_bot,
        tuple(user for user in mentions if isinstance(user, str)) if isinstance(mentions, list) else (),
        channel,
        _text(record.get("chat_name")),
        thread or None,
        thread or (thread_id(_text(record.get("team_id")), channel, ts) if ts else None),
        ts or _text(record.get("create_time")),
        _ids(event)[1:] if isinstance(event, dict) else (),
    )


def _slack(record: dict[str, Any]) -> LineMessage:
    text = record.get("text")
    if text is None and "type" in record:
        text = ""  # a message with files or blocks only
    if not isinstance(text, str):
        raise ValueError("text: expected a text")
    mentions: tuple[str, ...] = ()
    rules_text = text
    if "type" in record:
        mentions = mentions_in(record)
        text, rules_text = read_rules_text(record)
        has_markup = "<" in rules_text or "&" in rules_text
        text, rules_text = (plain_text(text), text_for_rules(rules_text)) if has_markup else (text, excerpt(rules_text))
    elif "<" in text and _MRKDWN.search(text):
        mentions = tuple(dict.fromkeys(_USER.findall(text))) if "<@" in text else ()
        text, rules_text = plain_text(text), text_for_rules(text)
    ts, root, channel = _text(record.get("ts")), _text(record.get("thread_ts")), _text(record.get("channel"))
    thread = f"{channel}-{root}" if root and root != ts else None
    sender = _text(record.get("user")) or _text(record.get("author"))
    by_bot = sender == SLACKBOT or record.get("subtype") == "bot_message"
    ids: tuple[str, ...] = ()
    if record.get("bot_id") or record.get("app_id") or record.get("bot_profile"):
        by_bot, ids = True, _ids(record)
        sender = sender or next(iter(ids), "")
    return LineMessage(
        text,
        sender,
        by_bot,
        mentions,
        channel,
        channel,
        thread,
        thread or (f"{channel}-{ts}" if "." in ts else None),  # a date to the second identifies no message
        ts,
        tuple(other for other in ids if other != sender) if ids else (),
        None if rules_text == text else rules_text,
    )


def _ids(event: dict[str, Any]) -> tuple[str, ...]:
    """Return every id of an event's author, the main one first."""
    return tuple(author_id for key in ("user", "bot_id", "app_id") if (author_id := _text(event.get(key))))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
