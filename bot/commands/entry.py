"""The desk: from `/triage why <link>` as somebody typed it to an answer that only they see.

An answer that takes longer than Slack waits comes later, as a notice.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bot.commands.parsing import parsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.commands.command import CommandAnswer
    from bot.commands.confirmation_buttons import ConfirmationDesk
    from bot.commands.handler import CommandHandler
    from bot.commands.order_answers import OrderAnswers
    from bot.models.interaction import TypedCommand
    from bot.ports.slack import Chat

Done = TypeVar("Done")

IN_TIME = 2.0
"""Seconds within which an answer goes into the ack; Slack gives up after three."""

_LATER = "This takes a moment. The answer follows here."


@dataclass(frozen=True, kw_only=True)
class CommandDesk:
    """Reads what was typed, has it done, and shows the answer."""

    handler: CommandHandler
    chat: Chat
    confirming: ConfirmationDesk
    """What is not done at once waits for a press there."""
    shown: Callable[[Any], Any]
    """What an answer in an ack passes last, as all that goes through `chat` does."""
    orders: OrderAnswers
    """Keeps answers to what messages order."""
    in_time: float = IN_TIME
    _running: set[asyncio.Task[Any]] = field(default_factory=set)

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """Do what a slash command asks; the answer within three seconds (`Commands`)."""
        work = self._begin(command)
        done, _ = await asyncio.wait([work], timeout=self.in_time)
        if not done:
            work.add_done_callback(lambda ended: self._say_later(command, ended))
            return {"text": _LATER}
        shown: dict[str, Any] = self.shown(work.result().shown)
        return shown

    async def hear(self, command: TypedCommand) -> None:
        """Do what a message asks, and show the answer in its thread (`Commands`)."""
        name, _ = parsed(command.text)
        if self.orders.is_on_record(command, name):
            return  # a process that has ended began it, and its record is told
        begun = await self.orders.begin(command, name)
        await self._say(command, await self._begin(command), begun)

    def _begin(self, command: TypedCommand) -> asyncio.Task[CommandAnswer]:
        """A task of its own: what was begun is done, also when nobody waits any more."""
        name, given = parsed(command.text)
        work = asyncio.create_task(self.handler.execute(name, given, command), name=f"command {command.interaction_id}")
        return self._kept(work)

    def _kept(self, task: asyncio.Task[Done]) -> asyncio.Task[Done]:
        """The same task, which is not lost while it runs."""
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _say_later(self, command: TypedCommand, work: asyncio.Task[CommandAnswer]) -> None:
        if not work.cancelled() and work.exception() is None:
            self._kept(asyncio.create_task(self._say(command, work.result())))

    async def _say(self, command: TypedCommand, answer: CommandAnswer, begun: str = "") -> None:
        thread_ts = command.thread_id.rpartition("-")[2] if command.thread_id else None
        send = partial(
            self.chat.notice, channel=command.channel_id, user=command.user_id, thread_ts=thread_ts, **answer.shown
        )
        await self.orders.show(command, begun, answer.shown, send)
