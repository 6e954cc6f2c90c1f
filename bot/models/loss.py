"""Losses: what Slack keeps from the bot, and the events that may tell of it.

`triage/access` finds them, and keeps them with whom it has told in `access.json`; `decide/losses` has the words.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId

ChannelLoss = Literal["left", "archived", "deleted", "unseen", "renamed", "frozen", "shared", "public"]
"""`unseen`: Slack does not show the channel to the bot, and nothing says why. `frozen`: another company's connection
with it was cut so that nobody can write there any more. `shared` and `public`: others than the
members of a private channel read it, so that no card may stand there."""
Change = Literal["left", "joined", "archived", "unarchived", "deleted", "renamed", "shared", "unshared"]
LossKind = Literal[ChannelLoss, "scope", "person"]

AWAY = frozenset({"left", "archived", "deleted", "unseen", "frozen"})
"""The losses of a channel in which nothing is heard."""
UNNAMED = "unnamed"
"""The scope of a refusal that does not name it: nobody can see that it was granted, but for a start without it."""

BEGUN, UNREACHABLE = "", "unreachable"
"""Of whom a notice was perhaps posted to, and of whom Slack lets nobody tell."""


class Loss(Fact):
    """One thing that Slack keeps from the bot, until that is over."""

    kind: LossKind
    subject: str
    """The id of the channel or the person, or the name of the scope."""
    at: datetime
    code: str = ""
    """Slack's own word for it, with the method that met it."""
    name: str = ""
    """What people call the channel; where it was renamed, its name of now."""
    told: dict[str, str] = Field(default_factory=dict)
    """Who was told: the channel and the ts of the notice by user id, `BEGUN` or `UNREACHABLE`."""

    @property
    def nonce(self) -> str:
        """By what its notice is found again."""
        return f"{self.kind}-{self.subject}-{self.at.timestamp():.6f}"


class ChannelChanged(Fact):
    """Something became of a channel, or of somebody's place in it."""

    chat_id: SlackId
    change: Change
    user_id: str = ""
    """Who joined or left; empty where that is the bot itself."""


class PersonChanged(Fact):
    """Something became of somebody's account, be it their picture or that it was deactivated."""

    user_id: SlackId


class AppRemoved(Fact):
    """Slack took tokens of the app back."""

    user_ids: tuple[str, ...] = ()
    """The bots whose tokens those were; none where the app was removed whole."""


_CHANGES: dict[str, Change] = {
    "member_left_channel": "left",
    "member_joined_channel": "joined",
    "channel_left": "left",
    "group_left": "left",
    "channel_archive": "archived",
    "group_archive": "archived",
    "channel_unarchive": "unarchived",
    "group_unarchive": "unarchived",
    "channel_deleted": "deleted",
    "group_deleted": "deleted",
    "channel_rename": "renamed",
    "channel_shared": "shared",
    "channel_unshared": "unshared",
    "group_rename": "renamed",
}


def read_channel_changed(body: dict[str, Any]) -> ChannelChanged | None:
    """What became of a channel, in an `event_callback` body; `None` where it tells of nothing such."""
    try:
        event = body["event"]
        change, channel = _CHANGES[event["type"]], event["channel"]
        of_members = event["type"].startswith("member_")
        return ChannelChanged(
            chat_id=channel["id"] if isinstance(channel, dict) else channel,
            change=change,
            user_id=event["user"] if of_members else "",
        )
    except (KeyError, TypeError, ValidationError):
        return None


def read_person_changed(body: dict[str, Any]) -> PersonChanged | None:
    """Whose account changed; `None` for every other body."""
    try:
        event = body["event"]
        return PersonChanged(user_id=event["user"]["id"]) if event["type"] == "user_change" else None
    except (KeyError, TypeError, ValidationError):
        return None


def read_app_removed(body: dict[str, Any]) -> AppRemoved | None:
    """That tokens were revoked or the app uninstalled; `None` for every other body."""
    try:
        event = body["event"]
        if event["type"] == "app_uninstalled":
            return AppRemoved()
        return AppRemoved(user_ids=event["tokens"]["bot"]) if event["type"] == "tokens_revoked" else None
    except (KeyError, TypeError, ValidationError):
        return None
