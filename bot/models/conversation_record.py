"""Record of a conversation with the chat agent: its open turns, and the data that outlives them.

A finished turn leaves its id and no text.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from bot.models.fact import Fact
from bot.models.interaction import Requester, message_interaction_id
from bot.models.message import Message, own_words
from bot.models.thread_id import ThreadId

TurnId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]

PRESSES = 20
"""Presses kept for each conversation."""
MAX_EPHEMERAL_ANSWERS = 20
"""Ephemeral answers kept for each conversation."""
REMEMBERED = 50
"""Ids of finished turns kept for each conversation, so that none is accepted twice."""


class TurnRecord(Fact):
    """One message to the chat agent, until it is answered."""

    message: Message
    door: str
    """The reason why the chat agent is addressed, as half a sentence."""
    pasted: bool = False
    """True if the message may hold text by others."""
    in_shared_channel: bool = False
    """True if people of another company read its channel."""
    began_at: datetime | None = None
    """The time when the agent began; its commands may have run since. `None` while the turn waits."""

    @property
    def turn_id(self) -> str:
        """Return the id of the turn, identical for every delivery: letters, digits and hyphens."""
        return turn_id(self.message)

    @property
    def nonce(self) -> str:
        """Return the key by which its answer is found again."""
        return f"turn-{self.turn_id}"

    @property
    def is_direct(self) -> bool:
        """Return whether the message is a direct message."""
        return is_direct(self.message.chat_id)

    @property
    def root_ts(self) -> str:
        """Return the ts of the thread for the answer."""
        return root_of(self.message.home)

    @property
    def asker(self) -> Requester:
        """Return the requester of the turn's commands."""
        return Requester(
            text=own_words(self.message),
            interaction_id=message_interaction_id(self.message),
            team_id=self.message.team_id,
            user_id=self.message.sender.id,
            channel_id=self.message.chat_id,
            thread_id=self.message.home,
            via="chat",
            looks_at=self.message.page.channel_id if self.message.page else "",
        )


class CommandRun(Fact):
    """A command of a turn, as recorded in the audit."""

    line: str
    """The result for the requester, as mrkdwn."""
    row: str = ""
    """The shorter result for a channel, if different."""
    at: datetime
    has_changed: bool
    waits: bool = False
    """True if it only asked for a confirmation."""


class UnsentMessage(Fact):
    """A message of the bot that Slack did not accept: it is looked for, and posted later."""

    turn_id: TurnId
    nonce: str
    """The key in its metadata."""
    text: str
    blocks: tuple[dict[str, Any], ...]
    kept_at: datetime
    user: str = ""
    """The only recipient, by direct message; empty if the whole thread may read it."""
    of_order: bool = False
    """True if it is the result of an order that needed no model: it is sent even while Triage is silent."""


class EphemeralAnswer(Fact):
    """An ephemeral answer, which no thread history contains; it was seen unless it is unsent, too."""

    turn_id: TurnId
    user: str
    ts: str
    """The time, as a Slack timestamp."""
    said: str
    nonce: str = ""
    """Prefix of the nonces of its messages."""

    def holds(self, nonce: str) -> bool:
        """Return whether the message with this nonce is a part of it."""
        return bool(self.nonce) and nonce.startswith(f"{self.nonce}-")


class PressOutcome(Fact):
    """The result of a confirmed command, for the conversation's history."""

    ts: str
    """The time, as a Slack timestamp."""
    said: str


class ConversationRecord(Fact):
    """A conversation in a thread, possibly one of a direct message."""

    conversation: ThreadId
    saved_at: datetime
    tainted: bool = False
    """True if the agent has read text by others in it; this is permanent."""
    refused: tuple[str, ...] = ()
    """The people told that only members may use it."""
    turns: tuple[TurnRecord, ...] = ()
    """The open turns, in the order of their arrival."""
    done: tuple[str, ...] = ()
    """The ids of the last finished turns."""
    answered: bool = False
    """True if the agent has answered in it."""
    unsent: tuple[UnsentMessage, ...] = ()
    """The messages still to be posted, in order."""
    presses: tuple[PressOutcome, ...] = ()
    """The last ones, oldest first."""
    shown: tuple[EphemeralAnswer, ...] = ()
    """The last ones, oldest first."""
    format: Literal[1] = 1


def turn_id(message: Message) -> str:
    """Return the id of a message's turn."""
    return f"{message.chat_id}-{message.message_id.replace('.', '-')}"


def message_of(turn: str) -> str:
    """Return the ts of the message from the id of its turn."""
    return ".".join(turn.split("-")[1:])


def root_of(conversation: str) -> str:
    """Return the ts of the conversation's first message."""
    return conversation.rpartition("-")[2]


def channel_of(conversation: str) -> str:
    """Return the channel of the conversation."""
    return conversation.split("-")[1]


def is_direct(channel: str) -> bool:
    """Return whether this is a direct message with the bot; Slack sends it no others."""
    return channel.startswith("D")
