"""A press or a submitted dialog as every other room sees it, read from Slack's own payload.

`edges/listeners` hands the payload on; `intake/record` journals it and `triage/approval` acts on it.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId
from bot.models.thread import THREAD_ID, ThreadId

_VALUE = re.compile(rf"(?P<draft_id>(?P<thread_id>{THREAD_ID.strip('^$')})/\d{{1,6}}) (?P<nonce>[A-Za-z0-9]{{1,64}})")


class Interaction(Fact):
    """What a person did with a card: who, what, and to which draft as it was drawn."""

    interaction_id: str
    """The same for every delivery of one press or dialog."""
    team_id: SlackId
    user_id: SlackId
    action: str
    """The button's `action_id`, or the dialog's `callback_id`."""
    thread_id: ThreadId
    draft_id: str
    nonce: str


class Press(Interaction):
    """A button was pressed."""

    channel_id: SlackId
    trigger_id: str
    """Opens one dialog, within three seconds."""


class Dialog(Interaction):
    """A dialog was submitted; `values` are its inputs by `block_id`."""

    values: dict[str, str]


def read_press(body: dict[str, Any]) -> Press | None:
    """The press in a `block_actions` payload; `None` when it is on nothing of ours."""
    try:
        action = body["actions"][0]
        named = _VALUE.fullmatch(action["value"])
        return named and Press(
            interaction_id=f"{body['user']['id']}-{action['action_id']}-{action['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            action=action["action_id"],
            channel_id=body["channel"]["id"],
            trigger_id=body["trigger_id"],
            **named.groupdict(),
        )
    except (KeyError, IndexError, TypeError, ValidationError):
        return None


def read_dialog(body: dict[str, Any]) -> Dialog | None:
    """The dialog in a `view_submission` payload; `None` when it is none of ours."""
    try:
        view = body["view"]
        named = _VALUE.fullmatch(view["private_metadata"])
        inputs = view["state"]["values"]
        values = {block: next(iter(by_action.values()))["value"] or "" for block, by_action in inputs.items()}
        digest = hashlib.sha256(repr(values).encode("utf-8", "replace")).hexdigest()[:16]
        return named and Dialog(
            interaction_id=f"{body['user']['id']}-{view['id']}-{digest}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            action=view["callback_id"],
            values=values,
            **named.groupdict(),
        )
    except (KeyError, IndexError, TypeError, StopIteration, ValidationError):
        return None
