"""Actions of people and of runbooks as recent events, from the records of the audit log. Pure.

Only what took effect is an event: tries that were refused, mistyped, failed or cancelled are for `audit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape
from bot.approval.answers import has_effect
from bot.commands.command import READ
from bot.commands.recent_event import Event, describe_place, find_channel
from bot.health.runbooks import KIND as RUNBOOK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

_NO_ACTIONS = ("direct", "conversation")
"""Kinds of records of messages to the bot: how the bot answered is not an action of their author."""
_LISTED_OTHERWISE = ("create_task",)
"""Commands whose effect is an event of its own, with more to say."""
_LONGEST_NAME = 60


def describe_action(at: datetime, record: Mapping[str, Any], shorten: Callable[[Any], str]) -> Event | None:
    """Describe a record of the audit log; `None` where nothing happened.

    `shorten` returns a text redacted, shortened and escaped.
    """
    if not isinstance(record.get("action"), str) or record.get("kind") in _NO_ACTIONS:
        return None
    if record.get("kind") == RUNBOOK:
        return _describe_runbook(at, record, shorten)
    result = str(record.get("outcome") or record.get("result") or "done")
    if not (_is_change(record) if record.get("kind") == "command" else has_effect(result)):
        return None
    user, outcome = str(record.get("user_id", "?")), shorten(result)
    detail = "" if outcome == "done" else f": {outcome}"
    text = f"{_name_action(record)} by <@{escape(user)}>{describe_place(record)}{detail}"
    return Event(at, "action", text, user=user, channel=find_channel(record), outcome=outcome)


def _is_change(record: Mapping[str, Any]) -> bool:
    """Return whether a command changed something."""
    is_listed = record.get("tier") not in (READ, None) and record["action"] not in _LISTED_OTHERWISE
    return is_listed and record.get("outcome") == "done" and not record.get("unchanged")


def _describe_runbook(at: datetime, record: Mapping[str, Any], shorten: Callable[[Any], str]) -> Event:
    user, name = str(record.get("user_id", "?")), shorten(record.get("runbook")).replace("`", "'")
    if record["action"] == "start":
        outcome, ending = "started", f"started, as <@{escape(user)}> approved"
    else:
        outcome = shorten(record.get("outcome") or "unknown")
        ending = f"ended: {outcome}"
    return Event(at, "action", f"runbook `{name}` {ending}", user=user, outcome=outcome)


def _name_action(record: Mapping[str, Any]) -> str:
    return escape(clip(str(record["action"]), _LONGEST_NAME))
