"""Slash command handler: parse `/triage …`, execute it, and show the answer to its user only.

An answer that misses Slack's time limit follows as an ephemeral message.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bot.commands.command import READ, CommandAnswer, find_spec
from bot.commands.order_answers import INTERRUPTED
from bot.commands.parsing import parse_line
from bot.commands.subjects import say_what_shows

if TYPE_CHECKING:
    from bot.commands.confirmation_buttons import ConfirmationButtons
    from bot.commands.handler import CommandHandler
    from bot.commands.order_answers import OrderAnswers
    from bot.decide.redaction.outbound_filter import OutboundFilter
    from bot.models.interaction import MalformedCommand, TypedCommand, UnheardReason
    from bot.surfaces.notices import PersonalNotices

Result = TypeVar("Result")

IN_TIME = 2.0
"""Seconds within which an answer goes into the ack; Slack gives up after three."""

_UNHEARD: dict[UnheardReason, CommandAnswer] = {
    "late": CommandAnswer(outcome="expired", line="It came more than five minutes late, and was not done."),
    "not a person": CommandAnswer(outcome="refused", line="Only people give commands in messages."),
}
_LATER = "This takes a moment. The answer follows here."


@dataclass(frozen=True, kw_only=True)
class TypedCommandHandler:
    """Parses a typed command, has it executed, and shows the answer."""

    handler: CommandHandler
    confirmations: ConfirmationButtons
    """Handler of confirmations."""
    outbound_filter: OutboundFilter
    """Last filter of an answer in an ack, the same that messages sent through the chat pass."""
    orders: OrderAnswers
    """Records of answers to commands given in messages."""
    notices: PersonalNotices | None = None
    """Notices to the users of interrupted commands; `None` in tests that need none."""
    in_time: float = IN_TIME
    _running: set[asyncio.Task[Any]] = field(default_factory=set)

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """Execute a slash command; return the answer within three seconds (`Commands`)."""
        work = self._start(command)
        done, _ = await asyncio.wait([work], timeout=self.in_time)
        if not done:
            work.add_done_callback(lambda finished: self._send_later(command, finished))
            return {"text": _LATER}
        payload: dict[str, Any] = self.outbound_filter.apply(work.result().payload)
        return payload

    async def answer_in_thread(self, command: TypedCommand) -> None:
        """Execute a command given in a message, and show the answer in its thread (`Commands`)."""
        name, _ = self._parse(command)
        if self.orders.is_on_record(command, name):  # begun by an earlier process, whose record is delivered
            await self._record_interrupted(command)
            return
        nonce = await self.orders.begin(command, name)
        await self._send_answer(command, await self._start(command), nonce)

    async def report_interrupted(self, command: TypedCommand) -> None:
        """Record a slash command that an earlier process did not end, and tell its user (`Commands`)."""
        await self._record_interrupted(command)
        if self.notices:
            text = self._describe_interrupted(command)
            self._hold(asyncio.create_task(self.notices.tell(command.user_id, text), name="interrupted command"))

    async def _record_interrupted(self, command: TypedCommand) -> None:
        await self.handler.record_late(*self._parse(command), command, INTERRUPTED)

    def _describe_interrupted(self, command: TypedCommand) -> str:
        spec = find_spec(self._parse(command)[0], self.handler.catalogue)
        name = f"`/triage {spec.name}`" if spec else "`/triage`"
        if spec is None or spec.tier == READ:
            return f"I was restarted before I answered your {name}. Give it again."
        return (
            f"I was restarted while doing your {name}, and do nothing twice. Check how far it got before you give it "
            f"again: {say_what_shows(spec)}."
        )

    async def settle(self) -> None:
        """Wait until the commands that run now have ended, and their answers are sent."""
        await self.confirmations.settle()
        while self._running:
            await asyncio.wait([*self._running])

    async def refuse_malformed(self, command: MalformedCommand) -> dict[str, Any]:
        """Record a slash command that does not parse; return the `text` for its user (`Commands`)."""
        who = {"user_id": command.user_id, "via": "slash"}
        answer = CommandAnswer(outcome="invalid", line="Triage does not know this command.")
        await self.handler.record_rejected(*self._parse(command), who, answer)
        return answer.payload

    async def record_unheard(self, command: TypedCommand, reason: UnheardReason) -> None:
        """Record a command in a message that was not run, and is not answered (`Commands`)."""
        who = command.model_dump(mode="json", exclude={"text"})
        await self.handler.record_rejected(*self._parse(command), who, _UNHEARD[reason])

    def _start(self, command: TypedCommand) -> asyncio.Task[CommandAnswer]:
        """Start a task: a command runs to its end even if nobody waits for it any more."""
        name, arguments = self._parse(command)
        work = asyncio.create_task(
            self.handler.execute(name, arguments, command), name=f"command {command.interaction_id}"
        )
        return self._hold(work)

    def _parse(self, command: TypedCommand | MalformedCommand) -> tuple[str, dict[str, str]]:
        return parse_line(command.text, self.handler.catalogue, self.handler.object_names)

    def _hold(self, task: asyncio.Task[Result]) -> asyncio.Task[Result]:
        """Hold a reference to the task while it runs, and return it."""
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _send_later(self, command: TypedCommand, work: asyncio.Task[CommandAnswer]) -> None:
        if not work.cancelled() and work.exception() is None:
            self._hold(asyncio.create_task(self._send_answer(command, work.result())))

    async def _send_answer(self, command: TypedCommand, answer: CommandAnswer, nonce: str = "") -> None:
        thread_ts = command.thread_id.rpartition("-")[2] if command.thread_id else None
        send = partial(
            self.handler.chat.post_ephemeral,
            channel=command.channel_id,
            user=command.user_id,
            thread_ts=thread_ts,
            **answer.payload,
        )
        await self.orders.show(command, nonce, answer.payload, send)
