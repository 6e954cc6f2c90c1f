"""The nouns of the local workspace, frozen, and the closed union of what can happen to them."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

HOME_TEAM = "T0SANDBOX"
"""The team that the app is installed in."""


LINES = frozenset(
    [
        "channel_join",
        "channel_leave",
        "channel_archive",
        "channel_unarchive",
        "channel_name",
        "channel_topic",
        "channel_purpose",
        "assistant_app_thread",
    ]
)
"""Subtypes of the lines that Slack itself writes into a channel."""


class Refused(Exception):
    """The workspace says no, with Slack's error code; `messages` point at the faulty argument."""

    def __init__(self, error: str, *messages: str) -> None:
        super().__init__(error, *messages)
        self.error = error
        self.messages = messages


@dataclass(frozen=True, slots=True)
class Team:
    """A Slack workspace; those of one Enterprise Grid share their `enterprise_id`."""

    id: str
    name: str
    domain: str
    enterprise_id: str = ""
    enterprise_name: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in Slack, the bot included: a member or guest of `team`."""

    id: str
    name: str
    title: str
    is_bot: bool = False
    is_admin: bool = False
    is_guest: bool = False
    bot_id: str = ""
    app_id: str = ""
    team: str = HOME_TEAM
    is_single_channel_guest: bool = False
    is_deactivated: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message as Slack stores it: `text` is escaped, `ts` is its name within the channel."""

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json]
    thread_ts: str | None = None
    subtype: str | None = None
    client_msg_id: str | None = None
    metadata: Json | None = None
    edited: Json | None = None
    username: str | None = None
    inviter: str | None = None
    attachments: list[Json] | None = None
    files: list[Json] | None = None
    details: Json | None = None
    """Further keys of a line of Slack: the new name, the old one, the topic."""
    team: str = HOME_TEAM
    origin: Json | None = None
    """What Slack adds when the author is of another team: `user_team`, `source_team`, `user_profile`."""
    reactions: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def is_broadcast(self) -> bool:
        """A reply that stands in its channel too."""
        return self.subtype == "thread_broadcast"


@dataclass(frozen=True, slots=True)
class Posted:
    message: Message


@dataclass(frozen=True, slots=True)
class Edited:
    before: Message
    after: Message


@dataclass(frozen=True, slots=True)
class Deleted:
    message: Message


@dataclass(frozen=True, slots=True)
class Reacted:
    after: Message
    user: str
    name: str
    added: bool


@dataclass(frozen=True, slots=True)
class Created:
    """A channel that was not there before."""

    channel: str
    user: str


@dataclass(frozen=True, slots=True)
class Joined:
    channel: str
    user: str
    inviter: str | None


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody is no longer in a channel: `by` is who took them out, or themselves."""

    channel: str
    user: str
    by: str


@dataclass(frozen=True, slots=True)
class Archived:
    """A channel was archived, or unarchived when `again_open`."""

    channel: str
    user: str
    again_open: bool = False


@dataclass(frozen=True, slots=True)
class Redescribed:
    """A channel has another name, topic or purpose."""

    channel: str
    is_renamed: bool = False


@dataclass(frozen=True, slots=True)
class RoomDeleted:
    """A channel is gone with all that was said in it; `members` were in it."""

    channel: str
    user: str
    is_private: bool
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """The app's tokens were revoked, the app was uninstalled, or installed again."""

    state: str


@dataclass(frozen=True, slots=True)
class Shared:
    """A channel has become one of another team's too, or with `ended` no longer is."""

    channel: str
    team: str
    ended: bool = False


@dataclass(frozen=True, slots=True)
class TeamAdded:
    team: Team


@dataclass(frozen=True, slots=True)
class PersonChanged:
    """Somebody is new (`before` is None) or was changed."""

    before: Person | None
    person: Person


OfMessages = Posted | Edited | Deleted | Reacted
OfRooms = Created | Joined | Left | Archived | Redescribed | RoomDeleted | Shared
OfTeams = TeamAdded | PersonChanged | InstallationChanged
Change = OfMessages | OfRooms | OfTeams


def micros(ts: str) -> int:
    """A ts ("1712345678.000100") as whole microseconds; ValueError when it is none."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1_000_000 + int(fraction.ljust(6, "0")[:6] or 0)
