"""Declared commands: `run_command` runs a program of the settings, after the press of the person who has seen it."""

from __future__ import annotations

import asyncio
import hashlib
import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.code_block import code_block, code_line
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.inputs_programs import RunCommand
from bot.commands.nearest_name import suggest_sentence
from bot.commands.registry import sealed_command
from bot.decide.argument_template import describe_parameter
from bot.errors import ToolError
from bot.isolation.declared import describe_boundary
from bot.models.command_data.programs import RunData
from bot.models.declared_command import PlannedRun
from bot.models.workspace import BRANCH_PREFIX
from bot.programs.command_plans import check_folder, locate_folder
from bot.runtime.program_output import LINES_SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.commands.inputs_programs import GivenValue
    from bot.commands.permission import Permission
    from bot.commands.repository_finder import RepositoryFinder
    from bot.commands.search import ProjectFinder
    from bot.models.declared_command import CommandPlan, DeclaredCommand
    from bot.models.interaction import Asker
    from bot.models.program_run import ProgramResult
    from bot.models.project import Project
    from bot.ports.outbound import Clock
    from bot.programs.command_plans import CommandPlans
    from bot.programs.command_runs import CommandRuns
    from bot.triage.controls import Controls

_LONGEST_OUTPUT = 2_600
"""Characters of an output in an answer, escaped; Slack takes 3,000 in one block."""
_STOPPED = "Triage is stopped, so no command is run. `resume` lets it go on."
_CHANGED = "What it would run has changed since it was shown: give the command again to see it."


@dataclass(frozen=True, kw_only=True)
class ProgramCommands:
    """The command `run_command`."""

    plans: CommandPlans
    runs: CommandRuns
    which: ProjectFinder
    finder: RepositoryFinder
    permission: Permission
    controls: Controls
    clock: Clock

    async def show(self, request: RunCommand, asker: Asker) -> SealedRequest:
        """Show exactly what would run, where and within which limits. Raises `NotDone`."""
        command = self._find(request.command, asker)
        if self.controls.state == "stopped":
            raise NotDone(_STOPPED, outcome="refused")
        values = _name_values(command, request.values)
        place = await self._find_place(command, request, asker)
        try:
            folder = await asyncio.to_thread(place.locate)
            work = partial(self.plans.plan, command, place.project, values, branch=place.branch, folder=folder)
            plan = await asyncio.to_thread(work)
        except ToolError as problem:
            raise NotDone(escape(str(problem)), _describe_usage(command)) from problem
        run = PlannedRun(**plan.model_dump(), run_id=f"{asker.user_id}-{self.clock.new_id()}", at=self.clock.now())
        return SealedRequest(
            request=run,
            brief="What would run is shown above the buttons.",
            shown="\n".join(describe_plan(plan)),
            typed_again=f"{command.name}#{_digest(plan)}",
        )

    @sealed_command(
        "run_command",
        "runs a program of the settings in a project's folder",
        input=RunCommand,
        sealed=PlannedRun,
        names="command",
        role="operator",
        tier="irreversible",
        deed="a command was run",
        untrusted="code",
        rest=True,
        resumes=True,
        result=RunData,
        preview=show,
    )
    async def run_command(self, request: PlannedRun, asker: Asker) -> CommandAnswer:
        """Run what was shown, once; a later call with the same run waits for its end."""
        command, check = self.plans.find(request.command), _RunCheck(self, asker)
        result = await self.runs.run(command, request, asker.user_id, check)
        return _describe_result(request, result)

    async def find_change(self, run: PlannedRun, asker: Asker) -> str:
        """Return the reason why a run that was shown may not start now, as a sentence; empty if it may."""
        command = self.plans.find(run.command)
        projects = {project.belongs_to for project in self.which.projects.configured()}
        if self.controls.state == "stopped":
            return "Triage is stopped."
        is_there = run.project.partition("/")[0] in projects
        if command is None or not is_there or not self._may_run(command, asker):
            return _CHANGED
        try:
            folder = await asyncio.to_thread(check_folder, run.folder, run.project)
            plan = await asyncio.to_thread(
                partial(self.plans.plan, command, run.project, run.values, branch=run.branch, folder=folder)
            )
        except ToolError as problem:
            return str(problem)
        return "" if plan == run.plan else _CHANGED

    def _may_run(self, command: DeclaredCommand, asker: Asker) -> bool:
        return self.permission.has_role(asker.user_id, command.role)

    def _find(self, name: str, asker: Asker) -> DeclaredCommand:
        """Return the declared command of this name. Raises `NotDone` with those that this person may run."""
        own = [command for command in self.plans.commands if self._may_run(command, asker)]
        command = self.plans.find(name.strip("`"))
        if command is None:
            word = escape(clip(" ".join(name.split()), 60)).replace("`", "'")
            if not own:
                raise NotDone("No command is declared: `commands` in `triage.yml` names them.")
            near = suggest_sentence(name, [each.name for each in own])
            raise NotDone(f"No command `{word}` is declared.{near} These are:", *map(_describe_usage, own))
        if command not in own:
            raise NotDone(f"Only admins may run `{command.name}`. Nothing was done.", outcome="refused")
        return command

    async def _find_place(self, command: DeclaredCommand, request: RunCommand, asker: Asker) -> _Place:
        """Return the folder that is meant: a workspace if a branch is named or the command may write, else that of the
        project. Raises `NotDone`."""
        only = command.projects[0] if len(command.projects) == 1 else ""
        if not request.branch and not command.writes:
            project = self._find_project(request.project or only, asker)
            return _Place(project.name, "", partial(locate_folder, project))
        repository = await self.finder.find(request.project or only, asker)
        slug = await self.finder.find_branch(repository, request.branch, asker)
        workspace = await self.finder.allow(self.finder.workspaces.find(repository, slug))
        if workspace is None:
            raise NotDone(f"`{repository.name}` has no branch `{escape(slug)}` any more.")
        return _Place(repository.name, slug, partial(check_folder, workspace.folder, repository.name))

    def _find_project(self, name: str, asker: Asker) -> Project:
        """Return the project, or the one of its roots, whose folder is meant. Raises `NotDone`."""
        roots = self.which.find(name, asker)
        if len(roots) > 1:
            named = ", ".join(f"`{escape(root.name)}`" for root in roots)
            raise NotDone(f"Which folder: {named}? Say `project=…`.", missing="project")
        return roots[0]


@dataclass(frozen=True)
class _Place:
    """Folder of a run, with its project or repository and its branch."""

    project: str
    branch: str
    locate: Callable[[], Path]
    """Return the folder, checked as it is now; blocking."""


@dataclass(frozen=True)
class _RunCheck:
    """Check of one person's run right before its start (`RunCheck`)."""

    commands: ProgramCommands
    asker: Asker

    async def find_change(self, run: PlannedRun) -> str:
        return await self.commands.find_change(run, self.asker)


def _name_values(command: DeclaredCommand, words: Sequence[GivenValue]) -> dict[str, str]:
    """Return the values by parameter; those without a name are taken in the order of the settings. Raises `NotDone`."""
    values: dict[str, str] = {}
    for each in words:
        free = [name for name in command.parameters if name not in values and name not in {each.name for each in words}]
        name = each.name or (free[0] if free else "")
        if not name or name in values:
            why = f"`{escape(clip(name, 40))}` is given twice." if name else "These are more values than it takes."
            raise NotDone(why, _describe_usage(command))
        values[name] = each.value
    return values


def _describe_usage(command: DeclaredCommand) -> str:
    """Return a command's name, its parameters with their values, and its program."""
    names = " ".join(f"<{name}>" for name in command.parameters)
    takes = "; ".join(f"{name}: {describe_parameter(each)}" for name, each in command.parameters.items())
    usage = escape(f"{command.name} {names}".strip())
    about = f" ({escape(clip(takes, 300))})" if takes else ""
    return f"• `{usage}`{about}: {_quote(shlex.join(command.argv))}"


def _quote(text: str) -> str:
    return f"`{escape(clip(text, 200)).replace('`', chr(39))}`"


def describe_plan(plan: CommandPlan) -> list[str]:
    """Describe what would run: the words whole, the folder, the limits, and the boundary."""
    is_isolated, boundary = describe_boundary(writes=plan.writes)
    place = (
        f"the workspace of `{BRANCH_PREFIX}{escape(plan.branch)}`"
        if plan.branch
        else f"the code of `{escape(plan.project)}`"
    )
    return [
        "*Program:*",
        f"```{escape(shlex.join(plan.argv))}```",
        f"*Folder:* `{escape(str(plan.folder))}`, {place}.",
        f"*Limits:* {plan.timeout_s:g} s; of its output the last {LINES_SHOWN} lines are shown.",
        f"*Isolated:* {'yes' if is_isolated else '*no*'}. {escape(boundary)}",
    ]


def _digest(plan: CommandPlan) -> str:
    """Return a short digest of what was shown."""
    return hashlib.sha256(plan.model_dump_json().encode()).hexdigest()[:6]


def _fit_last_lines(output: str) -> list[str]:
    """Return the last lines of an output, escaped, as many as one message shows."""
    lines: list[str] = []
    room = _LONGEST_OUTPUT
    for line in reversed([code_line(line) for line in output.splitlines()]):
        room -= len(line) + 1
        if room < 0:
            return ["…", *lines]
        lines.insert(0, line)
    return lines


def _describe_result(run: PlannedRun, result: ProgramResult) -> CommandAnswer:
    """Describe the end of a run, with the end of its output."""
    name, problem = f"`{escape(run.command)}` in `{escape(run.project)}`", escape(result.problem)
    took = f"after {result.duration_ms / 1_000:.1f} s"
    match result.outcome:
        case "not-started":
            line = f"{name} was not started. {problem}"
        case "unknown":
            line = f"{name} was started, and its end is not known. {problem}"
        case "timed-out":
            line = f"{name} did not end in time. {problem}"
        case "succeeded" | "failed" if result.exit_code is not None:
            line = f"{name} ended with exit code {result.exit_code} {took}. {problem}".rstrip()
        case _:
            line = f"{name} ended {took}. {problem}".rstrip()
    output = [code_block(_fit_last_lines(result.output))] if result.output else []
    nothing = [] if result.output or result.outcome == "not-started" else ["It printed nothing."]
    data = RunData(
        **result.model_dump(),
        command=run.command,
        project=run.project,
        argv=run.argv,
        folder=str(run.folder),
        is_isolated=run.is_isolated,
    )
    outcome = "done" if result.outcome == "succeeded" else "failed"
    return CommandAnswer(outcome=outcome, line=line, rows=(*output, *nothing), data=data)
