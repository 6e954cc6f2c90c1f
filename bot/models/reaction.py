"""An emoji that a person puts under a message or takes away, read from Slack's own event.

`intake/record` reads and journals it; `intake/watcher` hands it to whoever gives such an emoji a meaning.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.installation import installed_team
from bot.models.message import SlackId, Ts


class Reacted(Fact):
    """Who put which emoji under which message, or took it away."""

    interaction_id: str
    """The same for every delivery of one reaction."""
    team_id: SlackId
    chat_id: SlackId
    message_id: Ts
    """The message under which it stands; Slack does not say in which thread that is."""
    user_id: SlackId
    name: str
    """The emoji without colons and without a skin tone: `mute`."""
    added: bool
    """False where it was taken away."""


def read_reaction(body: dict[str, Any], *, team: str = "") -> Reacted | None:
    """The reaction in an `event_callback` body; `None` where there is none, or none under a message.

    `team` is as in `normalise`.
    """
    event = body.get("event")
    if not isinstance(event, dict) or event.get("type") not in ("reaction_added", "reaction_removed"):
        return None
    try:
        item, added = event["item"], event["type"] == "reaction_added"
        if item["type"] != "message":
            return None
        said = (event["user"], event["reaction"], item["channel"], item["ts"], event["event_ts"])
        return Reacted(
            interaction_id="-".join(("reaction", *map(str, said), "added" if added else "removed")),
            team_id=team or installed_team(body),
            chat_id=item["channel"],
            message_id=item["ts"],
            user_id=event["user"],
            name=str(event["reaction"]).partition("::")[0],
            added=added,
        )
    except (KeyError, TypeError, ValidationError):
        return None
