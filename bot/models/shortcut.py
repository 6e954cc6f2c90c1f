"""A shortcut that a person takes on a message, read from Slack's own payload.

`intake/record` reads and journals it; `approval/corrections` acts on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.message import Message, SlackId, normalise

if TYPE_CHECKING:
    from collections.abc import Mapping


class Shortcut(Fact):
    """Who took which shortcut on which message."""

    interaction_id: str
    """The same for every delivery of one shortcut."""
    team_id: SlackId
    user_id: SlackId
    action: str
    """The shortcut's `callback_id`."""
    channel_id: SlackId
    message: Message | None
    """As it stands now; `None` where it is nothing that anybody said, such as a join."""


def read_shortcut(body: dict[str, Any], *, chat_names: Mapping[str, str], team: str = "") -> Shortcut | None:
    """The shortcut in a `message_action` payload; `None` when it breaks Slack's own shape.

    `team` names the thread of the message; without it the payload does, which may say the workspace of who took it.
    """
    try:
        user, taken_in, channel = body["user"]["id"], body["team"]["id"], body["channel"]["id"]
        event = {**body["message"], "type": "message", "channel": channel}
        said = normalise({"team_id": taken_in, "event": event}, chat_names=chat_names, team=team)
        return Shortcut(
            interaction_id=f"{user}-{body['callback_id']}-{body['action_ts']}",
            team_id=taken_in,
            user_id=user,
            action=body["callback_id"],
            channel_id=channel,
            message=said if isinstance(said, Message) else None,
        )
    except (KeyError, TypeError, ValidationError):
        return None
