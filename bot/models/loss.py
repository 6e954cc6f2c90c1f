"""Losses of access: channels, scopes and people that the bot can no longer reach in Slack, and the events about them.

`access.json` stores them, with the people already notified.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId

ChannelLoss = Literal["left", "archived", "deleted", "unseen", "renamed", "frozen", "shared", "public"]
"""`unseen`: Slack hides the channel from the bot without a reason. `frozen`: the connection with another company was
cut and nobody can write there. `shared` and `public`: people other than the members of a private channel read it, so
that no card may be shown there."""
Change = Literal["left", "joined", "archived", "unarchived", "deleted", "renamed", "shared", "unshared"]
LossKind = Literal[ChannelLoss, "scope", "person"]

UNHEARD_LOSSES = frozenset({"left", "archived", "deleted", "unseen", "frozen"})
"""Losses of a channel in which no messages arrive."""
UNNAMED = "unnamed"
"""Scope of a refusal that names none: only a restart without it can show that it was granted."""

PENDING, UNREACHABLE = "", "unreachable"
"""Values for a person whose notice may have been posted, and for one who cannot be reached through Slack."""


class Loss(Fact):
    """One loss of access, until it is over."""

    kind: LossKind
    subject: str
    """The id of the channel or the person, or the name of the scope."""
    at: datetime
    code: str = ""
    """Slack's error code, with the method that returned it."""
    name: str = ""
    """The channel's name; after a renaming the new one."""
    told: dict[str, str] = Field(default_factory=dict)
    """Notices sent, by user id: channel and ts, or `PENDING` or `UNREACHABLE`."""

    @property
    def nonce(self) -> str:
        """Return the key by which its notice is found again."""
        return f"{self.kind}-{self.subject}-{self.at.timestamp():.6f}"


class ChannelChanged(Fact):
    """A change of a channel, or of a membership in it."""

    chat_id: SlackId
    change: Change
    user_id: str = ""
    """The person who joined or left; empty for the bot itself."""


class PersonChanged(Fact):
    """A change of a person's account, such as a new picture or a deactivation."""

    user_id: SlackId


class AppRemoved(Fact):
    """Tokens of the app were revoked."""

    user_ids: tuple[str, ...] = ()
    """The bots whose tokens were revoked; empty if the app was removed."""


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
    """Parse a change of a channel from an `event_callback` body; `None` for other events."""
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
    """Parse a change of an account; `None` for every other body."""
    try:
        event = body["event"]
        return PersonChanged(user_id=event["user"]["id"]) if event["type"] == "user_change" else None
    except (KeyError, TypeError, ValidationError):
        return None


def read_app_removed(body: dict[str, Any]) -> AppRemoved | None:
    """Parse a revocation of tokens or a removal of the app; `None` for every other body."""
    try:
        event = body["event"]
        if event["type"] == "app_uninstalled":
            return AppRemoved()
        return AppRemoved(user_ids=event["tokens"]["bot"]) if event["type"] == "tokens_revoked" else None
    except (KeyError, TypeError, ValidationError):
        return None
