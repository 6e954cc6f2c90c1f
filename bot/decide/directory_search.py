"""Search in a workspace's directory: a channel or a member by id, link or name, as people give them. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.directory import ListedChannel, ListedMember

_CHANNEL_ID = re.compile(r"[CG][A-Z0-9]{2,30}")
_USER_ID = re.compile(r"[UW][A-Z0-9]{2,30}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 64


def id_in(text: str, *, of_user: bool) -> str | None:
    """Return the id in a Slack link or a mention, or the text itself if it is an id; `None` for a name."""
    pattern = _USER_ID if of_user else _CHANNEL_ID
    text = text.strip()
    mentioned = re.fullmatch(r"<[@#]([A-Z0-9]+)(?:\|[^>]*)?>", text)
    parts = [mentioned[1]] if mentioned else [text]
    if text.startswith(("https://", "http://")):
        parts = urlsplit(text).path.split("/")
    return next((part for part in parts if pattern.fullmatch(part)), None)


def search_channels(text: str, channels: Iterable[ListedChannel]) -> list[ListedChannel]:
    """Return the channels that a text names: by id or link, else by name with or without #."""
    listed = list(channels)
    wanted = id_in(text, of_user=False)
    if by_id := [each for each in listed if each.channel_id == wanted]:
        return by_id
    name = text.strip().removeprefix("#").casefold()
    return [each for each in listed if each.name.casefold() == name]


def search_members(text: str, members: Iterable[ListedMember]) -> list[ListedMember]:
    """Return the members that a text names: by id or link, else by a whole name, else by a word of one."""
    listed = list(members)
    wanted = id_in(text, of_user=True)
    if by_id := [each for each in listed if each.user_id == wanted]:
        return by_id
    name = text.strip().removeprefix("@").casefold()
    if not name:
        return []
    whole = [each for each in listed if name in (known.casefold() for known in each.names)]
    return whole or [each for each in listed if any(name in known.casefold().split() for known in each.names)]


def project_key(place: str) -> str:
    """Return a key for a project from the last part of its folder or address."""
    last = place.rstrip("/").rpartition("/")[2].removesuffix(".git")
    key = _NOT_IN_A_NAME.sub("-", last).strip("._-")[:_LONGEST_NAME].lower()
    return key or "project"
