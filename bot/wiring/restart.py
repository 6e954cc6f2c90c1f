"""Restart of the process by a command, and the report of the process that comes after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.json_file import DiskJsonFile
from bot.commands.restart import RestartCommands, RestartReport

if TYPE_CHECKING:
    from bot.commands.confirmations import Confirmations
    from bot.commands.entry import TypedCommandHandler
    from bot.ports.process import ProcessRestart
    from bot.wiring.core import Core


def build_restart_commands(core: Core, confirmations: Confirmations, process: ProcessRestart) -> RestartCommands:
    """Build the command that restarts the process."""
    return RestartCommands(
        process=process,
        file=DiskJsonFile(core.home.restart),
        confirmations=confirmations,
        orchestrator=core.orchestrator,
        clock=core.clock,
    )


def build_restart_report(core: Core, commands: TypedCommandHandler) -> RestartReport:
    """Build the report of a restart that an earlier process was ordered to make."""
    return RestartReport(
        file=DiskJsonFile(core.home.restart),
        handler=commands.handler,
        confirmations=commands.handler.confirmations,
        chat=core.chat,
        clock=core.clock,
    )
