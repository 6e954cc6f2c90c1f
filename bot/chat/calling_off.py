"""Cancellation of chat turns that are not answered yet.

For a running turn the request to the model is cancelled; its running commands complete and are reported. A waiting turn
is dropped.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from bot.chat.agent_run import TurnOutcome
from bot.chat.canned_replies import NOT_THEIR_ANSWER, NOT_THEIRS_TO_STOP, NOTHING_RUNS, format_stopped_for
from bot.commands.permission import NOT_OF_US
from bot.models.conversation_record import REMEMBERED, is_direct, turn_id

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from bot.chat.conversation_records import ConversationRecords
    from bot.chat.turn import TurnRunner
    from bot.chat.turn_queue import TurnQueue
    from bot.models.conversation_record import TurnRecord
    from bot.models.message import Deletion, Message
    from bot.models.turn_stop import StopPress

MAX_PRESSES = 100
"""Number of turns remembered as ended by a press."""


class RunningTurns(Protocol):
    """Turns that run or wait, as their cancellation sees them."""

    async def close(self, turn: TurnRecord, outcome: TurnOutcome) -> None:
        """Record the outcome of a turn."""

    def start_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""


@dataclass(frozen=True, kw_only=True)
class TurnCancellation:
    """Cancels turns of `queue`."""

    _stopped_by_press: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_PRESSES))
    """Turns ended by a press."""

    queue: TurnQueue
    turn_runner: TurnRunner
    records: ConversationRecords
    conversations: RunningTurns

    async def cancel_deleted(self, deletion: Deletion) -> bool:
        """Drop the waiting turn of a deleted message; return whether there was one."""
        place = (deletion.chat_id, deletion.message_id)
        for turn in [each for each in self.queue.waiting if (each.message.chat_id, each.message.message_id) == place]:
            if turn.began_at is None:
                self.queue.waiting.remove(turn)
                await self.conversations.close(turn, TurnOutcome(result="withdrawn"))
                return True
        return False

    async def cancel(self, message: Message) -> bool:
        """Cancel this person's turns in this place immediately; return whether there were any."""

        def is_theirs(turn: TurnRecord) -> bool:
            if message.thread_id is not None and turn.message.home != message.home:
                return False
            return (turn.message.sender.id, turn.message.chat_id) == (message.sender.id, message.chat_id)

        turns = self._find_cancellable(is_theirs)
        if not turns:
            return False
        await self._record_message(message)
        self._cancel_turns(turns)
        return True

    async def handle_stop_press(self, stop: StopPress) -> None:
        """Handle Slack's Stop button: end the turns that its presser may end, else clear the status.

        The asker, operators and admins may. Users whom Triage does not answer are ignored; a second press is not
        answered again.
        """
        permission = self.turn_runner.permission
        if await permission.refusal(stop.asker, "member") == NOT_OF_US:
            return
        open_ = self._find_cancellable(lambda turn: turn.message.home == stop.conversation)
        if not open_:
            await self._clear_status(stop)
            return
        askers_turns = [turn for turn in open_ if turn.message.sender.id == stop.user_id]
        own_turns = open_ if permission.has_role(stop.user_id, "operator") else askers_turns
        self._stopped_by_press.extend(turn.turn_id for turn in own_turns)
        cancelled = self._cancel_turns(own_turns, by=stop.user_id)
        if others := {turn.message.sender.id for turn in cancelled} - {stop.user_id}:
            self._notify(stop, open_[0].message, format_stopped_for(sorted(others)))
        elif not own_turns:
            self._notify(stop, open_[0].message, NOT_THEIRS_TO_STOP)

    async def _clear_status(self, stop: StopPress) -> None:
        """Clear the status of a thread without a running turn: it was cut off by a restart, answered, or ended
        before."""
        record = self.records.get(stop.conversation)
        await self.turn_runner.clear(channel=stop.channel_id, thread_ts=stop.thread_ts)
        if record is None or not record.done or record.done[-1] not in self._stopped_by_press:
            await self.turn_runner.poster.notify_in(stop.channel_id, stop.thread_ts, stop.user_id, NOTHING_RUNS)

    def _notify(self, stop: StopPress, message: Message, text: str) -> None:
        """Tell the presser, in the place where the answer to this message is read."""
        thread_ts = stop.thread_ts if message.thread_id or is_direct(stop.channel_id) else None
        self.conversations.start_background(
            self.turn_runner.poster.notify_in(stop.channel_id, thread_ts, stop.user_id, text)
        )

    async def explain_not_cancelled(self, message: Message) -> bool:
        """Tell a user that the answer running in this thread is another person's; return whether there is one."""
        if all(turn.message.home != message.home for turn, _ in self.queue.running.values()):
            return False
        await self._record_message(message)
        self.conversations.start_background(self.turn_runner.poster.notify(message, NOT_THEIR_ANSWER))
        return True

    async def _record_message(self, message: Message) -> None:
        """Record on disk that a message was handled. Raises `RetryLater`."""
        record = self.records.get_or_create(message.home)
        await self.records.save(record.evolve(done=(*record.done, turn_id(message))[-REMEMBERED:]))

    def _find_cancellable(self, is_meant: Callable[[TurnRecord], bool]) -> list[TurnRecord]:
        """Return the open turns that match and can be cancelled; one cut off by a restart is only reported."""
        return [turn for turn in self.queue.open if turn.began_at is None and is_meant(turn)]

    def _cancel_turns(self, turns: list[TurnRecord], *, by: str = "") -> list[TurnRecord]:
        """Cancel turns at the request of `by`, if that is not their asker; return those that were not cancelled before.

        A waiting turn may have begun since its caller looked it up.
        """
        cancelled = []
        for turn in turns:
            cancelled_by = "" if by == turn.message.sender.id else by
            if turn.turn_id in self.queue.running:
                if not self.turn_runner.request_cancel(turn, cancelled_by):
                    continue
                self.queue.running[turn.turn_id][1].cancel()
            elif turn in self.queue.waiting:
                self.queue.waiting.remove(turn)
                self.conversations.start_background(self._close_waiting(turn, cancelled_by))
            cancelled.append(turn)
        return cancelled

    async def _close_waiting(self, turn: TurnRecord, by: str) -> None:
        await self.conversations.close(turn, await self.turn_runner.report_cancelled(turn, by))
