"""References to Slack: the workspace of a link, the watched channel of a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.commands.nearest_name import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.commands.inputs import MessagePlace


def belongs_here(place: MessagePlace, url: str) -> bool:
    """Return whether a link leads to a message of the workspace at `url`."""
    return place.origin.lower() == url.rstrip("/").lower()


def watched_channel(said: str, names: Mapping[str, str]) -> str | None:
    """Return the id of a watched channel given by id or name; `names` maps ids to names."""
    ids = {name.lower(): channel for channel, name in names.items()}
    return said if said in names else ids.get(said.lower())


def not_watched(said: str, names: Mapping[str, str]) -> str:
    """Explain that a channel is not watched, and how to have it watched."""
    return (
        f"This channel is not watched.{suggestion(said, names.values())} To have it watched, add it to "
        "`watched_chats` in `triage.yml`, invite Triage there and start Triage again."
    )
