"""Message shortcut, parsed from Slack's payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.message import Message, SlackId, normalise

if TYPE_CHECKING:
    from collections.abc import Mapping


class Shortcut(Fact):
    """A shortcut used on a message."""

    interaction_id: str
    """Identical for every delivery of one shortcut."""
    team_id: SlackId
    user_id: SlackId
    action: str
    """The shortcut's `callback_id`."""
    channel_id: SlackId
    message: Message | None
    """The message in its current form; `None` if nobody wrote it, such as a join."""


def read_shortcut(body: dict[str, Any], *, chat_names: Mapping[str, str], team: str = "") -> Shortcut | None:
    """Parse a `message_action` payload; `None` if it is malformed.

    `team` is the workspace for the thread's id; without it the payload's is used, which may be that of the user.
    """
    try:
        user, taken_in, channel = body["user"]["id"], body["team"]["id"], body["channel"]["id"]
        event = {**body["message"], "type": "message", "channel": channel}
        message = normalise({"team_id": taken_in, "event": event}, chat_names=chat_names, team=team)
        return Shortcut(
            interaction_id=f"{user}-{body['callback_id']}-{body['action_ts']}",
            team_id=taken_in,
            user_id=user,
            action=body["callback_id"],
            channel_id=channel,
            message=message if isinstance(message, Message) else None,
        )
    except (KeyError, TypeError, ValidationError):
        return None
