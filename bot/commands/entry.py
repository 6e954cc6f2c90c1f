"""Slash command handler: parse `/triage …`, execute it, and show the answer to its user only.

An answer that misses Slack's time limit follows as an ephemeral message.
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
    """Parses a typed command, has it executed, and shows the answer."""

    handler: CommandHandler
    chat: Chat
    confirming: ConfirmationDesk
    """Handler of confirmations."""
    shown: Callable[[Any], Any]
    """Last filter of an answer in an ack, the same that messages sent through `chat` pass."""
    orders: OrderAnswers
    """Records of answers to commands given in messages."""
    in_time: float = IN_TIME
    _running: set[asyncio.Task[Any]] = field(default_factory=set)

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """Execute a slash command; return the answer within three seconds (`Commands`)."""
        work = self._begin(command)
        done, _ = await asyncio.wait([work], timeout=self.in_time)
        if not done:
            work.add_done_callback(lambda ended: self._say_later(command, ended))
            return {"text": _LATER}
        shown: dict[str, Any] = self.shown(work.result().shown)
        return shown

    async def hear(self, command: TypedCommand) -> None:
        """Execute a command given in a message, and show the answer in its thread (`Commands`)."""
        name, _ = parsed(command.text)
        if self.orders.is_on_record(command, name):
            return  # begun by an earlier process, whose record is delivered
        begun = await self.orders.begin(command, name)
        await self._say(command, await self._begin(command), begun)

    def _begin(self, command: TypedCommand) -> asyncio.Task[CommandAnswer]:
        """Start a task: a command runs to its end even if nobody waits for it any more."""
        name, given = parsed(command.text)
        work = asyncio.create_task(self.handler.execute(name, given, command), name=f"command {command.interaction_id}")
        return self._kept(work)

    def _kept(self, task: asyncio.Task[Done]) -> asyncio.Task[Done]:
        """Hold a reference to the task while it runs, and return it."""
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
