"""Arguments of a team's own program in place of the investigator: words with placeholders such as `{task_file}`."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_PLACEHOLDER = re.compile(r"\{([a-z_]{1,40})\}")


@dataclass(frozen=True, kw_only=True)
class ProgramValues:
    """Value of each placeholder."""

    task_file: Path
    """File with the task in Markdown."""
    task_dir: Path
    """Folder of that file, in which nothing else of the run is."""
    return_file: Path
    """File that the program may write its answer to; else its output counts."""
    project_root: Path
    """Folder of the project, in which the program starts."""
    schema: str
    """JSON schema of the answer."""
    model: str
    session_id: str
    thread_id: str
    tier: int
    max_turns: int
    seconds: int
    """Time limit."""
    usd: float
    """Maximum cost in US dollars."""


PLACEHOLDERS = tuple(field.name for field in fields(ProgramValues))


def find_program_fault(command: Sequence[str]) -> str:
    """Return the fault of the program that a command in the settings starts; empty if it has none."""
    program = command[0] if command else None
    if program is None:
        return "expected a program and its arguments, got an empty list"
    if not program or ("/" in program and not program.startswith("/")):
        return f"expected a program in PATH or an absolute path, got {program or 'nothing'}"
    return ""


def find_fault(command: Sequence[str]) -> str:
    """Return the fault of a command with placeholders in the settings; empty if it has none."""
    if command and _PLACEHOLDER.search(command[0]):
        return f"expected the program without a placeholder, got {command[0]}"
    if fault := find_program_fault(command):
        return fault
    unknown = sorted(set(_find_names(command)) - set(PLACEHOLDERS))
    return f"unknown placeholder {{{unknown[0]}}}; known are {', '.join(PLACEHOLDERS)}" if unknown else ""


def fill(command: Iterable[str], values: ProgramValues) -> tuple[str, ...]:
    """Return the command with the values in place of its placeholders; a value is not searched for placeholders."""
    texts = {name: _format(getattr(values, name)) for name in PLACEHOLDERS}
    return tuple(_PLACEHOLDER.sub(lambda match: texts[match[1]], word) for word in command)


def _find_names(command: Iterable[str]) -> list[str]:
    return [name for word in command for name in _PLACEHOLDER.findall(word)]


def _format(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
