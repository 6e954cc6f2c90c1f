"""Settings of declared commands and of projects' checks: programs that run in the folder of a project."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, field_validator, model_validator

from bot.config.sections.base import ParameterName, ProjectName, RunbookName, Section
from bot.config.sections.secret_free import find_secret_fault
from bot.decide.argument_template import LONGEST_PATTERN, RESERVED, compile_pattern, find_template_fault
from bot.models.declared_command import DeclaredCheck, DeclaredCommand, Parameter

_SCRIPT = "people, cards and the audit log see this program word for word; let it read the secret from a file"
_WORDS = Annotated[tuple[str, ...], Field(min_length=1, max_length=100)]
_PARAMETERS: TypeAdapter[dict[str, Parameter]] = TypeAdapter(dict[str, Parameter])


class StringSection(Section):
    """A text that matches a pattern as a whole."""

    type: Literal["string"]
    pattern: Annotated[str, Field(min_length=1, max_length=LONGEST_PATTERN)]
    """Pattern of re2; it must match the whole text."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        compile_pattern(pattern)
        return pattern


class ChoiceSection(Section):
    """One of several texts."""

    type: Literal["choice"]
    choices: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=100)], ...], Field(min_length=1)]
    """Allowed texts."""


class IntegerSection(Section):
    """A whole number between two, both included."""

    type: Literal["integer"]
    min: int
    """Least number."""
    max: int
    """Greatest number."""

    @model_validator(mode="after")
    def _is_a_range(self) -> IntegerSection:
        if self.min > self.max:
            raise ValueError(f"expected min to be at most max, got {self.min} and {self.max}")
        return self


class PathSection(Section):
    """A file or folder that exists in the folder of the command."""

    type: Literal["path"]


def _type_of(value: object) -> str:
    """Return the type of a parameter; an unknown one is left to the error that lists the known types."""
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return str(kind)


ParameterSection = Annotated[
    Annotated[StringSection, Tag("string")]
    | Annotated[ChoiceSection, Tag("choice")]
    | Annotated[IntegerSection, Tag("integer")]
    | Annotated[PathSection, Tag("path")],
    Discriminator(
        _type_of,
        custom_error_type="parameter_type",
        custom_error_message="expected a type: string, choice, integer or path",
    ),
]


class CommandSection(Section):
    """Settings of a command that `run_command` runs."""

    name: RunbookName
    """Name for `run_command`."""
    argv: _WORDS
    """Program with its arguments, in which `{name}` stands for a parameter; no shell reads it."""
    parameters: dict[ParameterName, ParameterSection] = Field(default_factory=dict)
    """Parameters of `argv`, by name."""
    projects: tuple[ProjectName, ...] = ()
    """Projects in whose folders it may run; all by default."""
    timeout_s: Annotated[float, Field(gt=0, le=3_600)] = 60
    """Seconds after which it is ended."""
    writes: bool = False
    """True if it may write in its folder; it then runs in a workspace, never in the folder of a project."""
    role: Literal["operator", "admin"] = "operator"
    """Least role of the person who may run it."""
    reads: tuple[Path, ...] = ()
    """Paths that it sees beside its folder and its own installation, where programs are isolated."""

    @field_validator("parameters")
    @classmethod
    def _is_free(cls, parameters: dict[str, ParameterSection]) -> dict[str, ParameterSection]:
        if name := next((name for name in parameters if name in RESERVED), None):
            raise ValueError(f"expected another name than {name}, which run_command takes itself")
        return parameters

    @field_validator("reads")
    @classmethod
    def _are_absolute(cls, reads: tuple[Path, ...]) -> tuple[Path, ...]:
        return _check_absolute(reads)

    def find_fault(self) -> str:
        """Return the fault of its words; empty without one."""
        declared = self.as_command()
        return find_template_fault(declared.argv, declared.parameters) or find_secret_fault(
            shlex.join(self.argv), _SCRIPT
        )

    def as_command(self) -> DeclaredCommand:
        """Return it as a plain value."""
        values = self.model_dump(exclude={"parameters"})
        parameters = {name: parameter.model_dump() for name, parameter in self.parameters.items()}
        return DeclaredCommand(**values, parameters=_PARAMETERS.validate_python(parameters))


class CheckSection(Section):
    """Settings of a project's check: a program whose exit code 0 says that the code in its folder is sound."""

    argv: _WORDS
    """Program with its arguments; no shell reads it. It may write in its folder, a workspace."""
    timeout_s: Annotated[float, Field(gt=0, le=3_600)] = 600
    """Seconds after which it is ended."""
    reads: tuple[Path, ...] = ()
    """Paths that it sees beside its folder and its own installation, where programs are isolated."""

    @field_validator("argv")
    @classmethod
    def _is_startable(cls, argv: tuple[str, ...]) -> tuple[str, ...]:
        if fault := find_template_fault(argv, {}) or find_secret_fault(shlex.join(argv), _SCRIPT):
            raise ValueError(fault)
        return argv

    @field_validator("reads")
    @classmethod
    def _are_absolute(cls, reads: tuple[Path, ...]) -> tuple[Path, ...]:
        return _check_absolute(reads)

    def as_check(self) -> DeclaredCheck:
        """Return it as a plain value."""
        return DeclaredCheck(**self.model_dump())


def _check_absolute(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the paths with the home for `~`. Raises `ValueError` for one that is not absolute, or is all there is."""
    absolute = tuple(Path(os.path.expanduser(path)) for path in paths)  # noqa: PTH111  # Path raises without a home
    if wrong := next((path for path in absolute if not path.is_absolute() or len(path.parts) < 2), None):
        raise ValueError(f"expected absolute paths of folders and files, got {wrong}")
    return absolute
