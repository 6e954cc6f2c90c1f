"""Programs of the settings that a press starts: the runner of one folder of runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.commands.programs import ProgramCommands
from bot.programs.command_plans import CommandPlans
from bot.programs.command_runs import CommandRuns
from bot.runtime.program_process import pick_variables
from bot.runtime.program_runner import ProgramRunner

if TYPE_CHECKING:
    from pathlib import Path

    from bot.commands.repository_finder import RepositoryFinder
    from bot.commands.search import ProjectFinder
    from bot.wiring.core import Core


def build_command_runs(core: Core) -> CommandRuns:
    """Build the runner of declared commands."""
    return CommandRuns(programs=build_program_runner(core, core.home.command_runs))


def build_command_plans(core: Core) -> CommandPlans:
    """Build the planner of declared commands."""
    return CommandPlans(commands=[section.as_command() for section in core.settings.commands], redactor=core.redactor)


def build_program_commands(core: Core, finder: RepositoryFinder, which: ProjectFinder) -> ProgramCommands:
    """Build the command that runs declared commands."""
    return ProgramCommands(
        plans=build_command_plans(core),
        runs=build_command_runs(core),
        finder=finder,
        which=which,
        permission=core.permission,
        controls=core.controls,
        clock=core.clock,
    )


def build_program_runner(core: Core, parent: Path) -> ProgramRunner:
    """Build the runner whose runs have their folders in `parent`."""
    return ProgramRunner(
        parent=parent.absolute(),
        environment=pick_variables(os.environ),
        audit=core.audit,
        redactor=core.redactor,
        clock=core.clock,
    )
