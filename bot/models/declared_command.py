"""Declared commands: programs of the settings that people may run by name, with typed parameters."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bot.models.fact import Fact


class StringParameter(Fact):
    """A text that matches a pattern (re2) as a whole."""

    type: Literal["string"]
    pattern: str


class ChoiceParameter(Fact):
    """One of several texts."""

    type: Literal["choice"]
    choices: tuple[str, ...]


class IntegerParameter(Fact):
    """A whole number between two, both included."""

    type: Literal["integer"]
    min: int
    max: int


class PathParameter(Fact):
    """A file or folder that exists in the folder of the command."""

    type: Literal["path"]


Parameter = Annotated[StringParameter | ChoiceParameter | IntegerParameter | PathParameter, Field(discriminator="type")]


class DeclaredCommand(Fact):
    """A declared command."""

    name: str
    argv: tuple[str, ...]
    """Program with its arguments; `{name}` stands for the value of a parameter."""
    parameters: dict[str, Parameter]
    projects: tuple[str, ...]
    """Projects in whose folders it may run; empty for all."""
    timeout_s: float
    writes: bool
    """True if it may write in its folder, which then is a workspace."""
    role: Literal["operator", "admin"]
    """Least role of the person who may run it."""
    reads: tuple[Path, ...]
    """Further folders and files that it sees, where programs are isolated."""


class DeclaredCheck(Fact):
    """The check of a project: a program whose exit code says if the code in a workspace is sound."""

    argv: tuple[str, ...]
    timeout_s: float
    reads: tuple[Path, ...]
    """As of a declared command."""


class CommandPlan(Fact):
    """A declared command with its values, exactly as it is run."""

    command: str
    project: str
    """Project or one of its roots, in whose folder it runs: `shop` or `shop/api`."""
    branch: str = ""
    """Branch of Triage whose workspace is the folder; empty for the project's own folder."""
    values: dict[str, str]
    """Values of its parameters, as they go into the words."""
    argv: tuple[str, ...]
    folder: Path
    timeout_s: float
    writes: bool
    is_isolated: bool


class PlannedRun(CommandPlan):
    """The one run of a plan that a person has seen."""

    run_id: str
    at: datetime
    """Time at which it was shown."""

    @property
    def plan(self) -> CommandPlan:
        """Return the plan."""
        return CommandPlan(**{name: getattr(self, name) for name in CommandPlan.model_fields})
