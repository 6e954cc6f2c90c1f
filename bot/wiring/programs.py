"""Programs of the settings that a press starts: the runner of one folder of runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.programs.command_runs import CommandRuns
from bot.runtime.program_process import pick_variables
from bot.runtime.program_runner import ProgramRunner

if TYPE_CHECKING:
    from pathlib import Path

    from bot.wiring.core import Core


def build_command_runs(core: Core) -> CommandRuns:
    """Build the runner of declared commands."""
    return CommandRuns(programs=build_program_runner(core, core.home.command_runs))


def build_program_runner(core: Core, parent: Path) -> ProgramRunner:
    """Build the runner whose runs have their folders in `parent`."""
    return ProgramRunner(
        parent=parent.absolute(),
        environment=pick_variables(os.environ),
        audit=core.audit,
        redactor=core.redactor,
        clock=core.clock,
    )
