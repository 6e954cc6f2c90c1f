"""Conversations with the chat agent: order of turns, and exactly one answer to each, across crashes.

A turn is on disk before its agent begins, and is
removed once it is answered. `chat/turn` runs a turn, `chat/calling_off` cancels one.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.chat.agent_run import TurnOutcome, TurnResult
from bot.chat.calling_off import TurnCancellation
from bot.chat.canned_replies import FOR_TRIAGE, FOR_TRIAGE_ALONE
from bot.chat.conversation_records import ConversationRecords
from bot.chat.outbox import ConversationOutbox
from bot.chat.toolbox import Taint
from bot.chat.turn_queue import TurnQueue
from bot.errors import RetryLater
from bot.models.conversation_record import REMEMBERED, TurnRecord, turn_id
from bot.runtime.draining import Draining

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Coroutine
    from datetime import datetime
    from typing import Any

    from bot.chat.direct_replies import DirectReplies
    from bot.chat.message_rate import MessageRate
    from bot.chat.turn import TurnRunner
    from bot.models.conversation_record import ConversationRecord
    from bot.models.message import Deletion, Message
    from bot.models.turn_stop import StopPress
    from bot.ports.outbound import Clock, ConversationStore, Journal

log = logging.getLogger(__name__)

JUST_ANSWERED_WITHIN = timedelta(minutes=10)
"""Time after an answer within which `hold on` may refer to it."""
MAX_OPEN_TURNS = 5
"""Number of open turns of one person; further messages are not accepted, and the person is told."""

_CODE_ONLY_RESULTS: tuple[TurnResult, ...] = ("restarted", "failed", "silent", "late")
"""Results of turns that only code answered: a reply in the thread continues the conversation all the same."""


@dataclass(kw_only=True)
class ChatConversations:
    """Conversations with the chat agent: the `ConversationsPort` of intake, and the `StopPressPort`.

    `rate` limits the messages of one person.
    """

    store: ConversationStore
    turn_runner: TurnRunner
    audit: Journal
    clock: Clock
    rate: MessageRate
    replies: DirectReplies
    """Direct replies, here for people whose turns a stop ends."""
    auto_reply_channels: Callable[[], Container[str]] = tuple
    """Function that returns the channels whose replies may go out without a press."""
    draining: Draining = field(default_factory=Draining)
    _queue: TurnQueue = field(default_factory=TurnQueue)
    _background_tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _is_running: bool = False
    _ended_at: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """Time of each person's last finished turn by place; empty after a restart."""

    def __post_init__(self) -> None:
        self._records = ConversationRecords(store=self.store, clock=self.clock)
        self._outbox = ConversationOutbox(poster=self.turn_runner.poster, records=self._records, clock=self.clock)
        self.turn_runner.poster.outbox = self._outbox
        self._cancellation = TurnCancellation(
            queue=self._queue,
            turn_runner=self.turn_runner,
            records=self._records,
            conversations=self,
        )

    async def load(self) -> None:
        """Load open turns from disk; nothing runs yet."""
        for record in await self._records.load():
            self._queue.waiting += record.turns
        self._queue.waiting.sort(key=lambda turn: turn.message.create_time)

    def begin(self) -> int:
        """Run the waiting turns and report those that a crash cut off; return the number of open turns."""
        self._is_running = True
        count = len(self._queue.waiting)
        for record in self._records.conversations:
            self._outbox.post_later(record.conversation)
        self._advance()
        return count

    def is_active_in(self, thread_id: str) -> bool:
        """Return whether the agent has answered in this thread, or is about to."""
        record = self._records.get(thread_id)
        return record is not None and (record.answered or bool(record.turns))

    def has_just_answered(self, message: Message) -> bool:
        """Return whether a turn of this person ended in this place recently."""
        ended_at = self._ended_at.get((message.sender.id, message.chat_id))
        return ended_at is not None and self.clock.now() - ended_at <= JUST_ANSWERED_WITHIN

    def has_accepted(self, message: Message) -> bool:
        """Return whether this message became a turn, open or ended."""
        record, name = self._records.get(message.home), turn_id(message)
        return record is not None and (name in record.done or any(turn.turn_id == name for turn in record.turns))

    async def accept(self, message: Message, reason: str) -> bool:
        """Accept a message to the bot itself.

        On return it is on disk; return whether it is new. `reason` is the reason for its addressee. Raises `RetryLater`
        if the disk does not accept it."""
        if self.has_accepted(message):
            return False
        record = self._records.get_or_create(message.home)
        if self._is_over_rate(message):
            self.start_background(self.rate.report_excess(message))
            await self._records.save(record.evolve(done=(*record.done, turn_id(message))[-REMEMBERED:]))
            return True
        turn = TurnRecord(
            message=message, door=reason, pasted=message.pasted, in_shared_channel=message.in_shared_channel
        )
        try:
            await self._records.save(record.evolve(turns=(*record.turns, turn)))
        except RetryLater:  # not on disk, so another delivery of it is new
            self._records.put(_remove_turn(self._records.get_or_create(message.home), turn))
            raise
        self._queue.waiting.append(turn)
        self._advance()
        return True

    async def cancel_deleted(self, deletion: Deletion) -> bool:
        """Drop the waiting turn of a deleted message; return whether there was one."""
        return await self._cancellation.cancel_deleted(deletion)

    async def cancel(self, message: Message) -> bool:
        """Cancel this person's turns in this place immediately; return whether there were any."""
        return await self._cancellation.cancel(message)

    async def explain_not_cancelled(self, message: Message) -> bool:
        """Tell a user that the answer running in this thread is another person's; return whether there is one."""
        return await self._cancellation.explain_not_cancelled(message)

    async def press_stop(self, stop: StopPress) -> None:
        """Handle Slack's Stop button."""
        await self._cancellation.handle_stop_press(stop)

    async def record_outcome(self, conversation: str, text: str) -> None:
        """Record the outcome of a confirmed command. Raises `RetryLater`."""
        await self._outbox.save_outcome(conversation, text)

    def confirm_question(self, message: Message) -> None:
        """Tell a user, without waiting, that their message was taken as a question for triage."""
        about = f" It is about `{message.subject.project}`: {message.subject.told}." if message.subject else ""
        taken = FOR_TRIAGE_ALONE if message.chat_id in self.auto_reply_channels() else FOR_TRIAGE
        self.start_background(self.turn_runner.poster.notify(message, f"{taken}{about}"))

    def end_silenced(self) -> None:
        """End the turns that may no longer post, after a stop of Triage or a mute."""
        if self._is_running and self._queue.open:
            self.start_background(self._end_silenced())

    @property
    def waiting(self) -> int:
        """Return the number of turns that have not begun."""
        return len(self._queue.waiting)

    async def drain(self, seconds: float) -> None:
        """Wait at most so long for the end of the turns that run; those that wait are on disk."""
        self.draining.begin()
        if running := [task for _, task in self._queue.running.values()]:
            await asyncio.wait(running, timeout=seconds)

    async def stop(self) -> None:
        """Stop: begin nothing new and cancel what runs; open turns are on disk."""
        self._is_running = False
        tasks = [*self._background_tasks, *self._outbox.tasks, *(task for _, task in self._queue.running.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_over_rate(self, message: Message) -> bool:
        """Return whether this person's message is over the rate."""
        is_open = sum(turn.message.sender.id == message.sender.id for turn in self._queue.open)
        return not self.rate.try_accept(message, busy=is_open >= MAX_OPEN_TURNS)

    def _advance(self) -> None:
        if self._is_running and not self.draining.is_on:
            self._queue.begin(self._run)

    async def _run(self, turn: TurnRecord) -> None:
        home = turn.message.home
        was_cut_off = turn.began_at is not None  # by a crash; what the agent had read is not known
        taint = Taint(is_tainted=self._records.get_or_create(home).tainted or was_cut_off or turn.pasted)
        try:
            try:
                record = self._records.get_or_create(home)
                if self._outbox.has_answer(home, turn.turn_id):
                    outcome = await self.turn_runner.finish_answered(turn)  # or will be, as soon as Slack accepts it
                elif was_cut_off:
                    outcome = await self.turn_runner.report_cut_off(turn)
                else:
                    await self._records.save(
                        _replace_turn(self._records.get_or_create(home), turn.evolve(began_at=self.clock.now()))
                    )
                    refused = turn.message.sender.id in record.refused
                    recent = [*self._records.find_recent(turn.message), record]
                    outcome = await self.turn_runner.run(turn, taint, refused=refused, conversations=recent)
            except asyncio.CancelledError:
                if not self._is_running:  # the process ends, and the next one reports it
                    raise
                outcome = await self.turn_runner.handle_cancelled(turn)
            except Exception:
                log.exception("turn %s failed", turn.turn_id)
                outcome = await self.turn_runner.report_failure(turn)
            await self.close(turn, outcome, tainted=taint.is_tainted)
        finally:
            self._queue.running.pop(turn.turn_id, None)
            self.turn_runner.forget(turn)
            self._advance()

    async def close(self, turn: TurnRecord, outcome: TurnOutcome, *, tainted: bool = False) -> None:
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
        self._ended_at[turn.message.sender.id, turn.message.chat_id] = self.clock.now()
        record = self._records.get_or_create(turn.message.home)
        refused = {*record.refused, *([turn.message.sender.id] if outcome.is_refused else [])}
        await self._records.save(
            _remove_turn(record, turn).evolve(
                done=(*record.done, turn.turn_id)[-REMEMBERED:],
                tainted=record.tainted or tainted,
                refused=tuple(sorted(refused)),
                answered=record.answered or outcome.is_answered or outcome.result in _CODE_ONLY_RESULTS,
            )
        )

    async def _end_silenced(self) -> None:
        silenced = self.turn_runner.poster.controls.why_silent
        waiting = [turn for turn in self._queue.waiting if silenced(turn.message.home)]
        self._queue.waiting = [
            turn for turn in self._queue.waiting if turn not in waiting
        ]  # removed first, since two orders may silence them
        for turn in waiting:
            await self.close(turn, TurnOutcome(result="silenced"))
            await self._tell_stopped(turn.message)
        for turn, task in [*self._queue.running.values()]:
            if silenced(turn.message.home) and not task.cancelling():
                task.cancel()
                await self._tell_stopped(turn.message)

    async def _tell_stopped(self, message: Message) -> None:
        if self.replies.is_stopped:
            await self.replies.report_stopped(message, is_question=False)

    def start_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""
        task = asyncio.create_task(work, name="beside a conversation")
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)


def _replace_turn(record: ConversationRecord, turn: TurnRecord) -> ConversationRecord:
    return record.evolve(turns=tuple(turn if each.turn_id == turn.turn_id else each for each in record.turns))


def _remove_turn(record: ConversationRecord, turn: TurnRecord) -> ConversationRecord:
    return record.evolve(turns=tuple(each for each in record.turns if each.turn_id != turn.turn_id))
