"""Conversations with the chat agent: whose turn it is, and that none is lost, doubled or run again after a crash.

Called by intake with what is said to the bot itself (`desks.Conversations`). A turn is on disk before its agent begins
and leaves it once it is answered. Turns of one conversation, and of one person, run one after the other; of several
conversations a few side by side. What a turn is, is `assistant/talking`'s.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.assistant.chat_turn import Outcome
from bot.assistant.outbox import TalkOutbox
from bot.assistant.sentences import FOR_TRIAGE, NOT_THEIR_ANSWER
from bot.assistant.talk_records import TalkRecords
from bot.assistant.toolbox import Taint
from bot.errors import RetryLater
from bot.models.talk import REMEMBERED, TalkTurn, turn_id

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from datetime import datetime
    from typing import Any

    from bot.assistant.direct_replies import DirectReplies
    from bot.assistant.message_rate import MessageRate
    from bot.assistant.talking import Talking
    from bot.models.message import Deletion, Message
    from bot.models.talk import Talk
    from bot.ports import Clock, Journal, Talks

log = logging.getLogger(__name__)

LATELY = timedelta(minutes=10)
"""How long somebody who says `hold on` may mean the answer that they have just got."""
SEATS = 4
"""Turns that run at once."""
MOST_WAITING = 5
"""Turns of one person that are open at once; what is said over that is not taken, and they are told."""

_HEARD = ("restarted", "failed", "silent", "late")
"""What a turn came to in which code alone has spoken: what follows in that thread goes on with the talk, too."""


@dataclass(kw_only=True)
class Conversations:
    """All of them. `rate` is how much of one person is taken."""

    talks: Talks
    talking: Talking
    audit: Journal
    clock: Clock
    rate: MessageRate
    replies: DirectReplies
    """Whoever meets what needs no model; here those whose turns a stop cuts off."""
    _waiting: list[TalkTurn] = field(default_factory=list)
    _running: dict[str, tuple[TalkTurn, asyncio.Task[None]]] = field(default_factory=dict)
    _beside: set[asyncio.Task[None]] = field(default_factory=set)
    _begun: bool = False
    _ended: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """When the last turn of a person ended in a place; after a restart nobody has just been answered."""

    def __post_init__(self) -> None:
        self._records = TalkRecords(talks=self.talks, clock=self.clock)
        self._outbox = TalkOutbox(voice=self.talking.voice, records=self._records, clock=self.clock)
        self.talking.voice.outbox = self._outbox

    async def load(self) -> None:
        """Know what is on disk; nothing runs yet."""
        for talk in await self._records.load():
            self._waiting += talk.turns
        self._waiting.sort(key=lambda turn: turn.message.create_time)

    def begin(self) -> int:
        """Run what waits; of what a crash cut off it is said. The answer is how many turns are open."""
        self._begun = True
        count = len(self._waiting)
        for talk in self._records.all:
            self._outbox.later(talk.conversation)
        self._advance()
        return count

    def goes_on_in(self, thread_id: str) -> bool:
        """Whether the agent has answered in this thread, or is about to (`Conversations`)."""
        talk = self._records.get(thread_id)
        return talk is not None and (talk.answered or bool(talk.turns))

    def has_just_answered(self, message: Message) -> bool:
        """Whether a turn of this person ended in this place a moment ago (`Conversations`)."""
        ended = self._ended.get((message.sender.id, message.chat_id))
        return ended is not None and self.clock.now() - ended <= LATELY

    def has_taken(self, message: Message) -> bool:
        """Whether this message made a turn, open or ended (`Conversations`)."""
        talk, name = self._records.get(message.home), turn_id(message)
        return talk is not None and (name in talk.done or any(turn.turn_id == name for turn in talk.turns))

    async def hear(self, message: Message, why: str) -> bool:
        """Take what is said to the bot itself (`Conversations`).

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
        self._waiting.append(turn)
        self._advance()
        return True

    async def withdraw(self, deletion: Deletion) -> bool:
        """A message is gone: its turn is not begun any more; says whether it waited (`Conversations`)."""
        place = (deletion.chat_id, deletion.message_id)
        for turn in [each for each in self._waiting if (each.message.chat_id, each.message.message_id) == place]:
            if turn.began_at is None:
                self._waiting.remove(turn)
                await self._close(turn, Outcome(result="withdrawn"), tainted=False)
                return True
        return False

    async def call_off(self, message: Message) -> bool:
        """Stop what this person has asked for in this place, at once; says whether there was anything.

        Of a turn that runs the request to the model is given up; commands that were begun end, and are named.
        """

        def is_theirs(turn: TalkTurn) -> bool:
            if message.thread_id is not None and turn.message.home != message.home:
                return False
            return (turn.message.sender.id, turn.message.chat_id) == (message.sender.id, message.chat_id)

        running = [each for each in self._running.values() if is_theirs(each[0])]
        waiting = [turn for turn in self._waiting if is_theirs(turn) and turn.began_at is None]
        if not (running or waiting):
            return False
        talk = self._records.of(message.home)
        await self._records.keep(talk.evolve(done=(*talk.done, turn_id(message))[-REMEMBERED:]))
        for turn, task in running:
            self.talking.call_off(turn)
            task.cancel()
        for turn in waiting:
            self._waiting.remove(turn)
            self._aside(self._close_uncalled(turn))
        return True

    async def spare(self, message: Message) -> bool:
        """Tell somebody whose turn it is that runs in this thread, where it is not theirs; says whether one does."""
        if all(turn.message.home != message.home for turn, _ in self._running.values()):
            return False
        talk = self._records.of(message.home)
        await self._records.keep(talk.evolve(done=(*talk.done, turn_id(message))[-REMEMBERED:]))
        self._aside(self.talking.voice.tell(message, NOT_THEIR_ANSWER))
        return True

    async def settled(self, conversation: str, said: str) -> None:
        """Remember what came of a command that had waited for a press. Raises `RetryLater`."""
        await self._outbox.noted(conversation, said)

    def question_taken(self, message: Message) -> None:
        """Tell somebody that what they said to the bot is a question for triage, without waiting (`Conversations`)."""
        about = f" It is about `{message.subject.project}`: {message.subject.told}." if message.subject else ""
        self._aside(self.talking.voice.tell(message, f"{FOR_TRIAGE}{about}"))

    def reconsider(self) -> None:
        """Somebody has stopped Triage, or muted a thread: end what may say nothing any more."""
        if self._begun and (self._waiting or self._running):
            self._aside(self._silence())

    async def stop(self) -> None:
        """Begin nothing new and end what runs; what is open is on disk."""
        self._begun = False
        tasks = [*self._beside, *self._outbox.tasks, *(task for _, task in self._running.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_too_much(self, message: Message) -> bool:
        """Whether more of this person is not taken now."""
        running = (turn for turn, _ in self._running.values())
        is_open = sum(turn.message.sender.id == message.sender.id for turn in (*self._waiting, *running))
        return not self.rate.takes(message, busy=is_open >= MOST_WAITING)

    def _advance(self) -> None:
        """Begin what may begin, in the order in which it was said."""
        busy = {name for turn, _ in self._running.values() for name in _places(turn)}
        for turn in [*self._waiting] if self._begun else ():
            if len(self._running) >= SEATS:
                return
            if busy.isdisjoint(_places(turn)):
                self._waiting.remove(turn)
                task = asyncio.create_task(self._run(turn), name=f"turn {turn.turn_id}")
                self._running[turn.turn_id] = (turn, task)
            busy.update(_places(turn))  # of a turn that waits, too: what came after it does not overtake it

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
                outcome = Outcome(result="silenced")
            except Exception:
                log.exception("turn %s broke", turn.turn_id)
                outcome = await self.talking.broke(turn)
            await self._close(turn, outcome, tainted=taint.is_tainted)
        finally:
            self._running.pop(turn.turn_id, None)
            self._advance()

    async def _close(self, turn: TalkTurn, outcome: Outcome, *, tainted: bool) -> None:
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

    async def _close_uncalled(self, turn: TalkTurn) -> None:
        await self._close(turn, await self.talking.called_off(turn), tainted=False)

    async def _silence(self) -> None:
        silenced = self.talking.voice.silenced
        waiting = [turn for turn in self._waiting if silenced(turn.message.home)]
        self._waiting = [turn for turn in self._waiting if turn not in waiting]  # at once: two orders may silence them
        for turn in waiting:
            await self._close(turn, Outcome(result="silenced"), tainted=False)
            await self._tell_stopped(turn.message)
        for turn, task in [*self._running.values()]:
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


def _places(turn: TalkTurn) -> tuple[str, str]:
    """What only one turn at a time may have: the conversation, and the person."""
    return turn.message.home, turn.message.sender.id


def _with(talk: Talk, turn: TalkTurn) -> Talk:
    return talk.evolve(turns=tuple(turn if each.turn_id == turn.turn_id else each for each in talk.turns))


def _without(talk: Talk, turn: TalkTurn) -> Talk:
    return talk.evolve(turns=tuple(each for each in talk.turns if each.turn_id != turn.turn_id))
