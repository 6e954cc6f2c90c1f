"""Inputs of commands: one model each.

A value that does not fit raises `ValueError` with a sentence for the user who typed it.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, StringConstraints

from bot.commands.nearest_name import suggest_clause
from bot.models.fact import Fact
from bot.models.message import SlackId, Ts
from bot.models.status import Mode

_LINK = re.compile(r"/archives/(?P<channel_id>[CDG][A-Z0-9]{1,30})/p(?P<seconds>\d{1,12})(?P<rest>\d{6})/?")
_ROOT = re.compile(r"(?:^|&)thread_ts=(\d{1,12}\.\d{6})(?:&|$)")
_CHANNEL = re.compile(r"<#([CDG][A-Z0-9]{1,30})(?:\|[^>]*)?>")
_LONGEST_LINK = 1_000
_AMOUNT = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,2})?")

MAX_USD = 1_000.0
"""Maximum of US dollars that one command accepts."""


class MessagePlace(Fact):
    """A message given by its link."""

    origin: str
    """URL of its workspace, without a final slash: `https://acme.slack.com`."""
    channel_id: SlackId
    ts: Ts
    root_ts: Ts
    """First message of its thread; for a message in the channel, itself."""


def parse_message_link(value: Any) -> Any:
    """Parse a link to a message as Slack copies it, with or without angle brackets."""
    if isinstance(value, MessagePlace):
        return value
    text = str(value).strip().removeprefix("<").removesuffix(">").partition("|")[0]
    try:
        parts = urlsplit(text) if len(text) <= _LONGEST_LINK else None
    except ValueError:
        parts = None
    named = parts and _LINK.fullmatch(parts.path)
    if not parts or not named or parts.scheme not in ("http", "https"):
        raise ValueError("expected the link of a message: in Slack, More actions, Copy link")
    ts = f"{named['seconds']}.{named['rest']}"
    root = _ROOT.search(parts.query)
    return MessagePlace(
        origin=f"{parts.scheme}://{parts.netloc}",
        channel_id=named["channel_id"],
        ts=ts,
        root_ts=root[1] if root else ts,
    )


Link = Annotated[
    MessagePlace,
    BeforeValidator(parse_message_link, json_schema_input_type=str),
    Field(description="The link of a message, as Slack copies it."),
]


def _parse_channel(value: Any) -> Any:
    """Parse `<#C0123|help>`, `#help`, `help` or `C0123`: return the id if it is given, else the name."""
    text = str(value).strip()
    if match := _CHANNEL.fullmatch(text):
        return match[1]
    return text.removeprefix("#")


ChannelName = Annotated[
    str,
    BeforeValidator(_parse_channel, json_schema_input_type=str),
    Field(description="A channel's name or id; here: the channel of the conversation."),
]
"""A channel by its id or name, as Slack writes it or as people type it."""

ProjectNamed = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=130),
    Field(description="A project's name."),
]
"""A project by its name, or one of its roots: `shop/api`."""


def _parse_mode(value: Any) -> Any:
    word = str(value).strip().lower()
    if word not in get_args(Mode):
        raise ValueError(f"expected live, preview or silent{suggest_clause(word, get_args(Mode))}")
    return word


class EmptyInput(Fact):
    """Input of a command without further words."""


class Help(Fact):
    """A command by name; without one, all of them."""

    command: str = Field("", description="A command or a subject.")


class OfMessage(Fact):
    """A message, by its link."""

    link: Link


class Days(Fact):
    """Number of days back from now."""

    days: Annotated[int, Field(ge=1, le=366, description="Number of days back from now.")] = 7


class InThread(Fact):
    """The thread of a message; without a link, the one in which the command is given."""

    link: Link | None = None


def _parse_usd(value: Any) -> Any:
    """Parse `5`, `$5` or `5.50`."""
    text = str(value).strip().removeprefix("$")
    if not _AMOUNT.fullmatch(text) or float(text) > MAX_USD:
        raise ValueError(f"expected US dollars, at most {MAX_USD:,.0f}, such as 5 or 2.50")
    return float(text)


class Money(Fact):
    """US dollars; 0 takes an earlier sum back."""

    usd: Annotated[
        float,
        BeforeValidator(_parse_usd, json_schema_input_type=float),
        Field(description="US dollars."),
    ]


class ChannelMode(Fact):
    """A watched channel by its id or name, and its mode."""

    channel: ChannelName
    mode: Annotated[
        Mode, BeforeValidator(_parse_mode), Field(description="live: as usual; preview: practice; silent: record only.")
    ]
