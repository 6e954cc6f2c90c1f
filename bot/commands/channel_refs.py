"""References to Slack: the workspace of a link, the watched channel of a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.commands.command import NotDone
from bot.commands.nearest_name import suggest_sentence
from bot.models.order import HERE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.commands.inputs import MessagePlace
    from bot.models.interaction import Asker


def check_workspace(place: MessagePlace, url: str) -> None:
    """Raise `NotDone` if a link leads to a message of another workspace than that at `url`."""
    if place.origin.lower() != url.rstrip("/").lower():
        raise NotDone("This is a link to another workspace.")


def resolve_channel(channel_name: str, asker: Asker, names: Mapping[str, str]) -> str:
    """Return the id of a watched channel; without a name or for `here` the one that the asker views or writes in.

    `names` maps ids to names. Raises `NotDone`, which asks for the channel where the asker is in none.
    """
    if channel_name.lower() in ("", HERE):
        channel_name = asker.looks_at or asker.channel_id
        if not channel_name.startswith(("C", "G")):  # a direct message, or the App Home
            raise NotDone("Which channel? Name it: `#channel`.", missing="channel")
    return _find_watched_channel(channel_name, names)


def _find_watched_channel(channel_name: str, names: Mapping[str, str]) -> str:
    ids = {name.lower(): channel for channel, name in names.items()}
    if channel := channel_name if channel_name in names else ids.get(channel_name.lower()):
        return channel
    raise NotDone(
        f"This channel is not watched.{suggest_sentence(channel_name, names.values())} To have it watched, add it to "
        "`watched_chats` in `triage.yml`, invite Triage there and start Triage again."
    )
