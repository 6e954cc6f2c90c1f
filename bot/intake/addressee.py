"""Routing of messages to the bot by addressee: triage, a command or the chat agent (`decide/addressing/addressee`).

Messages in channels without a mention are not routed here. A message for another addressee than triage opens no
question, joins none, and makes no draft stale.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.decide.addressing.addressee import ANYWHERE, Door, Signals, door
from bot.decide.addressing.second_look import looked_up, needs_look
from bot.decide.orders import Known
from bot.intake.classification import door_record
from bot.intake.question_closing import settle
from bot.intake.several_parts import do_several
from bot.intake.signals import read_signals
from bot.models.excerpts import excerpt
from bot.models.message import without_mention
from bot.models.order import place_of
from bot.models.talk import is_direct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.decide.addressing.words import DoorWords
    from bot.decide.classify.settlement import SettlingWords
    from bot.decide.orders import OrderParser
    from bot.intake.debounce import Windows
    from bot.intake.team import Team
    from bot.models.message import Message
    from bot.models.named_question import OwnQuestion
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
        Take,
        Threads,
        ViewedPagesPort,
    )
    from bot.ports.outbound import Clock, Journal


@dataclass(frozen=True, kw_only=True)
class Doors:
    """Router of messages to their addressees.

    `classified` is the journal of classifications; `names` are those that an order may use.
    """

    words: DoorWords
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
    windows: Windows
    eyes: ViewedPagesPort | None = None
    """Lookup of the page that a user views; `None` in tests that need none."""
    new_id: Callable[[], str] = str
    held_words: HeldWordsPort | None = None
    """Search of all projects for words; `None` in tests that need none."""
    settling: SettlingWords | None = None
    """Phrases by which an asker settles their question; `None` in tests that need none."""
    externals: ExternalsPort | None = None
    """Lookup of external people; `None` in tests that need none."""

    def calls(self, message: Message) -> bool:
        """Return whether the message is for the bot: a mention, a direct message, or another bot's order."""
        if message.sender.type != "user":
            return self._is_programs_order(message)
        return is_direct(message.chat_id) or self.team.classifier.bot_id in message.mentions

    def known(self) -> Known:
        """Return the names that an order may use, as they are now."""
        return Known(projects=self.names.projects, channels=self.names.channels, commands=self.names.commands)

    def _is_programs_order(self, message: Message) -> bool:
        bot = self.team.classifier.bot_id
        if bot not in message.mentions or bot in message.sender.names:
            return False
        return self.orders.parse(without_mention(message.own_content, bot), self.known()) is not None

    async def pass_on(
        self,
        message: Message,
        mode: Mode | None,
        take: Take,
        *,
        edited: bool = False,
        replayed: bool = False,
        known: dict[str, Any] | None = None,
    ) -> bool:
        """Route a message to its addressee; return whether that changed anything.

        `mode` is the channel's, `None` where none is watched; `take` hands a message to triage. `known` is the
        message's record if it was classified before.
        """
        if not edited and self.conversations.has_taken(message):
            return False
        if known is None and (await self.mutes.hears(message) or (not edited and await self._stops(message))):
            return True
        if message.sender.type == "user" and not await self.people.is_member(message):
            if await self._is_outsiders_question(message, mode, edited=edited, known=known):
                return await self.ask(message, mode, take, replayed=replayed, known=known)
            return await self._refuse(message, mode, take, edited=edited)
        if self.eyes and is_direct(message.chat_id):
            message = await self.eyes.see(message)
        if known is None and not edited and (meant := self.replies.confirmed(message)):
            return await self.ask(meant, mode, take)
        if known is not None and known.get("door") is None:
            return await self.ask(message, mode, take, replayed=replayed, known=known)
        return await self._hand_on(message, mode, take, edited=edited, replayed=replayed, known=known)

    async def _hand_on(
        self,
        message: Message,
        mode: Mode | None,
        take: Take,
        *,
        edited: bool,
        replayed: bool,
        known: dict[str, Any] | None,
    ) -> bool:
        """Route a member's message to its addressee."""
        found = await self.found(message, mode, edited=edited)
        if mode == "silent" and known is None and found.to != "command":  # recorded like every message there
            await take(message.evolve(mentions=self._others(message)), mode, replayed=replayed)
            found = Door("pointer", "this channel is silent") if found.to in ANYWHERE else found
        if found.to == "triage":
            return await self.ask(message, mode, take, replayed=replayed, known=known)
        if found.to == "several" and found.several and not edited:
            return await do_several(self, message, mode, take, found, was_begun=known is not None)
        if edited and found.to != "thanks":  # an edit gives no order
            return False
        if found.to == "thanks":
            await self.replies.thank(message)
            return await self._joins(message, mode, take)
        if known is None and mode in ("live", "preview"):
            await self.classified.append(door_record(message, self.team.classifier, found, at=self.clock.now()))
        return await self._pass(message, mode, found, was_begun=known is not None)

    async def _refuse(self, message: Message, mode: Mode | None, take: Take, *, edited: bool) -> bool:
        """Tell a guest that the bot is for members; below their own question the message goes on to triage."""
        if not edited:
            await self.replies.refuse(message)
        around = await self.externals.of_message(message) if self.externals else None
        is_noted = around is not None and around.is_left_alone  # with the reason why it was not taken up
        if mode is None or not (is_noted or self.threads.concerns(message.home, message.sender.id)):
            return False
        return await take(message.evolve(mentions=self._others(message)), mode)

    async def _is_outsiders_question(
        self, message: Message, mode: Mode | None, *, edited: bool, known: dict[str, Any] | None
    ) -> bool:
        """Return whether an external person asks a question that is taken up in this channel; they give no orders."""
        around = await self.externals.of_message(message) if self.externals and mode in ("live", "preview") else None
        if around is None or not around.asker or around.is_left_alone:
            return False
        return known is not None or (await self.found(message, mode, edited=edited)).to == "triage"

    async def _pass(self, message: Message, mode: Mode | None, found: Door, *, was_begun: bool) -> bool:
        """Pass on a message that is no question, to a command, a canned reply or the chat agent."""
        if found.to == "nobody":
            return False
        mentioned = self.team.classifier.bot_id in message.mentions
        is_heard = await self.mutes.lets_in(message.home, mentioned=mentioned, at=message.create_time)
        if found.to == "command" and found.order:
            await self.replies.obey(message, found.order, was_begun=was_begun)
        elif not is_heard:
            return False
        elif found.to == "settles" and (found.closing or not self.replies.is_stopped):
            await settle(self, message, found)
        elif self.replies.is_stopped:
            await self.replies.stopped(message, is_question=False)
        elif found.to == "pointer":
            await self.replies.point(message, self.place(message, mode))
        elif found.to == "unsure" and not self.replies.can_talk():
            await self.replies.ask_back(message, is_below=self.threads.is_open(message.home))
        else:
            return await self.conversations.hear(message, found.why)
        return True

    async def _joins(self, message: Message, mode: Mode | None, take: Take) -> bool:
        """Add thanks in a question's thread to that question, without the mention of the bot."""
        taken_as: Mode | None = "live" if is_direct(message.chat_id) else mode
        is_within = self.threads.is_open(message.home) or self.threads.concerns(message.home, message.sender.id)
        if not is_within or taken_as in ("silent", None):
            return True
        return await take(message.evolve(mentions=self._others(message)), taken_as)

    async def called_off(self, message: Message) -> bool:
        """Cancel the sender's chat turn if the message is a stop word; return whether one was cancelled.

        In a thread a stop word needs no mention.
        """
        if not self.calls(message) and (message.thread_id is None or message.sender.type != "user"):
            return False
        return self._is_stop_word(message) and await self.conversations.call_off(message)

    async def _stops(self, message: Message) -> bool:
        """Return whether a stop word was handled: it cancelled a turn, or met one of somebody else, which goes on."""
        if await self.called_off(message):
            return True
        return message.thread_id is not None and self._is_stop_word(message) and await self.conversations.spare(message)

    def _is_stop_word(self, message: Message) -> bool:
        return self.words.calls_off(without_mention(message.own_content, self.team.classifier.bot_id))

    async def ask(
        self,
        message: Message,
        mode: Mode | None,
        take: Take,
        *,
        replayed: bool = False,
        known: dict[str, Any] | None = None,
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
                if self.eyes and not self.threads.concerns(message.home, message.sender.id):
                    message = self.eyes.settle(message)
                message = message.evolve(
                    mentions=tuple(dict.fromkeys((*message.mentions, self.team.classifier.bot_id)))
                )
        if mode is None:
            return False
        changed = await take(message, mode, replayed=replayed, known=known)
        if replayed:
            return changed
        if self.replies.is_stopped:
            await self.replies.stopped(message, is_question=True)
        elif is_told:
            return changed
        elif mode == "live" and not was_open and self.threads.is_open(message.home):
            self.conversations.question_taken(message)
        elif not direct and (was_open or mode == "preview"):
            await self.replies.taken(message, practice=mode == "preview")
        return changed

    async def found(self, message: Message, mode: Mode | None, *, edited: bool) -> Door:
        """Return the addressee of a message; yields to other tasks between the costly steps."""
        rules = self.team.classifier
        if message.sender.type != "user":
            return Door("nobody", "a program gives no orders")
        said = without_mention(excerpt(message.content), rules.bot_id)
        questions = await self.own_questions.open_of(message.sender.id)
        await asyncio.sleep(0)
        around = self._around(message, questions, edited=edited)
        await asyncio.sleep(0)
        found = door(
            said,
            words=self.words,
            where=self.place(message, mode),
            mentioned=rules.bot_id in message.mentions,
            role=self.people.role_of(message.sender.id),
            around=around,
        )
        await asyncio.sleep(0)
        if self.held_words is None or not needs_look(said, found, around):
            return found
        return looked_up(found, known=await self.held_words.are_known(around.subject.words))

    def _around(self, message: Message, questions: Sequence[OwnQuestion], *, edited: bool) -> Signals:
        """Return the signals of a message; a conversation that started with it does not count for its edit."""
        found = read_signals(self, message, questions)
        return replace(found, conversation=False) if edited and message.thread_id is None else found

    def place(self, message: Message, mode: Mode | None) -> Place:
        """Return the kind of place of a message, in a channel of this mode."""
        return "direct" if is_direct(message.chat_id) else place_of(mode)

    def _others(self, message: Message) -> tuple[str, ...]:
        return tuple(user for user in message.mentions if user != self.team.classifier.bot_id)
