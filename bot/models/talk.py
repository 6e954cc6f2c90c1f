"""What is on record of a conversation with the chat agent: the turns that are open, and what outlives them.

A turn that has ended leaves its id and no word.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from bot.models.fact import Fact
from bot.models.interaction import Requester, said_in
from bot.models.message import Message, own_words
from bot.models.thread_id import ThreadId

TurnId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]

PRESSES = 20
"""So many presses of a conversation are kept."""
SHOWN = 20
"""So many answers that only their askers saw are kept of a conversation."""
REMEMBERED = 50
"""So many ended turns of a conversation are known by their ids, so that none is taken twice."""


class TalkTurn(Fact):
    """One message to the chat agent, until it is answered."""

    message: Message
    door: str
    """Why it is the chat agent's, as half a sentence."""
    pasted: bool = False
    """True if the message may hold text of others."""
    in_shared_channel: bool = False
    """True if people of another company read the channel in which it was said."""
    began_at: datetime | None = None
    """When the agent began; its commands may have been done since. `None` while the turn waits."""

    @property
    def turn_id(self) -> str:
        """The same for every delivery of the message: letters, digits and hyphens."""
        return turn_id(self.message)

    @property
    def nonce(self) -> str:
        """What the answer carries, so that it is found again."""
        return f"turn-{self.turn_id}"

    @property
    def is_direct(self) -> bool:
        """Return whether it was said in a direct message."""
        return is_direct(self.message.chat_id)

    @property
    def root_ts(self) -> str:
        """The ts of the thread in which it is answered."""
        return root_of(self.message.home)

    @property
    def asker(self) -> Requester:
        """On whose behalf its commands are given."""
        return Requester(
            text=own_words(self.message),
            interaction_id=said_in(self.message),
            team_id=self.message.team_id,
            user_id=self.message.sender.id,
            channel_id=self.message.chat_id,
            thread_id=self.message.home,
            via="chat",
            looks_at=self.message.page.channel_id if self.message.page else "",
        )


class CommandRun(Fact):
    """A command of a turn, as the audit has it."""

    line: str
    """What it came to, as whoever asked may know it: mrkdwn."""
    row: str = ""
    """The same as a channel may read it, where that is less."""
    at: datetime
    has_changed: bool
    waits: bool = False
    """True if a press was waited for, and nothing done."""


class Unsent(Fact):
    """A message of the bot's own that Slack did not take: it is looked for, and posted later."""

    turn_id: TurnId
    nonce: str
    """What its metadata carries."""
    text: str
    blocks: tuple[dict[str, Any], ...]
    kept_at: datetime
    user: str = ""
    """Who alone is to see it, in a direct message by now; empty for what all of the thread reads."""
    of_order: bool = False
    """True if it says what came of an order that no model was asked for: it is told while Triage is silent, too."""
    in_thread: bool = True
    """Of documents saved before; nothing reads it."""


class Shown(Fact):
    """An answer for its asker alone, which stands in no thread that could be read; seen unless it is unsent, too."""

    turn_id: TurnId
    user: str
    ts: str
    """When, as Slack counts."""
    said: str
    nonce: str = ""
    """How the nonces of its messages begin."""

    def holds(self, nonce: str) -> bool:
        """Return whether a message of this nonce is a part of it."""
        return bool(self.nonce) and nonce.startswith(f"{self.nonce}-")


class PressOutcome(Fact):
    """What came of a command that had waited for a press, as it stands in the conversation's history."""

    ts: str
    """When, as Slack counts."""
    said: str


class TalkRecord(Fact):
    """A conversation: a thread, also one of a direct message."""

    conversation: ThreadId
    saved_at: datetime
    tainted: bool = False
    """True if text of others was read in it; nothing takes that back."""
    refused: tuple[str, ...] = ()
    """Who was told that it is for members only."""
    turns: tuple[TalkTurn, ...] = ()
    """Those that are open, in the order in which they came."""
    done: tuple[str, ...] = ()
    """The ids of the last that ended."""
    answered: bool = False
    """True if the agent has answered in it."""
    unsent: tuple[Unsent, ...] = ()
    """What is to be posted yet, in order."""
    presses: tuple[PressOutcome, ...] = ()
    """The last ones, oldest first."""
    shown: tuple[Shown, ...] = ()
    """The last ones, oldest first."""
    format: Literal[1] = 1


def turn_id(message: Message) -> str:
    """The id of the turn that a message makes."""
    return f"{message.chat_id}-{message.message_id.replace('.', '-')}"


def message_of(turn: str) -> str:
    """The ts of the message that made a turn, of its id."""
    return ".".join(turn.split("-")[1:])


def root_of(conversation: str) -> str:
    """The ts of the message that opened it."""
    return conversation.rpartition("-")[2]


def channel_of(conversation: str) -> str:
    """The channel that it stands in."""
    return conversation.split("-")[1]


def is_direct(channel: str) -> bool:
    """Return whether this is a direct message with the bot; Slack tells it no others."""
    return channel.startswith("D")
