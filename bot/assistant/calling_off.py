"""Calling off: the turns that somebody wants ended before they are answered.

Of a turn that runs the request to the model is given up; commands that were begun end, and are named. One that waits is
not begun.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.assistant.chat_turn import Outcome
from bot.assistant.sentences import NOT_THEIR_ANSWER
from bot.models.talk import REMEMBERED, turn_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any

    from bot.assistant.talk_records import TalkRecords
    from bot.assistant.talking import Talking
    from bot.assistant.turn_queue import TurnQueue
    from bot.models.message import Deletion, Message
    from bot.models.talk import TalkTurn


@dataclass(frozen=True, kw_only=True)
class CallingOff:
    """Ends turns of `queue`. `close` writes down what came of one; `aside` does something without waiting for it."""

    queue: TurnQueue
    talking: Talking
    records: TalkRecords
    close: Callable[[TalkTurn, Outcome], Awaitable[None]]
    aside: Callable[[Coroutine[Any, Any, None]], None]

    async def withdraw(self, deletion: Deletion) -> bool:
        """A message is gone: its turn is not begun any more; says whether it waited."""
        place = (deletion.chat_id, deletion.message_id)
        for turn in [each for each in self.queue.waiting if (each.message.chat_id, each.message.message_id) == place]:
            if turn.began_at is None:
                self.queue.waiting.remove(turn)
                await self.close(turn, Outcome(result="withdrawn"))
                return True
        return False

    async def call_off(self, message: Message) -> bool:
        """Stop what this person has asked for in this place, at once; says whether there was anything."""

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

    async def spare(self, message: Message) -> bool:
        """Tell somebody whose turn it is that runs in this thread, where it is not theirs; says whether one does."""
        if all(turn.message.home != message.home for turn, _ in self.queue.running.values()):
            return False
        await self._take(message)
        self.aside(self.talking.voice.tell(message, NOT_THEIR_ANSWER))
        return True

    async def _take(self, message: Message) -> None:
        """Have it on disk that a message was acted on. Raises `RetryLater`."""
        talk = self.records.of(message.home)
        await self.records.keep(talk.evolve(done=(*talk.done, turn_id(message))[-REMEMBERED:]))

    def _endable(self, is_meant: Callable[[TalkTurn], bool]) -> list[TalkTurn]:
        """The turns that are meant and may be called off: one that a restart has cut off is only told of."""
        running = [turn for turn, _ in self.queue.running.values()]
        waiting = [turn for turn in self.queue.waiting if turn.began_at is None]
        return [turn for turn in (*running, *waiting) if is_meant(turn)]

    def _end(self, turns: list[TalkTurn]) -> None:
        """End them, with what a caller had to wait for since they were looked up."""
        for turn in turns:
            if turn.turn_id in self.queue.running:
                self.talking.call_off(turn)
                self.queue.running[turn.turn_id][1].cancel()
            elif turn in self.queue.waiting:
                self.queue.waiting.remove(turn)
                self.aside(self._close_uncalled(turn))

    async def _close_uncalled(self, turn: TalkTurn) -> None:
        await self.close(turn, await self.talking.called_off(turn))
