"""Declared commands as steps of hooks: each runs as the press on the hook approved it, or not at all."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.models.declared_command import PlannedRun
from bot.programs.command_plans import locate_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.declared_command import CommandPlan, DeclaredCommand
    from bot.models.hook import ContextStep, Hook
    from bot.models.hook_record import HookRun
    from bot.models.program_run import ProgramResult
    from bot.models.project import Project
    from bot.ports.hooks import Roles
    from bot.programs.command_plans import CommandPlans
    from bot.programs.command_runs import CommandRuns
    from bot.triage.controls import Controls
    from bot.triage.projects import Projects

LONGEST_S = 1_200.0
"""Seconds that the programs of one hook may take together: a run starts none long after it began."""
LONGEST_SHOWN = 2_000
"""Characters of the words of all programs: a person reads them whole before the press."""
_CHANGED = (
    "{} is not run: its words, its limits or its isolation have changed since the hook was approved; `edit_hook` with "
    "the same steps shows them as they are now"
)


@dataclass(frozen=True, kw_only=True)
class HookPrograms:
    """Planner and runner of the commands that hooks run."""

    plans: CommandPlans
    runs: CommandRuns
    projects: Projects
    roles: Roles
    controls: Controls

    def plan_all(self, hook: Hook) -> tuple[CommandPlan, ...]:
        """Return what the steps of a hook would run, for the person who approves it. Blocking. Raises `ToolError`.

        The folder is that of the project's code, whatever its newest commit is.
        """
        plans = tuple(self._plan(step, hook)[1] for step in hook.steps if step.verb == "run")
        if sum(plan.timeout_s for plan in plans) > LONGEST_S:
            raise ToolError(f"the programs of a hook may take {LONGEST_S:g} s together, by their timeout_s")
        if sum(len(word) + 1 for plan in plans for word in plan.argv) > LONGEST_SHOWN:
            raise ToolError(f"the words of a hook's programs are too long to be shown: at most {LONGEST_SHOWN:,}")
        return plans

    def may_run(self, hook: Hook, user: str) -> bool:
        """Return whether a person may run every command of a hook that the settings still have."""
        commands = [self.plans.find(plan.command) for plan in hook.programs]
        return all(self.roles.has_role(user, command.role) for command in commands if command)

    async def run(self, step: ContextStep, hook: Hook, run: HookRun) -> str:
        """Run the command of a step, once for each run of the hook; return the end of its output.

        Raises `ToolError` if it is not what was approved, and if it did not come to its end.
        """
        place = [each for each in hook.steps if each.verb == "run"].index(step)
        command, plan = await asyncio.to_thread(self._plan, step, hook)
        if plan not in hook.programs[place : place + 1]:
            raise ToolError(_CHANGED.format(plan.command))
        folder = await asyncio.to_thread(locate_folder, self._find_root(hook))
        run_id = f"hook-{hook.name}-{run.run_id}-{place}"
        planned = PlannedRun(**plan.evolve(folder=folder).model_dump(), run_id=run_id, at=run.started_at)
        return _format_result(await self.runs.run(command, planned, hook.owner, self), plan.command)

    async def find_change(self, _: PlannedRun) -> str:
        """Return the reason why a run may not start now (`RunCheck`)."""
        return "Triage is stopped." if self.controls.state == "stopped" else ""

    def _plan(self, step: ContextStep, hook: Hook) -> tuple[DeclaredCommand, CommandPlan]:
        name, *words = step.argument.split()
        command = self.plans.find(name)
        if command is None:
            raise ToolError(f"the settings declare no command {name}")
        if command.writes:
            raise ToolError(f"{name} may write, and the steps of a hook only read")
        if not self.roles.has_role(hook.owner, command.role):
            raise ToolError(f"the owner of the hook may not run {name}")
        root = self._find_root(hook)
        plan = self.plans.plan(command, root.name, _name_values(command, words), folder=locate_folder(root))
        return command, plan.evolve(folder=root.root)

    def _find_root(self, hook: Hook) -> Project:
        roots = [root for root in self.projects.configured() if root.belongs_to == hook.project]
        if len(roots) != 1:
            raise ToolError(f"a command needs a project of one folder, and {hook.project or 'none'} is no such one")
        return roots[0]


def _name_values(command: DeclaredCommand, words: Sequence[str]) -> dict[str, str]:
    """Return the values by parameter; those without a name are taken in the order of the settings."""
    values: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not (sign and key in command.parameters):
            key, value = next((name for name in command.parameters if name not in values), ""), word
        if not key or key in values:
            raise ToolError(
                f"{command.name} takes the values of {', '.join(command.parameters) or 'nothing'}, once each"
            )
        values[key] = value
    return values


def _format_result(result: ProgramResult, name: str) -> str:
    """Return the output, after the exit code if it is not 0. Raises `ToolError` without an end."""
    if result.outcome == "succeeded":
        return result.output
    if result.outcome == "failed" and result.exit_code is not None:
        return f"exit code {result.exit_code}\n{result.output}".rstrip()
    raise ToolError(f"{name} {result.outcome.replace('-', ' ')}: {result.problem}".rstrip("."))
