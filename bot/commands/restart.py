"""The command `restart_daemon`, and the report of the process that comes after it.

The order is on disk before the process drains. The next process reads it once: it adds the audit's record if a crash
came before it, and says in the place of the buttons that the restart is done. It never restarts by itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from blocks.text import clip, escape, moment
from bot.commands.buttons import replace_buttons
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import EmptyInput
from bot.commands.registry import command
from bot.commands.state import count
from bot.errors import TriageError
from bot.models.interaction import Asker
from bot.models.restart_order import RestartOrder

if TYPE_CHECKING:
    from bot.commands.confirmations import Confirmations
    from bot.commands.handler import CommandHandler
    from bot.ports.outbound import Clock, JsonFile
    from bot.ports.process import ProcessRestart
    from bot.ports.slack import Chat
    from bot.triage.orchestrator import Orchestrator

log = logging.getLogger(__name__)

NAME = "restart_daemon"
_RECORDS_READ = 200
_KEY = "order"


@dataclass(frozen=True, kw_only=True)
class RestartCommands:
    """The command `restart_daemon`. `file` holds the order."""

    process: ProcessRestart
    file: JsonFile
    confirmations: Confirmations
    orchestrator: Orchestrator
    clock: Clock

    async def preview(self, _: EmptyInput, __: Asker) -> str:
        """Refuse if a new process would not start, and say what is interrupted."""
        await self._check()
        return f"{self._describe_runs()} What is written meanwhile is read afterwards."

    @command(
        NAME,
        "restarts Triage: work under way is repeated, settings are read again",
        input=EmptyInput,
        role="admin",
        tier="reversible",
        deed="Triage was restarted",
        risk="nothing takes it back, and no work is lost",
        always_asks=True,
        preview=preview,
    )
    async def restart(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """Save the order, then ask for the restart."""
        await self._check()
        confirmation = await self.confirmations.find_taken(NAME, asker.user_id)
        plain = Asker(**{name: getattr(asker, name) for name in Asker.model_fields})
        order = RestartOrder(at=self.clock.now(), asker=plain, confirmation=confirmation)
        await self.file.write({_KEY: order.model_dump(mode="json")})
        self.process.request()
        where = "This message" if confirmation else "`status`"
        return CommandAnswer(line=f"Triage restarts. {self._describe_runs()} {where} says when it is back.")

    def _describe_runs(self) -> str:
        """Say what becomes of the runs that are under way."""
        runs = self.orchestrator.running
        if not runs:
            return "No run is under way."
        return (
            f"{count(runs, 'run')} {'is' if runs == 1 else 'are'} under way: what does not end within a minute is "
            "repeated, and runs in a process of their own go on."
        )

    async def _check(self) -> None:
        """Raise `NotDone` if no new process would start."""
        if obstacle := await self.process.find_obstacle():
            raise NotDone(
                f"Nothing was done: a new process would not start: {escape(clip(obstacle, 600))}.", outcome="failed"
            )


@dataclass(kw_only=True)
class RestartReport:
    """Reports a restart that an earlier process was ordered to make, once."""

    file: JsonFile
    handler: CommandHandler
    confirmations: Confirmations
    chat: Chat
    clock: Clock
    _order: RestartOrder | None = None

    async def begin(self) -> None:
        """Read the order, before presses are replayed: one that has led here is not repeated."""
        content = await self.file.read()
        try:
            self._order = RestartOrder.model_validate(content[_KEY]) if _KEY in content else None
        except ValidationError as problem:
            log.warning("the order of a restart cannot be read and is forgotten: %s", problem.title)
        if self._order and not await self._is_recorded(self._order):
            waiting = self._order.confirmation
            settled = waiting.confirmation_id if waiting else None
            answer = CommandAnswer(line="Triage has restarted.", confirmation=settled)
            await self.handler.record_late(NAME, {}, self._order.asker, answer)

    async def tell(self) -> None:
        """Say that the restart is done, and forget the order."""
        order, self._order = self._order, None
        if order is None:
            return
        text = f"Triage has restarted, at {moment(self.clock.now())}."
        if order.confirmation and not await replace_buttons(self.chat, self.confirmations, order.confirmation, text):
            log.warning("%s was not told that the restart is done", order.asker.user_id)
        try:
            await self.file.write({})
        except TriageError as problem:
            log.warning("a restart will be reported again: %s", problem)

    async def _is_recorded(self, order: RestartOrder) -> bool:
        records = await self.handler.audit.tail(_RECORDS_READ)
        key = (NAME, order.asker.interaction_id)
        return any((each.get("action"), each.get("interaction_id")) == key for each in records)
