"""Plans of declared commands: the words, the folder and the boundary of a run, from the settings and a person's values.

A plan is made twice: for the person who is asked to confirm it, and again right before the start. What differs then is
not run.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.argument_template import fill, parse_value
from bot.errors import ToolError
from bot.isolation.declared import confine_program, describe_boundary
from bot.models.declared_command import CommandPlan, PathParameter
from bot.models.visible import clean
from bot.programs.reads import find_reads_fault
from bot.tools.files import resolve_entry
from bot.tools.roots import contains_home, resolve_root
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.decide.redaction.redactor import Redactor
    from bot.models.declared_command import DeclaredCommand, Parameter
    from bot.models.project import Project

LONGEST_SHOWN = 2_000
"""Characters of the words of a command: a person reads them whole before the press."""


@dataclass(frozen=True, kw_only=True)
class CommandPlans:
    """Planner of declared commands."""

    commands: Sequence[DeclaredCommand]
    redactor: Redactor

    def find(self, name: str) -> DeclaredCommand | None:
        """Return the command of this name."""
        return next((command for command in self.commands if command.name == name), None)

    def plan(
        self, command: DeclaredCommand, project: str, values: Mapping[str, str], *, branch: str = "", folder: Path
    ) -> CommandPlan:
        """Return the run of a command with these values. Blocking. Raises `ToolError` if it cannot be run so, and
        `Misconfigured` if a required boundary is missing.

        `folder` is that of `branch`'s workspace, or that of the project or the one of its roots.
        """
        if command.projects and project.partition("/")[0] not in command.projects:
            raise ToolError(f"{command.name} is declared for other projects: {', '.join(command.projects)}.")
        if command.writes and not branch:
            raise ToolError(
                f"{command.name} may write, so it runs in a workspace, not in the folder of a project: name its branch."
            )
        parsed = self._parse_values(command, folder, values)
        try:
            argv = fill(command.argv, parsed)
        except ValueError as problem:
            raise ToolError(f"{command.name} cannot be run: {problem}.") from problem
        line = shlex.join(argv)
        if len(line) + 4 * sum(map(line.count, "&<>")) > LONGEST_SHOWN:  # these are longer in Slack's markup
            raise ToolError(
                f"The words of {command.name} are too long to be shown: at most {LONGEST_SHOWN:,} characters."
            )
        if self.redactor.redact(line) != line or clean(line) != line:
            raise ToolError(
                f"A value of {command.name} looks like a secret. Commands are shown and recorded: give none."
            )
        try:
            confine_program(argv, folder=folder, writes=command.writes, reads=command.reads)
        except OSError as problem:
            raise ToolError(f"{argv[0]} cannot be started: {problem.strerror}.") from problem
        if fault := find_reads_fault(command.reads):
            raise ToolError(f"{command.name} cannot be run: {fault}.")
        return CommandPlan(
            command=command.name,
            project=project,
            branch=branch,
            values=parsed,
            argv=argv,
            folder=folder,
            timeout_s=command.timeout_s,
            writes=command.writes,
            is_isolated=describe_boundary(writes=command.writes)[0],
        )

    def _parse_values(self, command: DeclaredCommand, folder: Path, values: Mapping[str, str]) -> dict[str, str]:
        if unknown := next((name for name in values if name not in command.parameters), None):
            names = ", ".join(command.parameters) or "none"
            raise ToolError(f"{command.name} has no parameter {unknown[:40]!r}; its parameters: {names}.")
        if missing := next((name for name in command.parameters if name not in values), None):
            raise ToolError(f"{command.name} needs a value of {missing}.")
        return {name: _parse(name, parameter, folder, values[name]) for name, parameter in command.parameters.items()}


def _parse(name: str, parameter: Parameter, folder: Path, text: str) -> str:
    """Return a value as it goes into a word; that of a path is the real place, without links."""
    try:
        value = parse_value(parameter, text)
    except ValueError as problem:
        raise ToolError(f"The value of {name}: {problem}.") from problem
    if not isinstance(parameter, PathParameter):
        return value
    target = resolve_entry(folder, value)
    try:
        return parse_value(parameter, target.relative_to(folder).as_posix())
    except ValueError as problem:
        raise ToolError(f"The value of {name} leads elsewhere: {problem}.") from problem


def locate_folder(project: Project) -> Path:
    """Return the folder of a project's code, of the newest commit if it is fetched. Blocking. Raises `ToolError`."""
    return check_folder(pin_tree(project).root, project.name)


def check_folder(root: Path, name: str) -> Path:
    """Return a folder in which a program may run. Blocking. Raises `ToolError`."""
    folder = resolve_root(root)
    if not folder.is_dir():
        raise ToolError(f"The folder of {name} is not there: {folder}.")
    if contains_home(folder):
        raise ToolError(f"Triage's own state is in the folder of {name}, so no program may read it.")
    return folder
