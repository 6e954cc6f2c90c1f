"""Normalised message (spec 1, 3.1), and the normaliser that builds one from a Slack event.

Events are normalised before they are journaled; later code never reads Slack's own shapes.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from bot.models.alert import Alert
from bot.models.contents import Contents, read_contents
from bot.models.excerpts import excerpt
from bot.models.fact import Fact
from bot.models.installation import installed_team, is_shared_externally, team_of_author
from bot.models.markup import find_ids, search_text, without_places
from bot.models.markup import plain_text as plain_text
from bot.models.pasted import is_pasted, read_typed_text
from bot.models.sent_file import SentFile
from bot.models.viewed_page import Page, SubjectProject, read_viewed_channel

if TYPE_CHECKING:
    from collections.abc import Mapping

_TS = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")
Ts = Annotated[str, StringConstraints(pattern=rf"^{_TS.pattern}$")]
"""Slack's id of a message within its channel: seconds, a dot, microseconds."""

SlackId = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]{1,30}$")]

SLACKBOT = "USLACKBOT"
"""Slack's own bot, which carries no `bot_id`."""

_USER = re.compile(r"<@([A-Z][A-Z0-9]+)(?:\|[^<>]*)?>")
_NEW_SUBTYPES = (None, "thread_broadcast", "file_share", "me_message", "bot_message")
"""Subtypes of new messages; others (joins, edits, deletions …) are not new messages by a person."""


class Sender(Fact):
    """The author of a message."""

    id: str
    type: Literal["user", "bot"]
    other_ids: tuple[str, ...] = Field(default=(), exclude=True)
    """The other ids of a bot, as a bot and as an app; used by intake, stored in no record."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return all ids of the author."""
        return (self.id, *self.other_ids)


class Message(Fact):
    """One message, normalised (spec 1, 3.1). Times are RFC 3339 in UTC."""

    platform: Literal["slack"] = "slack"
    team_id: SlackId
    chat_id: SlackId
    chat_name: str
    message_id: Ts
    create_time: datetime
    msg_type: str
    content: str
    """The readable content without name lookups: entities decoded, mentions as `@U123`, links as their address,
    including blocks, attachments and files (`models/contents`)."""
    thread_id: str | None
    """The thread that it replies in, `<team>-<channel>-<ts>`; `None` for a message in the channel itself."""
    sender: Sender
    mentions: tuple[str, ...] = ()
    words: str | None = Field(default=None, exclude=True)
    """`content` without mentions, channels, groups and emoji; `None` if only `content` is known."""
    rules_content: str | None = Field(default=None, exclude=True)
    """`content` without channels, groups and broadcasts, split by `models/contents.ATTACHED`; `None` as for `words`."""
    own: str | None = Field(default=None, exclude=True)
    """The part of `content` that its author typed (`models/pasted`); `None` if only `content` is known."""
    names: dict[str, str] = Field(default_factory=dict, exclude=True)
    """The names of the ids in `content`, and of its author; empty if a name is not known."""
    unread: tuple[str, ...] = Field(default=(), exclude=True)
    """The files, and parts of them, that were not read."""
    files: tuple[SentFile, ...] = Field(default=(), exclude=True)
    """The text files that it does not show in full."""
    shared: tuple[str, ...] = Field(default=(), exclude=True)
    """The authors of the messages shared in it."""
    pasted: bool = Field(default=False, exclude=True)
    """True if it may hold text by others (`models/pasted`)."""
    in_shared_channel: bool = Field(default=False, exclude=True)
    """True if people of another organisation read its channel, according to its event."""
    edited_ts: str = Field(default="", exclude=True)
    """Slack's `ts` of its newest edit; empty if it was not edited."""
    sender_team: str = Field(default="", exclude=True)
    """The workspace or organisation of its author, according to its event; may be empty."""
    looks_at: str | None = Field(default=None, exclude=True)
    """The channel that its author was viewing (`models/viewed_page`)."""
    page: Page | None = Field(default=None, exclude=True)
    """The viewed page, if relevant, for a direct message."""
    subject: SubjectProject | None = Field(default=None, exclude=True)
    """The project of a question in a direct message, or of the message of an incident."""

    alert: Alert | None = Field(default=None, exclude=True)
    """The alert that a program states in it; set by intake."""

    @property
    def asks(self) -> str:
        """Return the search text: the content without mentions, channels, groups and emoji."""
        if self.words is not None:
            return self.words
        text = self.content
        for user in self.mentions:
            text = without_mention(text, user)
        return search_text(text)

    @property
    def rules_text(self) -> str:
        """Return the text for the rules of tier 0: mentions of people count, places do not."""
        return self.content if self.rules_content is None else self.rules_content

    @property
    def own_content(self) -> str:
        """Return the words the author typed: a forwarded command is not a command."""
        return self.content if self.own is None else self.own

    @property
    def known_names(self) -> dict[str, str]:
        """Return all ids in `content`, with their names or an empty string."""
        return {**dict.fromkeys(self.mentions, ""), **self.names}

    @property
    def home(self) -> str:
        """Return the `thread_id` of the thread that this message belongs to or would open."""
        return self.thread_id or f"{self.team_id}-{self.chat_id}-{self.message_id}"  # the same form as `thread_id`


class Edit(Fact):
    """An edited message."""

    message: Message


class Deletion(Fact):
    """A deleted message."""

    team_id: SlackId
    chat_id: SlackId
    message_id: Ts
    thread_id: str
    """The thread that it belonged to or had opened."""


def thread_id(team: str, channel: str, ts: str) -> str:
    """Build `<team>-<channel>-<ts>`: the id of a thread everywhere, including file names."""
    return f"{team}-{channel}-{ts}"


def normalise(
    body: dict[str, Any], *, chat_names: Mapping[str, str], team: str = ""
) -> Message | Edit | Deletion | None:
    """Parse the message of an `event_callback` body; `None` if it holds none.

    `chat_names` maps channel ids to names; an unknown channel keeps its id. `team` is the workspace that has the app,
    if known; else the body gives it. Raises nothing: a malformed event is not a message.
    """
    event = body.get("event")
    if not isinstance(event, dict) or event.get("type") not in ("message", "app_mention"):
        return None
    body = {**body, "team_id": team or installed_team(body)}
    match event.get("subtype"):
        case "message_changed":
            return _parse_edit(body, event, chat_names)
        case "message_deleted":
            return _parse_deletion(body, event, event.get("deleted_ts"))
        case subtype if subtype in _NEW_SUBTYPES and not event.get("hidden"):
            return _message(body, event, chat_names)
        case _:
            return None


def _parse_edit(body: dict[str, Any], event: dict[str, Any], chat_names: Mapping[str, str]) -> Edit | Deletion | None:
    """Parse an edit; the deletion of a thread's first message arrives as one too, with a tombstone."""
    inner = event.get("message")
    if not isinstance(inner, dict):
        return None
    if inner.get("subtype") == "tombstone":
        return _parse_deletion(body, event, inner.get("ts"))
    previous = event.get("previous_message")
    if isinstance(previous, dict) and read_contents(previous)[:3] == read_contents(inner)[:3]:
        return None  # a preview or a reply was added: the text is unchanged
    message = _message(body, {**inner, "channel": event.get("channel")}, chat_names)
    return Edit(message=message) if message else None


def _parse_deletion(body: dict[str, Any], event: dict[str, Any], ts: Any) -> Deletion | None:
    previous = event.get("previous_message")
    root = previous.get("thread_ts") if isinstance(previous, dict) else None
    team, channel = body.get("team_id"), event.get("channel")
    try:
        return Deletion(
            team_id=team, chat_id=channel, message_id=ts, thread_id=thread_id(str(team), str(channel), root or ts)
        )
    except ValidationError:
        return None


def _message(body: dict[str, Any], event: dict[str, Any], chat_names: Mapping[str, str]) -> Message | None:
    text, ts, channel, team = event.get("text") or "", event.get("ts"), event.get("channel"), body.get("team_id")
    try:
        if not (isinstance(ts, str) and isinstance(text, str)):
            return None
        read, sender = read_contents(event), _sender(event)
        content = plain_text(read.text)
        root = event.get("thread_ts")
        return Message(
            team_id=team,
            chat_id=channel,
            chat_name=chat_names.get(str(channel), str(channel)),
            message_id=ts,
            create_time=datetime.fromtimestamp(float(ts), UTC),
            msg_type="thread_reply" if root and root != ts else "file" if event.get("files") else "text",
            content=content,
            thread_id=thread_id(str(team), str(channel), root) if root and root != ts else None,
            sender=sender,
            mentions=mentions_in(event),
            rules_content=text_for_rules(read.for_rules),
            words=search_text(excerpt(read.asks), read.emoji),
            own=content if read.own == read.text else plain_text(read.own),
            names={sender.id: _bot_name(event), **_names(read, chat_names)},
            unread=read.unread,
            files=read.files,
            shared=read.shared,
            pasted=is_pasted(event),
            in_shared_channel=is_shared_externally(body),
            edited_ts=read_edit_ts(event),
            sender_team=team_of_author(event),
            looks_at=read_viewed_channel(event),
        )
    except (ValidationError, ValueError, OverflowError, OSError):
        return None


def mentions_in(event: dict[str, Any]) -> tuple[str, ...]:
    """Return the users mentioned by the author of a message in Slack's own shape; quoted mentions do not count."""
    if "<@" not in str(event.get("text")) and not event.get("blocks"):
        return ()
    return tuple(dict.fromkeys(_USER.findall(read_typed_text(event))))


def text_for_rules(mrkdwn: str) -> str:
    """Convert `Contents.for_rules` to the text for the rules of tier 0."""
    return plain_text(without_places(excerpt(mrkdwn)))


def read_edit_ts(event: dict[str, Any]) -> str:
    """Return Slack's `ts` of a message's newest edit; empty if it was not edited."""
    edited = event.get("edited")
    ts = edited.get("ts") if isinstance(edited, dict) else None
    return ts if isinstance(ts, str) and _TS.fullmatch(ts) else ""


def _bot_name(event: dict[str, Any]) -> str:
    """Return the name of a bot; empty for a person, whose name may have changed."""
    profile = event.get("bot_profile")
    name = event.get("username") or (profile.get("name") if isinstance(profile, dict) else "")
    return " ".join(name.split()) if isinstance(name, str) else ""


def _names(read: Contents, chat_names: Mapping[str, str]) -> dict[str, str]:
    return {
        target: " ".join(name.split()) or chat_names.get(target, "") for target, name in find_ids(read.text).items()
    }


def without_mention(text: str, user: str) -> str:
    """Remove the mention of `user` from a message's `content`."""
    return text.replace(f"@{user}", " ").strip()


def own_words(message: Message) -> str:
    """Return a message's `content` without the mentions of people."""
    words = message.content
    for user in message.mentions:
        words = words.replace(f"@{user}", " ")
    return " ".join(words.split())


def _sender(event: dict[str, Any]) -> Sender:
    ids = [str(event[key]) for key in ("user", "bot_id", "app_id") if event.get(key)]
    marks = ("bot_id", "bot_profile", "app_id")
    is_bot = any(event.get(key) for key in marks) or event.get("subtype") == "bot_message" or SLACKBOT in ids
    first = next(iter(ids), "unknown")
    return Sender(id=first, type="bot" if is_bot else "user", other_ids=tuple(ids[1:]) if is_bot else ())
