"""Conversations with the chat agent: order of turns, and exactly one answer to each, across crashes.

Implements `desks.Conversations` for messages to the bot itself. A turn is on disk before its agent begins, and is
removed once it is answered. `chat/turn` runs a turn, `chat/calling_off` cancels one.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.chat.agent_run import TurnOutcome
from bot.chat.calling_off import CallingOff
from bot.chat.canned_replies import FOR_TRIAGE
from bot.chat.conversation_records import TalkRecords
from bot.chat.outbox import TalkOutbox
from bot.chat.toolbox import Taint
from bot.chat.turn_queue import TurnQueue
from bot.errors import RetryLater
from bot.models.talk import REMEMBERED, TalkTurn, turn_id

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from datetime import datetime
    from typing import Any

    from bot.chat.direct_replies import DirectReplies
    from bot.chat.message_rate import MessageRate
    from bot.chat.turn import Talking
    from bot.models.message import Deletion, Message
    from bot.models.talk import TalkRecord
    from bot.models.talk_stop import TalkStop
    from bot.ports.outbound import Clock, ConversationStore, Journal

log = logging.getLogger(__name__)

LATELY = timedelta(minutes=10)
"""Time after an answer within which `hold on` may refer to it."""
MOST_WAITING = 5
"""Number of open turns of one person; further messages are not accepted, and the person is told."""

_HEARD = ("restarted", "failed", "silent", "late")
"""Results of turns that only code answered: a reply in the thread continues the conversation all the same."""


@dataclass(kw_only=True)
class ChatConversations:
    """Conversations with the chat agent. `rate` limits the messages of one person."""

    talks: ConversationStore
    talking: Talking
    audit: Journal
    clock: Clock
    rate: MessageRate
    replies: DirectReplies
    """Direct replies, here for people whose turns a stop ends."""
    _queue: TurnQueue = field(default_factory=TurnQueue)
    _beside: set[asyncio.Task[None]] = field(default_factory=set)
    _begun: bool = False
    _ended: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """Time of each person's last finished turn by place; empty after a restart."""

    def __post_init__(self) -> None:
        self._records = TalkRecords(talks=self.talks, clock=self.clock)
        self._outbox = TalkOutbox(voice=self.talking.voice, records=self._records, clock=self.clock)
        self.talking.voice.outbox = self._outbox
        self._calling_off = CallingOff(
            queue=self._queue, talking=self.talking, records=self._records, close=self._close, aside=self._aside
        )

    async def load(self) -> None:
        """Load open turns from disk; nothing runs yet."""
        for talk in await self._records.load():
            self._queue.waiting += talk.turns
        self._queue.waiting.sort(key=lambda turn: turn.message.create_time)

    def begin(self) -> int:
        """Run the waiting turns and report those that a crash cut off; return the number of open turns."""
        self._begun = True
        count = len(self._queue.waiting)
        for talk in self._records.all:
            self._outbox.later(talk.conversation)
        self._advance()
        return count

    def goes_on_in(self, thread_id: str) -> bool:
        """Return whether the agent has answered in this thread, or is about to (`ChatConversations`)."""
        talk = self._records.get(thread_id)
        return talk is not None and (talk.answered or bool(talk.turns))

    def has_just_answered(self, message: Message) -> bool:
        """Return whether a turn of this person ended in this place recently (`ChatConversations`)."""
        ended = self._ended.get((message.sender.id, message.chat_id))
        return ended is not None and self.clock.now() - ended <= LATELY

    def has_taken(self, message: Message) -> bool:
        """Return whether this message became a turn, open or ended (`ChatConversations`)."""
        talk, name = self._records.get(message.home), turn_id(message)
        return talk is not None and (name in talk.done or any(turn.turn_id == name for turn in talk.turns))

    async def hear(self, message: Message, why: str) -> bool:
        """Accept a message to the bot itself (`ChatConversations`).

        On return it is on disk; return whether it is new. `why` is the reason for its addressee. Raises `RetryLater` if
        the disk does not accept it.
        """
        if self.has_taken(message):
            return False
        talk = self._records.of(message.home)
        if self._is_too_much(message):
            self._aside(self.rate.meet(message))
            await self._records.keep(talk.evolve(done=(*talk.done, turn_id(message))[-REMEMBERED:]))
            return True
        turn = TalkTurn(message=message, door=why, pasted=message.pasted, in_shared_channel=message.in_shared_channel)
        try:
            await self._records.keep(talk.evolve(turns=(*talk.turns, turn)))
        except RetryLater:  # not on disk, so another delivery of it is new
            self._records.put(_without(self._records.of(message.home), turn))
            raise
        self._queue.waiting.append(turn)
        self._advance()
        return True

    async def withdraw(self, deletion: Deletion) -> bool:
        """Drop the waiting turn of a deleted message; return whether there was one (`ChatConversations`)."""
        return await self._calling_off.withdraw(deletion)

    async def call_off(self, message: Message) -> bool:
        """Cancel this person's turns in this place at once; return whether there were any."""
        return await self._calling_off.call_off(message)

    async def spare(self, message: Message) -> bool:
        """Tell a user that the answer running in this thread is another person's; return whether there is one."""
        return await self._calling_off.spare(message)

    async def press_stop(self, stop: TalkStop) -> None:
        """Handle Slack's Stop button (`ConversationStore`)."""
        await self._calling_off.press(stop)

    async def settled(self, conversation: str, said: str) -> None:
        """Record the outcome of a confirmed command. Raises `RetryLater`."""
        await self._outbox.noted(conversation, said)

    def question_taken(self, message: Message) -> None:
        """Tell a user, without waiting, that their message was taken as a question for triage."""
        about = f" It is about `{message.subject.project}`: {message.subject.told}." if message.subject else ""
        self._aside(self.talking.voice.tell(message, f"{FOR_TRIAGE}{about}"))

    def reconsider(self) -> None:
        """End the turns that may no longer post, after a stop of Triage or a mute."""
        if self._begun and self._queue.open:
            self._aside(self._silence())

    async def stop(self) -> None:
        """Stop: begin nothing new and cancel what runs; open turns are on disk."""
        self._begun = False
        tasks = [*self._beside, *self._outbox.tasks, *(task for _, task in self._queue.running.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_too_much(self, message: Message) -> bool:
        """Return whether this person's message is over the rate."""
        is_open = sum(turn.message.sender.id == message.sender.id for turn in self._queue.open)
        return not self.rate.takes(message, busy=is_open >= MOST_WAITING)

    def _advance(self) -> None:
        if self._begun:
            self._queue.begin(self._run)

    async def _run(self, turn: TalkTurn) -> None:
        home = turn.message.home
        was_cut_off = turn.began_at is not None  # by a crash; what the agent had read is not known
        taint = Taint(is_tainted=self._records.of(home).tainted or was_cut_off or turn.pasted)
        try:
            try:
                talk = self._records.of(home)
                if self._outbox.has(home, turn.turn_id):
                    outcome = await self.talking.was_answered(turn)  # or will be, as soon as Slack accepts it
                elif was_cut_off:
                    outcome = await self.talking.pick_up(turn)
                else:
                    await self._records.keep(_with(self._records.of(home), turn.evolve(began_at=self.clock.now())))
                    refused = turn.message.sender.id in talk.refused
                    talks = [*self._records.just_before(turn.message), talk]
                    outcome = await self.talking.run(turn, taint, refused=refused, talks=talks)
            except asyncio.CancelledError:
                if not self._begun:  # the process ends, and the next one reports it
                    raise
                outcome = await self.talking.cancelled(turn)
            except Exception:
                log.exception("turn %s broke", turn.turn_id)
                outcome = await self.talking.broke(turn)
            await self._close(turn, outcome, tainted=taint.is_tainted)
        finally:
            self._queue.running.pop(turn.turn_id, None)
            self.talking.ended(turn)
            self._advance()

    async def _close(self, turn: TalkTurn, outcome: TurnOutcome, *, tainted: bool = False) -> None:
        """Record a turn's outcome, and drop its text."""
        await self.audit.append(
            {
                "kind": "conversation",
                "at": self.clock.now().isoformat(),
                **turn.asker.model_dump(mode="json", exclude={"text"}),
                "action": "chat",
                "turn_id": turn.turn_id,
                "door": turn.door,
                "actions": [*outcome.actions],
                "not_run": [*outcome.not_run],
                "result": outcome.result,
                **({"called_off_by": outcome.called_off_by} if outcome.called_off_by else {}),
            }
        )
        self._ended[turn.message.sender.id, turn.message.chat_id] = self.clock.now()
        talk = self._records.of(turn.message.home)
        refused = {*talk.refused, *([turn.message.sender.id] if outcome.refused else [])}
        await self._records.keep(
            _without(talk, turn).evolve(
                done=(*talk.done, turn.turn_id)[-REMEMBERED:],
                tainted=talk.tainted or tainted,
                refused=tuple(sorted(refused)),
                answered=talk.answered or outcome.answered or outcome.result in _HEARD,
            )
        )

    async def _silence(self) -> None:
        silenced = self.talking.voice.silenced
        waiting = [turn for turn in self._queue.waiting if silenced(turn.message.home)]
        self._queue.waiting = [
            turn for turn in self._queue.waiting if turn not in waiting
        ]  # removed first, since two orders may silence them
        for turn in waiting:
            await self._close(turn, TurnOutcome(result="silenced"))
            await self._tell_stopped(turn.message)
        for turn, task in [*self._queue.running.values()]:
            if silenced(turn.message.home) and not task.cancelling():
                task.cancel()
                await self._tell_stopped(turn.message)

    async def _tell_stopped(self, message: Message) -> None:
        if self.replies.is_stopped:
            await self.replies.stopped(message, is_question=False)

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="beside a conversation")
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)


def _with(talk: TalkRecord, turn: TalkTurn) -> TalkRecord:
    return talk.evolve(turns=tuple(turn if each.turn_id == turn.turn_id else each for each in talk.turns))


def _without(talk: TalkRecord, turn: TalkTurn) -> TalkRecord:
    return talk.evolve(turns=tuple(each for each in talk.turns if each.turn_id != turn.turn_id))
