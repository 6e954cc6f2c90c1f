"""Routing of messages to the bot by addressee: triage, a command or the chat agent (`decide/addressing/addressee`).

Messages in channels without a mention are not routed here. A message for another addressee than triage opens no
question, joins none, and makes no draft stale.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.decide.addressing.addressee import ANYWHERE, Addressee, find_addressee
from bot.decide.addressing.second_look import apply_lookup, needs_look
from bot.decide.orders import OrderContext
from bot.intake.classification import build_addressee_record
from bot.intake.orders import close_questions, do_several, drop_revised_order, read_order_again
from bot.intake.signals import read_signals
from bot.intake.stop_words import handle_stop_word, is_stop_word
from bot.models.conversation_record import is_direct
from bot.models.excerpts import excerpt
from bot.models.message import without_mention
from bot.models.order import place_of

if TYPE_CHECKING:
    from bot.decide.addressing.words import AddressingWords
    from bot.decide.classify.settlement import SettlingWords
    from bot.decide.orders import OrderParser
    from bot.intake.debounce import Debouncer
    from bot.intake.late_messages import LateMessages
    from bot.intake.team import Team
    from bot.models.message import Message
    from bot.models.order import Place
    from bot.models.status import Mode
    from bot.ports.inbound import (
        ConversationsPort,
        DirectRepliesPort,
        ExternalsPort,
        HeldWordsPort,
        Mutes,
        NamesPort,
        NotesThreadsPort,
        OwnQuestionsPort,
        PeoplePort,
        Threads,
        ViewedPagesPort,
    )
    from bot.ports.outbound import Clock, Journal
    from bot.ports.tasks import TaskStopsPort
    from bot.ports.thread_assignment import AssignThread


@dataclass(frozen=True, kw_only=True)
class AddresseeRouter:
    """Router of messages to their addressees.

    `classified` is the journal of classifications; `names` are those that an order may use; `late` reads late orders.
    """

    words: AddressingWords
    orders: OrderParser
    names: NamesPort
    replies: DirectRepliesPort
    team: Team
    threads: Threads
    conversations: ConversationsPort
    mutes: Mutes
    classified: Journal
    clock: Clock
    people: PeoplePort
    notes: NotesThreadsPort
    own_questions: OwnQuestionsPort
    windows: Debouncer
    viewed_pages: ViewedPagesPort | None = None
    """Lookup of the page that a user views; `None` in tests that need none."""
    tasks: TaskStopsPort | None = None
    """Stops of created tasks; `None` in tests that need none."""
    late: LateMessages | None = None
    held_words: HeldWordsPort | None = None
    """Search of all projects for words; `None` in tests that need none."""
    settling: SettlingWords | None = None
    """Phrases by which an asker settles their question; `None` in tests that need none."""
    externals: ExternalsPort | None = None
    """Lookup of external people; `None` in tests that need none."""

    def is_addressed(self, message: Message) -> bool:
        """Return whether the message is for the bot: a mention, a direct message, or another bot's order."""
        if message.sender.type != "user":
            return self._is_programs_order(message)
        return is_direct(message.chat_id) or self.team.classifier.bot_id in message.mentions

    def known_names(self) -> OrderContext:
        """Return the names that an order may use, as they are now."""
        return OrderContext(projects=self.names.projects, channels=self.names.channels, commands=self.names.commands)

    def _is_programs_order(self, message: Message) -> bool:
        bot = self.team.classifier.bot_id
        if bot not in message.mentions or bot in message.sender.names:
            return False
        return self.orders.parse(without_mention(message.own_content, bot), self.known_names()) is not None

    async def pass_on(
        self,
        message: Message,
        mode: Mode | None,
        take: AssignThread,
        *,
        edited: bool = False,
        replayed: bool = False,
        earlier_record: dict[str, Any] | None = None,
    ) -> bool:
        """Route a message to its addressee; return whether that changed anything.

        `mode` is the channel's, `None` where none is watched; `take` passes a message to triage. `earlier_record`
        is the message's record if it was classified before.
        """
        if not edited and self.conversations.has_accepted(message):
            return False
        if earlier_record is None and (
            await self.mutes.handle_mute_request(message) or (not edited and await handle_stop_word(self, message))
        ):
            return True
        if message.sender.type == "user" and not await self.people.is_member(message):
            if await self._is_outsiders_question(message, mode, edited=edited, earlier_record=earlier_record):
                return await self.ask(message, mode, take, replayed=replayed, earlier_record=earlier_record)
            return await self._refuse(message, mode, take, edited=edited)
        if self.viewed_pages and is_direct(message.chat_id):
            message = await self.viewed_pages.attach_page(message)
        if earlier_record is None and not edited and (meant := self.replies.find_confirmed(message)):
            return await self.ask(meant, mode, take)
        if earlier_record is not None and earlier_record.get("door") is None:
            return await self.ask(message, mode, take, replayed=replayed, earlier_record=earlier_record)
        return await self._hand_on(message, mode, take, edited=edited, replayed=replayed, earlier_record=earlier_record)

    async def _hand_on(
        self,
        message: Message,
        mode: Mode | None,
        take: AssignThread,
        *,
        edited: bool,
        replayed: bool,
        earlier_record: dict[str, Any] | None,
    ) -> bool:
        """Route a member's message to its addressee."""
        is_new = earlier_record is None
        if is_new and not edited:
            await drop_revised_order(self, message)
        addressee = await self.find_addressee(message, mode, edited=edited)
        if is_new and not edited:
            current = await read_order_again(self, message, addressee)
            if current is not message:
                return current is not None and await self.pass_on(current, mode, take, replayed=replayed)
        if mode == "silent" and is_new and addressee.to != "command":  # recorded like every message there
            await take(message.evolve(mentions=self._mentioned_others(message)), mode, replayed=replayed)
            addressee = Addressee("pointer", "this channel is silent") if addressee.to in ANYWHERE else addressee
        if addressee.to == "triage":
            return await self.ask(message, mode, take, replayed=replayed, earlier_record=earlier_record)
        if addressee.to == "several" and addressee.several and not edited:
            return await do_several(self, message, mode, take, addressee, was_begun=not is_new)
        if edited and addressee.to != "thanks":  # an edit gives no order
            return False
        if addressee.to == "thanks":
            await self.replies.answer_thanks(message)
            return await self._join_thanks(message, mode, take)
        if is_new and mode in ("live", "preview"):
            record = build_addressee_record(message, self.team.classifier, addressee, at=self.clock.now())
            await self.classified.append(record)
        return await self._pass(message, mode, addressee, was_begun=not is_new)

    async def _refuse(self, message: Message, mode: Mode | None, take: AssignThread, *, edited: bool) -> bool:
        """Tell a guest that the bot is for members; below their own question the message goes on to triage."""
        if not edited:
            await self.replies.refuse_guest(message)
        around = await self.externals.find_external(message) if self.externals else None
        is_noted = around is not None and around.is_left_alone  # with the reason why it was not taken up
        if mode is None or not (is_noted or self.threads.is_asker(message.home, message.sender.id)):
            return False
        return await take(message.evolve(mentions=self._mentioned_others(message)), mode)

    async def _is_outsiders_question(
        self, message: Message, mode: Mode | None, *, edited: bool, earlier_record: dict[str, Any] | None
    ) -> bool:
        """Return whether an external person asks a question that is taken up in this channel; they give no orders."""
        around = await self.externals.find_external(message) if self.externals and mode in ("live", "preview") else None
        if around is None or not around.asker or around.is_left_alone:
            return False
        return earlier_record is not None or (await self.find_addressee(message, mode, edited=edited)).to == "triage"

    async def _pass(self, message: Message, mode: Mode | None, addressee: Addressee, *, was_begun: bool) -> bool:
        """Pass on a message that is not a question, to a command, a canned reply or the chat agent."""
        if addressee.to == "nobody":
            return False
        mentioned = self.team.classifier.bot_id in message.mentions
        is_heard = await self.mutes.allows(message.home, mentioned=mentioned, at=message.create_time)
        if addressee.to == "command" and addressee.order:
            await self.replies.run_order(message, addressee.order, was_started=was_begun)
        elif not is_heard:
            return False
        elif addressee.to == "settles" and (addressee.closing or not self.replies.is_stopped):
            await close_questions(self, message, addressee)
        elif self.replies.is_stopped:
            await self.replies.report_stopped(message, is_question=False)
        elif addressee.to == "pointer":
            await self.replies.explain_usage(message, self.kind_of_place(message, mode))
        elif addressee.to == "unsure" and not self.replies.can_talk():
            await self.replies.ask_if_code_question(message, is_in_others_thread=self.threads.is_open(message.home))
        else:
            return await self.conversations.accept(message, addressee.why)
        return True

    async def _join_thanks(self, message: Message, mode: Mode | None, take: AssignThread) -> bool:
        """Add thanks in a question's thread to that question, without the mention of the bot."""
        taken_as: Mode | None = "live" if is_direct(message.chat_id) else mode
        is_within = self.threads.is_open(message.home) or self.threads.is_asker(message.home, message.sender.id)
        if not is_within or taken_as in ("silent", None):
            return True
        return await take(message.evolve(mentions=self._mentioned_others(message)), taken_as)

    async def called_off(self, message: Message) -> bool:
        """Stop the sender's created task or chat turn if the message is a stop word; return whether that ended one.

        In a thread a stop word needs no mention.
        """
        if not self.is_addressed(message) and (message.thread_id is None or message.sender.type != "user"):
            return False
        if not is_stop_word(self, message):
            return False
        return (self.tasks is not None and await self.tasks.stop(message)) or await self.conversations.cancel(message)

    async def ask(
        self,
        message: Message,
        mode: Mode | None,
        take: AssignThread,
        *,
        replayed: bool = False,
        earlier_record: dict[str, Any] | None = None,
        is_told: bool = False,
    ) -> bool:
        """Hand a message to triage as a question; return whether that changed anything.

        A direct message that starts a question counts as one, whatever its class. `is_told` means that the author is
        informed elsewhere.
        """
        direct, was_open = is_direct(message.chat_id), self.threads.is_open(message.home)
        if direct:
            mode = "live"
            if not was_open:
                if self.viewed_pages and not self.threads.is_asker(message.home, message.sender.id):
                    message = self.viewed_pages.attach_project(message)
                message = message.evolve(
                    mentions=tuple(dict.fromkeys((*message.mentions, self.team.classifier.bot_id)))
                )
        if mode is None:
            return False
        changed = await take(message, mode, replayed=replayed, record=earlier_record)
        if replayed:
            return changed
        if self.replies.is_stopped:
            await self.replies.report_stopped(message, is_question=True)
        elif is_told:
            return changed
        elif mode == "live" and not was_open and self.threads.is_open(message.home):
            self.conversations.confirm_question(message)
        elif not direct and (was_open or mode == "preview"):
            await self.replies.confirm_assignment(message, practice=mode == "preview")
        return changed

    async def find_addressee(self, message: Message, mode: Mode | None, *, edited: bool) -> Addressee:
        """Return the addressee of a message; yields to other tasks between the costly steps."""
        rules = self.team.classifier
        if message.sender.type != "user":
            return Addressee("nobody", "a program gives no orders")
        text = without_mention(excerpt(message.content), rules.bot_id)
        questions = await self.own_questions.list_open(message.sender.id)
        await asyncio.sleep(0)
        around = read_signals(self, message, questions, edited=edited)
        await asyncio.sleep(0)
        addressee = find_addressee(
            text,
            words=self.words,
            where=self.kind_of_place(message, mode),
            mentioned=rules.bot_id in message.mentions,
            role=self.people.role_of(message.sender.id),
            around=around,
        )
        await asyncio.sleep(0)
        if self.held_words is None or not needs_look(text, addressee, around):
            return addressee
        return apply_lookup(addressee, is_known=await self.held_words.are_known(around.subject.words))

    def kind_of_place(self, message: Message, mode: Mode | None) -> Place:
        """Return the kind of place of a message, in a channel of this mode."""
        return "direct" if is_direct(message.chat_id) else place_of(mode)

    def _mentioned_others(self, message: Message) -> tuple[str, ...]:
        return tuple(user for user in message.mentions if user != self.team.classifier.bot_id)
