"""Inbound ports: protocols that intake calls for threads, conversations, commands, mutes and reactions.

They stand between `bot/intake` and `bot/triage` or `bot/chat`; only `bot/wiring` knows both sides. The ports towards
Slack and other services are in `ports/slack` and `ports/outbound`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from bot.models.alert import Alert
    from bot.models.external import External
    from bot.models.interaction import MalformedCommand, TypedCommand, UnheardReason
    from bot.models.message import Deletion, Message
    from bot.models.named_question import OwnQuestion
    from bot.models.order import Order, Place
    from bot.models.reaction import Reaction
    from bot.models.thread_event import Deleted, Edited, MessageAdded, Overheard


class Threads(Protocol):
    """Orchestrator of threads, as intake sees it (`bot.triage.slack_names.NamedThreads`)."""

    def is_open(self, thread_id: str) -> bool:
        """Return whether this thread has work outstanding."""

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked the question of this thread, open or closed."""

    def find_thread(self, channel: str, ts: str) -> str | None:
        """Return the id of the thread that a message was assigned to, or `None` where it is not known."""

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Hand a message to its thread; return whether that changed anything."""

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Hand an edit or a deletion to its thread; return whether that changed anything."""


class AlertThreadsPort(Protocol):
    """Threads of other programs' alerts (`bot.triage.alert_threads.AlertThreads`)."""

    def find(self, channel: str, alert: Alert, home: str, sender_id: str) -> str | None:
        """Return the thread of this alert; `None` if none is open, and none ended within the last hour.

        `home` is the thread that its message is in or would open; one without a name is about that, if the same
        program began it.
        """

    async def report(self, thread_id: str, alert: Alert, message_id: str) -> bool:
        """Tell a thread that its alert is resolved or acknowledged; return whether that changed anything."""


class OpenThreadsPort(Protocol):
    """Open threads, as catch-up sees them (`bot.triage.open_threads.OpenThreads`)."""

    def roots(self, channel: str) -> Iterable[str]:
        """Return the ts of each first message of an open thread in a channel."""


class ViewedPagesPort(Protocol):
    """Memory of the pages that people look at in Slack (`bot.triage.viewed_pages.ViewedPages`)."""

    async def attach_page(self, message: Message) -> Message:
        """Return a direct message with the page that its author looks at."""

    def attach_project(self, message: Message) -> Message:
        """Return a new question in a direct message with the project that it is about."""


class TriageEntrance(Protocol):
    """Entrance to triage for messages that the chat agent passes to it (`bot.intake.watcher.Watcher`)."""

    async def ask(self, message: Message) -> bool:
        """Take a message as if it were said to triage; return true if a question came of it."""


class ConversationsPort(Protocol):
    """Conversations with the chat agent, as intake sees them (`bot.chat.conversations.ChatConversations`)."""

    def is_active_in(self, thread_id: str) -> bool:
        """Return whether the agent has answered in this thread, or is about to."""

    def has_just_answered(self, message: Message) -> bool:
        """Return whether this author's last message in this place was answered a moment ago."""

    def has_accepted(self, message: Message) -> bool:
        """Return whether the chat agent has already accepted this message."""

    async def accept(self, message: Message, reason: str) -> bool:
        """Accept a message to the bot for a chat turn, with the reason for this addressee; return whether it is new.

        On return the message is on disk, so a crash cannot lose it unanswered.
        """

    async def cancel_deleted(self, deletion: Deletion) -> bool:
        """Cancel the waiting turn of a deleted message; return whether one was waiting."""

    async def cancel(self, message: Message) -> bool:
        """Cancel the unanswered turns of this author in this place; return whether there were any."""

    async def explain_not_cancelled(self, message: Message) -> bool:
        """Tell the author that the turns in this thread belong to others and go on; return whether there are such
        turns."""

    def confirm_question(self, message: Message) -> None:
        """Confirm to the author that the message became a question for triage, and name its project."""


class DirectRepliesPort(Protocol):
    """Direct replies: answers to messages to the bot that need no model (`bot.chat.direct_replies.DirectReplies`)."""

    @property
    def is_stopped(self) -> bool:
        """Return whether Triage is stopped by a command."""

    def note_message(self, message: Message) -> None:
        """Note a new message: it may complete its sender's last order in this place, or cancel it."""

    def note_revision(self, revised: Message | Deletion) -> None:
        """Cancel the incomplete order of a message that was edited or deleted."""

    def find_incomplete_message(self, message: Message) -> Message | None:
        """Return the message of the sender's order in this place that this message may complete."""

    def drop_incomplete_order(self, original: Message) -> None:
        """Cancel the incomplete order of a message."""

    def find_incomplete_order(self, message: Message) -> tuple[Order, str] | None:
        """Return the sender's last order in this place that this message may complete, and the missing field."""

    def can_talk(self) -> bool:
        """Return whether a model is available for chat."""

    async def report_not_understood(self, message: Message, parts: Sequence[str]) -> None:
        """Report the parts of a request that were not understood, and that none of it was done."""

    async def run_order(self, message: Message, order: Order, *, was_started: bool) -> None:
        """Run an order as a command.

        `was_started` marks an order whose run a crash cut off: it is reported and not run again.
        """

    async def answer_thanks(self, message: Message) -> None:
        """Answer thanks with a reaction at most."""

    async def explain_usage(self, message: Message, place: Place) -> None:
        """Explain the bot and how to address it, in one line."""

    async def refuse_guest(self, message: Message) -> None:
        """Tell a guest, or a user of another workspace, that the bot serves members only."""

    async def confirm_assignment(self, message: Message, *, practice: bool) -> None:
        """Confirm that a mention joined the question of its thread, or that its channel is in practice mode."""

    async def report_settlement(
        self,
        message: Message,
        *,
        closed: Sequence[OwnQuestion],
        candidates: Sequence[OwnQuestion],
        questions: Sequence[OwnQuestion],
        is_order_for_all: bool = False,
    ) -> None:
        """Report the result of a message that settles questions: those it closed, among those `candidates`, of its
        author's open ones."""

    async def ask_if_code_question(self, message: Message, *, is_in_others_thread: bool) -> None:
        """Ask the author if the message is about the code; `is_in_others_thread` says that it stands below another
        person's question."""

    def find_confirmed(self, message: Message) -> Message | None:
        """Return the message that the bot asked its sender about in this place a moment ago, if this message says
        yes."""

    async def explain_no_order(self, message: Message) -> None:
        """Tell the author that an edit runs no command, and that the question before the edit is closed."""

    async def report_nothing_running(self, message: Message) -> None:
        """Tell the author that the run to cancel has ended already."""

    async def report_stopped(self, message: Message, *, is_question: bool) -> None:
        """Tell the author that Triage is stopped, and count the message."""


class NamesPort(Protocol):
    """Names that an order may use, as they are now (`bot.chat.known_names.KnownNames`)."""

    @property
    def projects(self) -> tuple[str, ...]:
        """Return the names of projects and of their roots."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the ids and the names of watched channels."""

    @property
    def commands(self) -> Collection[str]:
        """Return the names of commands."""


class OwnQuestionsPort(Protocol):
    """Lookup of people's own questions (`bot.commands.mine.OwnQuestionCommands`)."""

    async def list_open(self, user_id: str) -> Sequence[OwnQuestion]:
        """Return a person's open questions, the oldest first."""


class NotesThreadsPort(Protocol):
    """Threads whose messages go to the notes of a project (`bot.chat.turn_context.TurnContexts`)."""

    def takes_notes(self, message: Message) -> bool:
        """Return whether a message is for the notes of a project."""


class HeldWordsPort(Protocol):
    """Search of all projects for words (`bot.triage.project_words.ProjectWords`)."""

    async def are_known(self, words: Sequence[str]) -> bool | None:
        """Return whether a project's files contain these words; `None` means unknown."""


class CardOperators(Protocol):
    """Choice of the operator who gets a card (`bot.triage.operators.Operators`)."""

    def first_operator(self, chat_id: str, asker: str) -> str:
        """Return the operator who gets the card of a question that a user asks in a channel."""


class Mutes(Protocol):
    """Muted threads, as intake sees them (`bot.chat.mute_requests.MuteRequests`)."""

    async def handle_mute_request(self, message: Message) -> bool:
        """Handle a message that only mutes its thread; return whether it was one.

        The mute is written to the audit log, so that a restart does not repeat it.
        """

    async def allows(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Return whether a message at this time may open or reopen its thread; a mention of the bot ends a mute."""


class PeoplePort(Protocol):
    """Roles and membership of people (`bot.commands.permission.Permission`)."""

    def role_of(self, user: str) -> Literal["member", "operator", "admin"]:
        """Return the role that the settings give a person."""

    async def is_member(self, message: Message) -> bool:
        """Return whether a message's author is one of us; true as well where Slack does not say."""


class ExternalsPort(Protocol):
    """Directory of people of other companies on Slack Connect (`bot.triage.externals.Externals`)."""

    async def find_external(self, message: Message) -> External | None:
        """Return the external author or reader of a message, or `None` where all are members."""

    async def has_external_readers(self, channel: str) -> bool:
        """Return whether external people read a channel."""


class ReactionsPort(Protocol):
    """Handler of reactions that have a meaning for Triage (`bot.chat.mute_requests.MuteRequests`,
    `bot.approval.corrections.Corrections` and `bot.approval.settled_marks.SettledMarks`)."""

    async def handle_reaction(self, reaction: Reaction) -> None:
        """Handle a reaction, if it has a meaning here.

        It is delivered again after a crash unless the audit log has its `interaction_id`, so the handler must write
        that.
        """


class Commands(Protocol):
    """Commands, as intake sees them (`bot.commands.entry.TypedCommandHandler`). Neither call raises."""

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """Run a slash command; return `text`, and perhaps `blocks`, for its user within three seconds."""

    async def answer_in_thread(self, command: TypedCommand) -> None:
        """Run the command in a message and show the answer in its thread to its author."""

    async def report_interrupted(self, command: TypedCommand) -> None:
        """Record a slash command that an earlier process did not end, and tell its user; it is not run again."""

    async def refuse_malformed(self, command: MalformedCommand) -> dict[str, Any]:
        """Record a slash command that does not parse; return the `text` for its user."""

    async def record_unheard(self, command: TypedCommand, reason: UnheardReason) -> None:
        """Record a command in a message that was not run, and is not answered."""
