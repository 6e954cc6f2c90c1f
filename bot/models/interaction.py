"""A press, a submitted dialog or a command as every other room sees it, read from Slack's own payload.

`adapters/listeners` hands the payload on; `intake/record` journals it; `approval/actions` acts on presses and dialogs,
`bot/commands` on commands.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId
from bot.models.queue import view_of
from bot.models.thread_id import THREAD_ID, ThreadId

if TYPE_CHECKING:
    from bot.models.message import Message

_NAMED = rf"(?P<draft_id>(?P<thread_id>{THREAD_ID.strip('^$')})/\d{{1,6}}) (?P<nonce>[A-Za-z0-9]{{1,64}})"
_VALUE = re.compile(_NAMED)
_CHOSEN = re.compile(rf"(?P<action>[a-z_]{{1,40}}) {_NAMED}(?: (?P<confirmed>[0-9a-f]{{1,64}}))?")
"""What an option of a menu carries: which action it stands for, and what a button carries; of a button that asks once
more, which faults it names."""


LONGEST_INPUT = 6_000
"""Characters of one input of a dialog; Slack takes 3,000, and may count some twice."""


class Interaction(Fact):
    """What a person did with a card: who, what, and to which draft as it was drawn."""

    interaction_id: str
    """The same for every delivery of one press or dialog."""
    team_id: SlackId
    user_id: SlackId
    action: str
    """The button's `action_id`, what an option of a menu stands for, or the dialog's `callback_id`."""
    thread_id: ThreadId
    draft_id: str
    nonce: str


class Press(Interaction):
    """A button was pressed."""

    channel_id: SlackId
    """Where the button is; on the App Home the user's own id."""
    trigger_id: str
    """Opens one dialog, within three seconds."""
    in_queue: bool = False
    """True if the button stands in the answer to `/triage queue`."""
    confirmed: str = ""
    """Which faults the button named before it was pressed (`models/faults.confirmation`)."""

    @property
    def is_on_home(self) -> bool:
        """Return whether the button is on the App Home."""
        return self.channel_id == self.user_id


class Dialog(Interaction):
    """A dialog was submitted; `values` are its inputs by `block_id`."""

    values: dict[str, str]


class CardPress(Fact):
    """A button of a card was pressed: with `response_url` the message that it stands in can be changed."""

    user_id: SlackId
    thread_id: ThreadId
    message_ts: str
    is_ephemeral: bool
    """True if only this person sees the message."""
    response_url: str


class Asker(Fact):
    """Who wants a command done, and where they stand; on the App Home `channel_id` is their own id."""

    interaction_id: str
    """The same for every delivery of one command."""
    team_id: SlackId
    user_id: SlackId
    channel_id: SlackId
    thread_id: ThreadId | None = None
    """The thread that it was said in; Slack offers slash commands in none."""
    via: Literal["slash", "thread", "emoji", "home", "chat", "cli"]
    """`/triage …`, `!triage …` or another word as a message, an emoji, a button of the App Home, what the chat agent
    chose for this person, or the command line."""

    looks_at: str = Field(default="", exclude=True)
    """The watched channel that they look at, and may, while they write to the bot directly."""

    @property
    def conversation(self) -> str:
        """Which conversation it was said in: the thread, else the channel or the direct message."""
        return self.thread_id or self.channel_id


class ThreadAsker(Asker):
    """Who wants something of a thread that is known."""

    thread_id: ThreadId

    @property
    def root_ts(self) -> str:
        """The ts that the thread began with."""
        return self.thread_id.rpartition("-")[2]


class Requester(Asker):
    """Who wants something done that they have said in words of their own."""

    text: str
    """Those words, for themselves alone."""


class TypedCommand(Asker):
    """What somebody wants the bot itself to do, as they typed it."""

    text: str
    """What stands after `/triage` or `!triage`."""


_WRAPPED = re.compile(r"<(?:mailto:)?(?P<target>(?:(?:https?|ssh|file)://|(?<=mailto:))[^<>|\s]+)(?:\|[^<>]*)?>")
_SPOKEN = re.compile(r"\s*!triage(?:\s++(?P<text>.*))?", re.DOTALL | re.IGNORECASE)


def read_command(body: dict[str, Any]) -> TypedCommand | None:
    """The command in a `slash_commands` payload; `None` when it breaks Slack's own shape."""
    try:
        trigger = hashlib.sha256(str(body["trigger_id"]).encode("utf-8", "replace")).hexdigest()[:16]
        return TypedCommand(
            interaction_id=f"{body['user_id']}-command-{trigger}",
            team_id=body["team_id"],
            user_id=body["user_id"],
            channel_id=body["channel_id"],
            via="slash",
            text=_typed(body.get("text") or ""),
        )
    except (KeyError, TypeError, ValidationError):
        return None


def _typed(text: str) -> str:
    """What was typed: Slack wraps links and escapes three signs. Channels and people stay, since ids are exact."""
    bare = _WRAPPED.sub(r"\g<target>", text)
    return bare.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def said_in(message: Message) -> str:
    """The `interaction_id` of whatever a message has the bot do."""
    return f"{message.chat_id}-{message.message_id}"


def is_spoken(message: Message) -> bool:
    """Return whether a message begins with `!triage`: it is said to the bot, and no question to the channel."""
    return _SPOKEN.fullmatch(message.own_content) is not None


def spoken_command(message: Message) -> TypedCommand | None:
    """The command in a person's message; `None` when there is none, or a bot said it."""
    said = _SPOKEN.fullmatch(message.own_content)
    if said is None or message.sender.type != "user":
        return None
    try:
        return TypedCommand(
            interaction_id=said_in(message),
            team_id=message.team_id,
            user_id=message.sender.id,
            channel_id=message.chat_id,
            thread_id=message.thread_id,
            via="thread",
            text=said["text"] or "",
        )
    except ValidationError:
        return None


def read_press(body: dict[str, Any]) -> Press | None:
    """The press in a `block_actions` payload; `None` when it is on nothing of ours."""
    try:
        pressed = body["actions"][0]
        is_menu = pressed.get("type") == "overflow"
        said = pressed["selected_option"]["value"] if is_menu else f"{pressed['action_id']} {pressed['value']}"
        named = _CHOSEN.fullmatch(said)
        return named and Press(
            interaction_id=f"{body['user']['id']}-{named['action']}-{pressed['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            channel_id=_place(body),
            trigger_id=body["trigger_id"],
            in_queue=view_of(body) is not None,
            **{name: value for name, value in named.groupdict().items() if value is not None},
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValidationError):
        return None


def _place(body: dict[str, Any]) -> str:
    """The channel of the message with the button; the user's own id on the App Home, which is in no channel."""
    if "channel" not in body and body["view"]["type"] == "home":
        return str(body["user"]["id"])
    return str(body["channel"]["id"])


def read_card_press(press: Press, body: dict[str, Any]) -> CardPress | None:
    """The same press with the address of its message; `None` where Slack gave none, as on the App Home."""
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
    """The thread that a button's value names."""
    named = _VALUE.fullmatch(value)
    return named and named["thread_id"]


def read_dialog(body: dict[str, Any]) -> Dialog | None:
    """The dialog in a `view_submission` payload; `None` when it is none of ours."""
    try:
        view = body["view"]
        named = _VALUE.fullmatch(view["private_metadata"])
        inputs = view["state"]["values"]
        values = {block: _given(next(iter(by_action.values()))) for block, by_action in inputs.items()}
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


def _given(element: dict[str, Any]) -> str:
    """What stands in an input: the text typed, the option or the person chosen; empty where nothing is."""
    match element:
        case {"selected_option": option}:
            return str(option["value"]) if option else ""
        case {"selected_user": user}:
            return user or ""
        case _:
            return element["value"] or ""
