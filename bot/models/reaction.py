"""Emoji reaction that a person adds or removes, parsed from Slack's event."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.installation import installed_team
from bot.models.message import SlackId, Ts


class Reaction(Fact):
    """A person's emoji, added to a message or removed."""

    interaction_id: str
    """Identical for every delivery of one reaction."""
    team_id: SlackId
    chat_id: SlackId
    message_id: Ts
    """The message it was added to; Slack does not give its thread."""
    user_id: SlackId
    name: str
    """The emoji without colons and without a skin tone: `mute`."""
    added: bool
    """False if it was removed."""


def read_reaction(body: dict[str, Any], *, team: str = "") -> Reaction | None:
    """Parse the reaction of an `event_callback` body; `None` if there is none, or not on a message.

    `team` is as in `normalise`.
    """
    event = body.get("event")
    if not isinstance(event, dict) or event.get("type") not in ("reaction_added", "reaction_removed"):
        return None
    try:
        item, added = event["item"], event["type"] == "reaction_added"
        if item["type"] != "message":
            return None
        key_parts = (event["user"], event["reaction"], item["channel"], item["ts"], event["event_ts"])
        return Reaction(
            interaction_id="-".join(("reaction", *map(str, key_parts), "added" if added else "removed")),
            team_id=team or installed_team(body),
            chat_id=item["channel"],
            message_id=item["ts"],
            user_id=event["user"],
            name=str(event["reaction"]).partition("::")[0],
            added=added,
        )
    except (KeyError, TypeError, ValidationError):
        return None
