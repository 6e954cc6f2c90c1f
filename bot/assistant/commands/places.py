"""Where in Slack: whose workspace a link leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.assistant.commands.inputs import MessagePlace


def belongs_here(place: MessagePlace, url: str) -> bool:
    """Whether a link leads to a message of the workspace at `url`."""
    return place.origin.lower() == url.rstrip("/").lower()
