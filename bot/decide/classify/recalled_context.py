"""Thread context restored from records of `events-classified.ndjson` at startup. Pure."""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING, Any

from bot.decide.classify.channel_memory import BOT_AUTHOR
from bot.decide.classify.thread_context import ThreadContext
from bot.decide.classify.weights import wants
from bot.models.line_message import LineMessage, MessagePosition, parse_line_message

if TYPE_CHECKING:
    from collections.abc import Iterable

LEARNED_FROM = 20_000
"""Number of the newest classified messages from which answerers are learnt."""


def own_reply(channel: str, thread: str, ts: str) -> MessagePosition:
    """Return a message for a reply of the bot, which intake never receives: it marks a thread as used."""
    return MessagePosition(LineMessage("", BOT_AUTHOR, by_bot=True, channel=channel, thread=thread, home=thread, ts=ts))


def restore_context(records: Iterable[dict[str, Any]], replies: Iterable[dict[str, Any]] = ()) -> ThreadContext:
    """Restore the thread context from records, oldest first; a message that was classified again counts once.

    `replies` are the records of `replies.ndjson`.
    """
    around, places = ThreadContext(), set()
    for record in merge(records, map(_as_message, replies), key=_moment):
        place = record.get("chat_id"), record.get("message_id")
        if place in places or record.get("door") or not isinstance(record.get("content"), str):
            continue
        places.add(place)
        line_message = parse_line_message(record)
        if line_message is None or not line_message.sender:
            continue
        placed = MessagePosition(line_message)
        fired = _read_features(record.get("reasons"))
        around.context_of(placed, for_help="asks_for_help" in fired)
        if record.get("classification") != "ack":
            around.learn(placed, asks=wants(fired), actionable=record.get("classification") == "actionable")
    return around


def _as_message(reply: dict[str, Any]) -> dict[str, Any]:
    """Convert the record of a posted reply to that of a program's message, without its text."""
    place = {"chat_id": reply.get("chat_id"), "message_id": reply.get("posted_message_id")}
    return {**place, "thread_id": reply.get("thread_id"), "content": "", "sender": {"id": BOT_AUTHOR, "type": "bot"}}


def _moment(record: dict[str, Any]) -> float:
    try:
        return float(record.get("message_id") or 0)
    except (TypeError, ValueError):
        return 0.0


def _read_features(reasons: Any) -> list[str]:
    """Return the names of the features in a record."""
    entries = reasons if isinstance(reasons, list) else []
    return [str(reason.get("feature")) for reason in entries if isinstance(reason, dict)]
