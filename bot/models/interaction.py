"""Press, dialog or command, parsed from Slack's payloads."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId, thread_id
from bot.models.queue import view_of
from bot.models.thread_id import THREAD_ID, ThreadId

if TYPE_CHECKING:
    from bot.models.message import Message

_NAMED = rf"(?P<draft_id>(?P<thread_id>{THREAD_ID.strip('^$')})/\d{{1,6}}) (?P<nonce>[A-Za-z0-9]{{1,64}})"
_VALUE = re.compile(_NAMED)
_TS = re.compile(r"\d{1,12}\.\d{1,6}")
_CHOSEN = re.compile(rf"(?P<action>[a-z_]{{1,40}}) {_NAMED}(?: (?P<confirmed>[0-9a-f]{{1,64}}))?")
"""Value of a menu option: its action, then the value of a button; for a confirmed button also the digest of the
faults, or the commit of a merge request."""


LONGEST_INPUT = 6_000
"""Characters of one dialog input; Slack takes 3,000, and may count some twice."""


class Interaction(Fact):
    """A person's action on the card of one draft."""

    interaction_id: str
    """Identical for every delivery of one press or dialog."""
    team_id: SlackId
    user_id: SlackId
    action: str
    """The button's `action_id`, the action of a menu option, or the dialog's `callback_id`."""
    thread_id: ThreadId
    draft_id: str
    nonce: str


class Press(Interaction):
    """A press on a button."""

    channel_id: SlackId
    """The channel of the button; on the App Home the user's own id."""
    trigger_id: str
    """Slack's trigger, which opens one dialog within three seconds."""
    in_queue: bool = False
    """True if the button is in the answer to `/triage queue`."""
    confirmed: str = ""
    """Digest of the faults that the button named before the press, or the commit of the merge request that it opens."""

    @property
    def is_on_home(self) -> bool:
        """Return whether the button is on the App Home."""
        return self.channel_id == self.user_id


class Dialog(Interaction):
    """A submitted dialog; `values` are its inputs by `block_id`."""

    values: dict[str, str]


class CardPress(Fact):
    """A press on a card's button; through its `response_url` the message can be changed."""

    user_id: SlackId
    thread_id: ThreadId
    message_ts: str
    is_ephemeral: bool
    """True if only this person sees the message."""
    response_url: str


class Asker(Fact):
    """The person behind a command, and its place; on the App Home `channel_id` is their own id."""

    interaction_id: str
    """Identical for every delivery of one command."""
    team_id: SlackId
    user_id: SlackId
    channel_id: SlackId
    thread_id: ThreadId | None = None
    """The thread of the command; slash commands have one only where Slack tells it."""
    via: Literal["slash", "thread", "emoji", "home", "chat", "cli", "hook"]
    """Origin: `/triage …`, a message such as `!triage …`, an emoji, a button of the App Home, the chat agent on this
    person's behalf, the command line, or a hook of this person."""

    looks_at: str = Field(default="", exclude=True)
    """The watched channel that they view, and may read, while they write to the bot directly."""

    @property
    def written_at(self) -> datetime | None:
        """Return the time of the message that gives the command; `None` for other commands."""
        ts = self.interaction_id.removeprefix(f"{self.channel_id}-")
        return datetime.fromtimestamp(float(ts), UTC) if self.via == "thread" and _TS.fullmatch(ts) else None

    @property
    def conversation(self) -> str:
        """Return the conversation of the command: the thread, else the channel or the direct message."""
        return self.thread_id or self.channel_id


class ThreadAsker(Asker):
    """A requester with a known thread."""

    thread_id: ThreadId

    @property
    def root_ts(self) -> str:
        """Return the ts of the thread's first message."""
        return self.thread_id.rpartition("-")[2]


class Requester(Asker):
    """A requester with the text of their request."""

    text: str
    """The request's words, without its context."""


class TypedCommand(Asker):
    """A command as somebody typed it."""

    text: str
    """The text after `/triage` or `!triage`."""


UnheardReason = Literal["late", "not a person"]
"""Reason why a command in a message is not run."""


class MalformedCommand(Fact):
    """A slash command whose payload does not parse, as far as it can be read."""

    user_id: str
    text: str


_WRAPPED = re.compile(r"<(?:mailto:)?(?P<target>(?:(?:https?|ssh|file)://|(?<=mailto:))[^<>|\s]+)(?:\|[^<>]*)?>")
_LONGEST_MALFORMED = 300
_SPOKEN = re.compile(r"\s*!triage(?:\s++(?P<text>.*))?", re.DOTALL | re.IGNORECASE)


def read_command(body: dict[str, Any]) -> TypedCommand | MalformedCommand:
    """Parse a `slash_commands` payload."""
    try:
        trigger = hashlib.sha256(str(body["trigger_id"]).encode("utf-8", "replace")).hexdigest()[:16]
        root = body.get("thread_ts")
        return TypedCommand(
            interaction_id=f"{body['user_id']}-command-{trigger}",
            team_id=body["team_id"],
            user_id=body["user_id"],
            channel_id=body["channel_id"],
            thread_id=thread_id(body["team_id"], body["channel_id"], root) if root else None,
            via="slash",
            text=_unescape_typed(body.get("text") or ""),
        )
    except (KeyError, TypeError, AttributeError, ValidationError):
        shown = (str(body.get(key) or "")[:_LONGEST_MALFORMED] for key in ("user_id", "text"))
        return MalformedCommand(**dict(zip(("user_id", "text"), shown, strict=True)))


def _unescape_typed(text: str) -> str:
    """Return the typed text: Slack wraps links and escapes three characters. Ids of channels and people are kept."""
    bare = _WRAPPED.sub(r"\g<target>", text)
    return bare.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def message_interaction_id(message: Message) -> str:
    """Return the `interaction_id` for any action that a message triggers."""
    return f"{message.chat_id}-{message.message_id}"


def is_command_message(message: Message) -> bool:
    """Return whether a message begins with `!triage`: it is a command, not a question to the channel."""
    return _SPOKEN.fullmatch(message.own_content) is not None


def read_message_command(message: Message) -> TypedCommand | None:
    """Parse the command in a message, whoever wrote it; `None` if there is none."""
    match = _SPOKEN.fullmatch(message.own_content)
    if match is None:
        return None
    try:
        return TypedCommand(
            interaction_id=message_interaction_id(message),
            team_id=message.team_id,
            user_id=message.sender.id,
            channel_id=message.chat_id,
            thread_id=message.thread_id,
            via="thread",
            text=match["text"] or "",
        )
    except ValidationError:
        return None


def read_press(body: dict[str, Any]) -> Press | None:
    """Parse a press in a `block_actions` payload; `None` for buttons of other apps."""
    try:
        pressed = body["actions"][0]
        is_menu = pressed.get("type") == "overflow"
        option_value = pressed["selected_option"]["value"] if is_menu else f"{pressed['action_id']} {pressed['value']}"
        named = _CHOSEN.fullmatch(option_value)
        return named and Press(
            interaction_id=f"{body['user']['id']}-{named['action']}-{pressed['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            channel_id=_channel_of_button(body),
            trigger_id=body["trigger_id"],
            in_queue=view_of(body) is not None,
            **{name: value for name, value in named.groupdict().items() if value is not None},
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValidationError):
        return None


def _channel_of_button(body: dict[str, Any]) -> str:
    """Return the channel of the message with the button; on the App Home the user's own id."""
    if "channel" not in body and body["view"]["type"] == "home":
        return str(body["user"]["id"])
    return str(body["channel"]["id"])


def read_card_press(press: Press, body: dict[str, Any]) -> CardPress | None:
    """Add the address of its message to a press; `None` if Slack gave none, as on the App Home."""
    try:
        container = body["container"]
        return CardPress(
            user_id=press.user_id,
            thread_id=press.thread_id,
            message_ts=container["message_ts"],
            is_ephemeral=container.get("is_ephemeral") is True,
            response_url=body["response_url"],
        )
    except (KeyError, TypeError, AttributeError, ValidationError):
        return None


def draft_named(value: str) -> str | None:
    """Return the thread id in a button's value."""
    named = _VALUE.fullmatch(value)
    return named and named["thread_id"]


def read_dialog(body: dict[str, Any]) -> Dialog | None:
    """Parse the dialog in a `view_submission` payload; `None` if it is not one of these."""
    try:
        view = body["view"]
        named = _VALUE.fullmatch(view["private_metadata"])
        inputs = view["state"]["values"]
        values = {block: _input_value(next(iter(by_action.values()))) for block, by_action in inputs.items()}
        if any(len(value) > LONGEST_INPUT for value in values.values()):
            return None
        digest = hashlib.sha256(repr(values).encode("utf-8", "replace")).hexdigest()[:16]
        return named and Dialog(
            interaction_id=f"{body['user']['id']}-{view['id']}-{digest}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            action=view["callback_id"],
            values=values,
            **named.groupdict(),
        )
    except (KeyError, IndexError, TypeError, AttributeError, StopIteration, ValidationError):
        return None


def _input_value(element: dict[str, Any]) -> str:
    """Return the value of an input: the typed text, the option or the person chosen; empty if unset."""
    match element:
        case {"selected_option": option}:
            return str(option["value"]) if option else ""
        case {"selected_user": user}:
            return user or ""
        case _:
            return element["value"] or ""
