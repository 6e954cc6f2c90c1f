"""What intake knows of those who act on what comes in: threads, cards, commands, mutes, emoji.

The protocols between `bot/intake` and `bot/triage` or `bot/chat`; only `wiring/app` knows both sides. Those towards the
outside are in `bot/ports` and `ports/slack`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.models.external import External
    from bot.models.interaction import Dialog, Press, TypedCommand
    from bot.models.message import Deletion, Message
    from bot.models.named_question import OwnQuestion
    from bot.models.order import Order, Place
    from bot.models.pending_command import ConfirmationDialog, ConfirmationPress
    from bot.models.reaction import Reacted
    from bot.models.received_payload import Pressed, Submitted
    from bot.models.status import Mode
    from bot.models.thread_event import Deleted, Edited, MessageAdded, Overheard


class Threads(Protocol):
    """What intake knows of the orchestrator."""

    def is_open(self, thread_id: str) -> bool:
        """Return whether this thread has work outstanding."""

    def concerns(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked the question of this thread, be it open or closed."""

    def home_of(self, channel: str, ts: str) -> str | None:
        """The thread that this message was taken into, where it is known."""

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Hand a message to its thread; says whether it changed anything."""

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Hand an edit or a deletion to its thread; says whether it changed anything."""


class Desk(Protocol):
    """Whoever acts on what is done on cards."""

    async def pressed(self, press: Press, *, replayed: bool = False) -> None:
        """Act on a button."""

    async def submitted(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; the answer is the errors to show in it, by `block_id`."""


class Confirming(Protocol):
    """Whoever has commands wait for a press."""

    async def pressed(self, press: ConfirmationPress, *, replayed: bool = False) -> None:
        """Act on Confirm or Cancel."""

    async def submitted(self, dialog: ConfirmationDialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a typed name; the answer is the errors to show, by `block_id`."""


class FrontDesk(Protocol):
    """What intake knows of whoever acts on what people do."""

    async def pressed(self, press: Pressed, *, replayed: bool = False) -> None:
        """Act on a button or a shortcut."""

    async def submitted(self, dialog: Submitted, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; the answer is the errors to show in it, by `block_id`."""


class ViewedPagesPort(Protocol):
    """What intake knows of whoever remembers what people look at."""

    async def see(self, message: Message) -> Message:
        """Give a direct message the page that its author looks at."""

    def settle(self, message: Message) -> Message:
        """Give a new question in a direct message the project that it is about."""


class ConversationsPort(Protocol):
    """What intake knows of the chat agent."""

    def goes_on_in(self, thread_id: str) -> bool:
        """Return whether the agent has answered in this thread, or is about to."""

    def has_just_answered(self, message: Message) -> bool:
        """Return whether what this person said in this place was answered a moment ago."""

    def has_taken(self, message: Message) -> bool:
        """Return whether this message is the agent's already."""

    async def hear(self, message: Message, why: str) -> bool:
        """Take what is said to the bot itself, with the reason of its door; says whether it is new.

        On return it is on disk, and is answered whatever happens.
        """

    async def withdraw(self, deletion: Deletion) -> bool:
        """A message is gone: what it asked for is not begun any more; says whether it waited."""

    async def call_off(self, message: Message) -> bool:
        """End what this person has asked for in this place and is not answered yet; says whether there was anything."""

    async def spare(self, message: Message) -> bool:
        """Tell somebody that what runs in this thread is not theirs to end; says whether anything of others does."""

    def question_taken(self, message: Message) -> None:
        """Tell somebody that what they said to the bot is a question for triage, and what it is about."""


class DirectRepliesPort(Protocol):
    """What intake knows of whoever meets what is said to the bot and needs no model."""

    @property
    def is_stopped(self) -> bool:
        """Return whether somebody has stopped Triage."""

    def unfinished(self, message: Message) -> tuple[Order, str] | None:
        """The order of its sender that lacked a name in this place a moment ago, and the field that it lacked."""

    @property
    def can_talk(self) -> Callable[[], bool]:
        """Whether a model is there to talk with."""

    async def not_done(self, message: Message, parts: Sequence[str]) -> None:
        """Say which parts of what was asked for nobody understood, and that nothing of it was done."""

    async def obey(self, message: Message, order: Order, *, was_begun: bool) -> None:
        """Do an order as a command; `was_begun` says that a process has died over it, so that it is only told."""

    async def thank(self, message: Message) -> None:
        """Meet thanks with an emoji at most."""

    async def point(self, message: Message, place: Place) -> None:
        """Say in one line what the bot does here, and how to reach it."""

    async def refuse(self, message: Message) -> None:
        """Tell a guest, or somebody of another workspace, that this is for members."""

    async def taken(self, message: Message, *, practice: bool) -> None:
        """Say that a mention joined the question of its thread, or that its channel is for practice."""

    async def settled(
        self,
        message: Message,
        *,
        closed: Sequence[OwnQuestion],
        meant: Sequence[OwnQuestion],
        questions: Sequence[OwnQuestion],
        is_order_for_all: bool = False,
    ) -> None:
        """Say what became of a word that settles those `meant` of its author's open questions."""

    async def ask_back(self, message: Message, *, is_below: bool) -> None:
        """Ask whether this is about the code; `is_below` says that it stands below somebody else's question."""

    def confirmed(self, message: Message) -> Message | None:
        """What its sender was asked back about in this place a moment ago, where this says yes."""

    async def no_order(self, message: Message) -> None:
        """Say that an edit gives no order, and that the question that it was is closed."""

    async def nothing_runs(self, message: Message) -> None:
        """Say that what its writer calls off has ended already."""

    async def stopped(self, message: Message, *, is_question: bool) -> None:
        """Say that Triage is stopped, and count the message."""


class Mutes(Protocol):
    """What intake knows of muted threads."""

    async def hears(self, message: Message) -> bool:
        """Act on a message that only silences Triage in its thread; says whether it was one.

        What was done stands in the audit, so that a start does not do it again.
        """

    async def lets_in(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Return whether a message of this moment may open or reopen its thread; a mention of the bot ends a mute."""


class ExternalsPort(Protocol):
    """What intake knows of people of another company."""

    async def of_message(self, message: Message) -> External | None:
        """Who of them writes a message or reads it; `None` where nobody does."""


class ReactionsPort(Protocol):
    """What intake knows of whoever gives an emoji a meaning."""

    async def reacted(self, reacted: Reacted) -> None:
        """Act on it if it means anything here.

        Once more after a crash unless the audit has its `interaction_id`; so whoever acts writes that there.
        """


class Commands(Protocol):
    """What intake knows of the commands. Neither call raises."""

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """Do what a slash command asks; within three seconds `text`, and perhaps `blocks`, for whoever asked."""

    async def hear(self, command: TypedCommand) -> None:
        """Do what a message asks, and show the answer in its thread to whoever asked."""


class Take(Protocol):
    """How triage takes a message in (`intake/thread_assignment`)."""

    async def __call__(
        self, message: Message, mode: Mode, *, replayed: bool = False, known: dict[str, Any] | None = None
    ) -> bool:
        """Says whether it changed anything."""
