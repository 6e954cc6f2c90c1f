"""References to Slack: the workspace of a link, the watched channel of a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.commands.command import NotDone
from bot.commands.nearest_name import suggest_sentence
from bot.decide.refusals import CHANNEL
from bot.errors import Refused
from bot.models.order import HERE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.commands.inputs import MessagePlace
    from bot.models.interaction import Asker
    from bot.ports.slack import Channels


_ID = re.compile(r"[CG][A-Z0-9]{2,30}")
_TO_WATCH = "To have it watched, add it to `watched_chats` in `triage.yml`, invite Triage there and start Triage again."


class UnwatchedChannel(NotDone):
    """A channel that is not watched; `channel` is its id, empty if only a name is known."""

    def __init__(self, line: str, *, channel: str) -> None:
        super().__init__(line)
        self.channel = channel


def check_workspace(place: MessagePlace, url: str) -> None:
    """Raise `NotDone` if a link leads to a message of another workspace than that at `url`."""
    if place.origin.lower() != url.rstrip("/").lower():
        raise NotDone("This is a link to another workspace.")


def resolve_channel(channel_name: str, asker: Asker, names: Mapping[str, str]) -> str:
    """Return the id of a watched channel; without a name or for `here` the one that the asker views or writes in.

    `names` maps ids to names. Raises `UnwatchedChannel`, and `NotDone`, which asks for the channel where there is none.
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
    near = suggest_sentence(channel_name, names.values())
    raise UnwatchedChannel(
        f"This channel is not watched.{near} {_TO_WATCH}", channel=channel_name if _ID.fullmatch(channel_name) else ""
    )


async def describe_unwatched(problem: UnwatchedChannel, slack: Channels) -> str:
    """Return why questions of a channel that is not watched reach nobody, with the next step.

    Slack is asked about a channel that is given by its id; one of a name alone may be any. Raises `RetryLater`.
    """
    channel = problem.channel
    if not channel:
        return problem.answer.line
    try:
        described = await slack.channel(channel)
    except Refused as refusal:
        if refusal.code not in CHANNEL:
            raise
        return (
            f"Slack shows no channel `{channel}` to Triage: it was deleted, or it is private and Triage is not in it."
        )
    if described.get("is_archived"):
        return f"<#{channel}> is archived, and not watched."
    if described.get("is_member"):
        add = "add it to `watched_chats` in `triage.yml`, and start Triage again"
        return f"Triage is in <#{channel}>, but does not watch it. To have it watched, {add}."
    return f"Triage is not in <#{channel}>, and does not watch it. {_TO_WATCH}"
