"""Page that a person views while they write to the bot, according to Slack's events; never stored.

Slack's page on `app_context_changed` shows `context` alone and the person under `authorizations`; the types of its Node
SDK have `user` as well. Both forms are read.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from bot.models.fact import Fact

_CHANNEL, _MESSAGE = "slack#/types/channel_id", "slack#/types/message_context"


class Page(Fact):
    """A watched channel that somebody views; Slack confirmed that they are in it."""

    channel_id: str
    channel: str
    """The channel's name."""
    project: str | None = None
    """The channel's project, if it accepts questions."""


class SubjectProject(Fact):
    """The project of a question in a direct message, or of an incident, and the reason: for the asker (`told`), and for
    the card."""

    project: str
    why: str
    told: str


class PageViewed(Fact):
    """A person moved to another page."""

    user_id: str
    channel_id: str
    """The channel of that page; empty if it has none."""


def read_page_viewed(body: dict[str, Any]) -> PageViewed | None:
    """Parse an `app_context_changed` event; `None` for every other body."""
    try:
        event = body["event"]
        if event["type"] != "app_context_changed":
            return None
        people = (each["user_id"] for each in body.get("authorizations") or () if not each.get("is_bot"))
        return PageViewed(user_id=event.get("user") or next(people), channel_id=_channel_in(event["context"]))
    except (AttributeError, KeyError, StopIteration, TypeError, ValidationError):
        return None


def read_viewed_channel(event: dict[str, Any]) -> str | None:
    """Return the channel that a message's author views; empty for none, `None` if the message does not say."""
    try:
        if "app_context" in event:
            return _channel_in(event["app_context"])
        context = event["assistant_thread"]["context"]
        return str(context.get("channel_id") or "")
    except (AttributeError, KeyError, TypeError):
        return None


def _channel_in(context: dict[str, Any]) -> str:
    """Return the channel of the first entity that has one: Slack gives the most relevant one first."""
    for entity in context.get("entities") or ():
        kind, value = entity.get("type"), entity.get("value")
        if kind == _MESSAGE and isinstance(value, dict):
            value = value.get("channel_id")
        if kind in (_CHANNEL, _MESSAGE) and isinstance(value, str):
            return value
    return ""
