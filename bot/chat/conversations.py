"""Conversations with the chat agent: whose turn it is, and that none is lost, doubled or run again after a crash.

Called by intake with what is said to the bot itself (`desks.Conversations`). A turn is on disk before its agent begins
and leaves it once it is answered. What a turn is, is `chat/turn`'s; how one is ended,
`chat/calling_off`'s.
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
"""How long somebody who says `hold on` may mean the answer that they have just got."""
MOST_WAITING = 5
"""Turns of one person that are open at once; what is said over that is not taken, and they are told."""

_HEARD = ("restarted", "failed", "silent", "late")
"""What a turn came to in which code alone has spoken: what follows in that thread goes on with the talk, too."""


@dataclass(kw_only=True)
class ChatConversations:
    """All of them. `rate` is how much of one person is taken."""

    talks: ConversationStore
    talking: Talking
    audit: Journal
    clock: Clock
    rate: MessageRate
    replies: DirectReplies
    """Whoever meets what needs no model; here those whose turns a stop cuts off."""
    _queue: TurnQueue = field(default_factory=TurnQueue)
    _beside: set[asyncio.Task[None]] = field(default_factory=set)
    _begun: bool = False
    _ended: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """When the last turn of a person ended in a place; after a restart nobody has just been answered."""

    def __post_init__(self) -> None:
        self._records = TalkRecords(talks=self.talks, clock=self.clock)
        self._outbox = TalkOutbox(voice=self.talking.voice, records=self._records, clock=self.clock)
        self.talking.voice.outbox = self._outbox
        self._calling_off = CallingOff(
            queue=self._queue, talking=self.talking, records=self._records, close=self._close, aside=self._aside
        )

    async def load(self) -> None:
        """Know what is on disk; nothing runs yet."""
        for talk in await self._records.load():
            self._queue.waiting += talk.turns
        self._queue.waiting.sort(key=lambda turn: turn.message.create_time)

    def begin(self) -> int:
        """Run what waits; of what a crash cut off it is said. The answer is how many turns are open."""
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
        """Return whether a turn of this person ended in this place a moment ago (`ChatConversations`)."""
        ended = self._ended.get((message.sender.id, message.chat_id))
        return ended is not None and self.clock.now() - ended <= LATELY

    def has_taken(self, message: Message) -> bool:
        """Return whether this message made a turn, open or ended (`ChatConversations`)."""
        talk, name = self._records.get(message.home), turn_id(message)
        return talk is not None and (name in talk.done or any(turn.turn_id == name for turn in talk.turns))

    async def hear(self, message: Message, why: str) -> bool:
        """Take what is said to the bot itself (`ChatConversations`).

        On return it is on disk; says whether it is new. `why` is the reason of its door. Raises `RetryLater` when the
        disk does not take it.
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
        except RetryLater:  # it is not on disk, so another delivery of it is new
            self._records.put(_without(self._records.of(message.home), turn))
            raise
        self._queue.waiting.append(turn)
        self._advance()
        return True

    async def withdraw(self, deletion: Deletion) -> bool:
        """A message is gone: its turn is not begun any more; says whether it waited (`ChatConversations`)."""
        return await self._calling_off.withdraw(deletion)

    async def call_off(self, message: Message) -> bool:
        """Stop what this person has asked for in this place, at once; says whether there was anything."""
        return await self._calling_off.call_off(message)

    async def spare(self, message: Message) -> bool:
        """Tell somebody whose turn it is that runs in this thread, where it is not theirs; says whether one does."""
        return await self._calling_off.spare(message)

    async def press_stop(self, stop: TalkStop) -> None:
        """Act on Slack's own Stop (`ConversationStore`)."""
        await self._calling_off.press(stop)

    async def settled(self, conversation: str, said: str) -> None:
        """Remember what came of a command that had waited for a press. Raises `RetryLater`."""
        await self._outbox.noted(conversation, said)

    def question_taken(self, message: Message) -> None:
        """Tell somebody that what they said to the bot is a question for triage, without waiting."""
        about = f" It is about `{message.subject.project}`: {message.subject.told}." if message.subject else ""
        self._aside(self.talking.voice.tell(message, f"{FOR_TRIAGE}{about}"))

    def reconsider(self) -> None:
        """Somebody has stopped Triage, or muted a thread: end what may say nothing any more."""
        if self._begun and self._queue.open:
            self._aside(self._silence())

    async def stop(self) -> None:
        """Begin nothing new and end what runs; what is open is on disk."""
        self._begun = False
        tasks = [*self._beside, *self._outbox.tasks, *(task for _, task in self._queue.running.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_too_much(self, message: Message) -> bool:
        """Return whether more of this person is not taken now."""
        is_open = sum(turn.message.sender.id == message.sender.id for turn in self._queue.open)
        return not self.rate.takes(message, busy=is_open >= MOST_WAITING)

    def _advance(self) -> None:
        if self._begun:
            self._queue.begin(self._run)

    async def _run(self, turn: TalkTurn) -> None:
        home = turn.message.home
        was_cut_off = turn.began_at is not None  # by the death of a process, and nobody knows what it had read
        taint = Taint(is_tainted=self._records.of(home).tainted or was_cut_off or turn.pasted)
        try:
            try:
                talk = self._records.of(home)
                if self._outbox.has(home, turn.turn_id):
                    outcome = await self.talking.was_answered(turn)  # or will be, as soon as Slack takes it
                elif was_cut_off:
                    outcome = await self.talking.pick_up(turn)
                else:
                    await self._records.keep(_with(self._records.of(home), turn.evolve(began_at=self.clock.now())))
                    refused = turn.message.sender.id in talk.refused
                    talks = [*self._records.just_before(turn.message), talk]
                    outcome = await self.talking.run(turn, taint, refused=refused, talks=talks)
            except asyncio.CancelledError:
                if not self._begun:  # the process ends, and the next one says so
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
        """Write down what came of a turn, and forget its words."""
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
        ]  # at once: two orders may silence them
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
