"""Models of the local workspace, frozen, and the closed union of their changes."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

HOME_TEAM = "T0SANDBOX"
"""Team that the app is installed in."""


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
"""Subtypes of messages that Slack itself writes into a channel."""


class Refused(Exception):
    """Refusal with Slack's error code; `messages` point at the faulty argument, `details` are added to the answer."""

    def __init__(self, error: str, *messages: str, details: Json | None = None) -> None:
        super().__init__(error, *messages)
        self.error = error
        self.messages = messages
        self.details: Json = details or {}


@dataclass(frozen=True, slots=True)
class Team:
    """Slack workspace; those of one Enterprise Grid share their `enterprise_id`."""

    id: str
    name: str
    domain: str
    enterprise_id: str = ""
    enterprise_name: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Member or guest of `team`, or a bot."""

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
    """Message as Slack stores it: `text` is escaped, `ts` identifies it within the channel."""

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
    """Further keys of a message by Slack: the new name, the old one, the topic."""
    team: str = HOME_TEAM
    origin: Json | None = None
    """Keys for an author of another team: `user_team`, `source_team`, `user_profile`."""
    reactions: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def is_broadcast(self) -> bool:
        """Return whether the reply is also shown in its channel."""
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
    """New channel."""

    channel: str
    user: str


@dataclass(frozen=True, slots=True)
class Joined:
    channel: str
    user: str
    inviter: str | None


@dataclass(frozen=True, slots=True)
class Left:
    """Departure of a member; `by` is who removed them, or themselves."""

    channel: str
    user: str
    by: str


@dataclass(frozen=True, slots=True)
class Archived:
    """Archiving of a channel, or its unarchiving with `again_open`."""

    channel: str
    user: str
    again_open: bool = False


@dataclass(frozen=True, slots=True)
class Redescribed:
    """New name, topic or purpose of a channel."""

    channel: str
    is_renamed: bool = False


@dataclass(frozen=True, slots=True)
class RoomDeleted:
    """Deletion of a channel with its messages; `members` were in it."""

    channel: str
    user: str
    is_private: bool
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """New state of the installation: revoked, uninstalled or installed."""

    state: str


@dataclass(frozen=True, slots=True)
class Shared:
    """Sharing of a channel with another team, or its end with `is_ended`."""

    channel: str
    team: str
    is_ended: bool = False


@dataclass(frozen=True, slots=True)
class TeamAdded:
    team: Team


@dataclass(frozen=True, slots=True)
class PersonChanged:
    """New (`before` is None) or changed person."""

    before: Person | None
    person: Person


OfMessages = Posted | Edited | Deleted | Reacted
OfRooms = Created | Joined | Left | Archived | Redescribed | RoomDeleted | Shared
OfTeams = TeamAdded | PersonChanged | InstallationChanged
Change = OfMessages | OfRooms | OfTeams


def micros(ts: str) -> int:
    """Convert a ts ("1712345678.000100") to microseconds. Raises ValueError."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1_000_000 + int(fraction.ljust(6, "0")[:6] or 0)
