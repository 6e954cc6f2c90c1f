"""Cancellation of chat turns that are not answered yet.

For a running turn the request to the model is cancelled; its running commands complete and are reported. A waiting turn
is dropped.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.chat.agent_run import TurnOutcome
from bot.chat.canned_replies import NOT_THEIR_ANSWER, NOT_THEIRS_TO_STOP, NOTHING_RUNS, stopped_for
from bot.commands.permission import NOT_OF_US
from bot.models.talk import REMEMBERED, is_direct, turn_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any

    from bot.chat.conversation_records import TalkRecords
    from bot.chat.turn import Talking
    from bot.chat.turn_queue import TurnQueue
    from bot.models.message import Deletion, Message
    from bot.models.talk import TalkTurn
    from bot.models.talk_stop import TalkStop

PRESSES_KNOWN = 100
"""Number of turns remembered as ended by a press."""


@dataclass(frozen=True, kw_only=True)
class CallingOff:
    """Cancels turns of `queue`. `close` records a turn's outcome; `aside` runs a coroutine in the background."""

    _pressed: deque[str] = field(default_factory=lambda: deque(maxlen=PRESSES_KNOWN))
    """Turns ended by a press."""

    queue: TurnQueue
    talking: Talking
    records: TalkRecords
    close: Callable[[TalkTurn, TurnOutcome], Awaitable[None]]
    aside: Callable[[Coroutine[Any, Any, None]], None]

    async def withdraw(self, deletion: Deletion) -> bool:
        """Drop the waiting turn of a deleted message; return whether there was one."""
        place = (deletion.chat_id, deletion.message_id)
        for turn in [each for each in self.queue.waiting if (each.message.chat_id, each.message.message_id) == place]:
            if turn.began_at is None:
                self.queue.waiting.remove(turn)
                await self.close(turn, TurnOutcome(result="withdrawn"))
                return True
        return False

    async def call_off(self, message: Message) -> bool:
        """Cancel this person's turns in this place at once; return whether there were any."""

        def is_theirs(turn: TalkTurn) -> bool:
            if message.thread_id is not None and turn.message.home != message.home:
                return False
            return (turn.message.sender.id, turn.message.chat_id) == (message.sender.id, message.chat_id)

        ended = self._endable(is_theirs)
        if not ended:
            return False
        await self._take(message)
        self._end(ended)
        return True

    async def press(self, stop: TalkStop) -> None:
        """Handle Slack's Stop button: end the turns that its presser may end, else clear the status.

        The asker, operators and admins may. Users whom Triage does not answer are ignored; a second press is not
        answered again.
        """
        permission = self.talking.permission
        if await permission.refusal(stop.asker, "member") == NOT_OF_US:
            return
        open_ = self._endable(lambda turn: turn.message.home == stop.conversation)
        if not open_:
            await self._take_down(stop)
            return
        own = [turn for turn in open_ if turn.message.sender.id == stop.user_id]
        meant = open_ if permission.has_role(stop.user_id, "operator") else own
        self._pressed.extend(turn.turn_id for turn in meant)
        ended = self._end(meant, by=stop.user_id)
        if others := {turn.message.sender.id for turn in ended} - {stop.user_id}:
            self._tell(stop, open_[0].message, stopped_for(sorted(others)))
        elif not meant:
            self._tell(stop, open_[0].message, NOT_THEIRS_TO_STOP)

    async def _take_down(self, stop: TalkStop) -> None:
        """Clear the status of a thread without a running turn: it was cut off by a restart, answered, or ended
        before."""
        talk = self.records.get(stop.conversation)
        await self.talking.clear(channel=stop.channel_id, thread_ts=stop.thread_ts)
        if talk is None or not talk.done or talk.done[-1] not in self._pressed:
            await self.talking.voice.tell_in(stop.channel_id, stop.thread_ts, stop.user_id, NOTHING_RUNS)

    def _tell(self, stop: TalkStop, message: Message, text: str) -> None:
        """Tell the presser, in the place where the answer to this message is read."""
        thread_ts = stop.thread_ts if message.thread_id or is_direct(stop.channel_id) else None
        self.aside(self.talking.voice.tell_in(stop.channel_id, thread_ts, stop.user_id, text))

    async def spare(self, message: Message) -> bool:
        """Tell a user that the answer running in this thread is another person's; return whether there is one."""
        if all(turn.message.home != message.home for turn, _ in self.queue.running.values()):
            return False
        await self._take(message)
        self.aside(self.talking.voice.tell(message, NOT_THEIR_ANSWER))
        return True

    async def _take(self, message: Message) -> None:
        """Record on disk that a message was handled. Raises `RetryLater`."""
        talk = self.records.of(message.home)
        await self.records.keep(talk.evolve(done=(*talk.done, turn_id(message))[-REMEMBERED:]))

    def _endable(self, is_meant: Callable[[TalkTurn], bool]) -> list[TalkTurn]:
        """Return the open turns that match and can be cancelled; one cut off by a restart is only reported."""
        return [turn for turn in self.queue.open if turn.began_at is None and is_meant(turn)]

    def _end(self, turns: list[TalkTurn], *, by: str = "") -> list[TalkTurn]:
        """Cancel turns at the request of `by`, if that is not their asker; return those that were not cancelled before.

        A waiting turn may have begun since its caller looked it up.
        """
        ended = []
        for turn in turns:
            whose = "" if by == turn.message.sender.id else by
            if turn.turn_id in self.queue.running:
                if not self.talking.call_off(turn, whose):
                    continue
                self.queue.running[turn.turn_id][1].cancel()
            elif turn in self.queue.waiting:
                self.queue.waiting.remove(turn)
                self.aside(self._close_uncalled(turn, whose))
            ended.append(turn)
        return ended

    async def _close_uncalled(self, turn: TalkTurn, by: str) -> None:
        await self.close(turn, await self.talking.called_off(turn, by))
