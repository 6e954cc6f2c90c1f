"""Reading of a Dockerfile: its stages, each with the steps that build it and what its container starts with.

Knows the instructions that Triage's Dockerfile has, and refuses all others: a step that is left out is one that nobody
tried. The form is Docker's, https://docs.docker.com/reference/dockerfile/.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SECONDS = {"s": 1, "m": 60, "h": 3600}
_HEALTH_FLAGS = {"--interval", "--timeout", "--start-period", "--retries"}


class Unknown(Exception):
    """Line of a Dockerfile that this reader does not know; the message has its number."""


@dataclass(frozen=True)
class Surroundings:
    """What a command in the image starts with."""

    variables: Mapping[str, str]
    user: str
    """Name or number."""
    folder: str


@dataclass(frozen=True)
class Run:
    """Line for the shell."""

    command: str
    surroundings: Surroundings


@dataclass(frozen=True)
class Copy:
    """Files from what is sent to the build, or from an earlier stage, as root's."""

    sources: tuple[str, ...]
    target: str
    stage: str
    """Name of the earlier stage; empty for what is sent."""
    surroundings: Surroundings


@dataclass(frozen=True)
class Health:
    """Command that says whether the container works; durations are in seconds."""

    command: tuple[str, ...]
    interval: int = 30
    timeout: int = 30
    start_period: int = 0
    retries: int = 3


@dataclass(frozen=True)
class Stage:
    """One image: how it is built and how its container starts."""

    base: str
    name: str
    steps: tuple[Run | Copy, ...]
    surroundings: Surroundings
    volumes: tuple[str, ...] = ()
    health: Health | None = None
    entrypoint: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def read_stages(text: str, variables: Mapping[str, str]) -> list[Stage]:
    """Return the stages in order; `variables` are those of each base image. Raise `Unknown` for any other line."""
    stages: list[Stage] = []
    for number, line in _lines(text):
        keyword, _, value = line.partition(" ")
        try:
            if keyword == "FROM":
                stages.append(_first(value, variables))
            else:
                stages[-1] = _after(stages[-1], keyword, value.strip())
        except (ValueError, KeyError, IndexError) as problem:
            raise Unknown(f"line {number}: {line}: {problem}") from problem
    return stages


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each instruction in one line, with the number of its first line."""
    begun, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        first = first if begun else number
        begun += line.strip().removesuffix("\\")
        if not line.endswith("\\"):
            yield first, begun
            begun = ""
    if begun:
        yield first, begun


def _first(value: str, variables: Mapping[str, str]) -> Stage:
    words = value.split()
    match words:
        case [base]:
            name = ""
        case [base, ("AS" | "as"), name]:
            pass
        case _:
            raise ValueError("expected an image, and a name at most")
    return Stage(_plain(base), name, (), Surroundings(dict(variables), "root", "/"))


def _after(stage: Stage, keyword: str, value: str) -> Stage:  # noqa: C901  # one case for each instruction
    around = stage.surroundings
    match keyword:
        case "RUN":
            if value.startswith(("[", "--")) or "<<" in value:
                raise ValueError("expected one line for the shell")
            return replace(stage, steps=(*stage.steps, Run(value, around)))
        case "COPY":
            return replace(stage, steps=(*stage.steps, _copy(value, around)))
        case "ENV":
            variables = dict(around.variables)
            for word in shlex.split(value):
                name, equals, text = word.partition("=")
                if not equals:
                    raise ValueError("expected NAME=VALUE")
                variables[name] = Template(text).substitute(around.variables)
            return replace(stage, surroundings=replace(around, variables=variables))
        case "USER":
            return replace(stage, surroundings=replace(around, user=_plain(value)))
        case "WORKDIR":
            if not value.startswith("/"):
                raise ValueError("expected an absolute path")
            return replace(stage, surroundings=replace(around, folder=_plain(value)))
        case "VOLUME":
            return replace(stage, volumes=(*stage.volumes, *_words(value)))
        case "HEALTHCHECK":
            return replace(stage, health=_health(value))
        case "ENTRYPOINT":
            return replace(stage, entrypoint=_words(value), arguments=())
        case "CMD":
            return replace(stage, arguments=_words(value))
        case _:
            raise ValueError("no such instruction is known here")


def _copy(value: str, around: Surroundings) -> Copy:
    words, stage = value.split(), ""
    while words and words[0].startswith("--"):
        flag, _, stage = words.pop(0).partition("=")
        if flag != "--from":
            raise ValueError(f"the flag {flag} is not known here")
    if len(words) < 2:
        raise ValueError("expected a source and a target")
    return Copy(tuple(words[:-1]), words[-1], stage, around)


def _health(value: str) -> Health:
    options, found, command = value.partition("CMD ")
    if not found:
        raise ValueError("expected a command")
    figures: dict[str, int] = {}
    for word in options.split():
        flag, _, text = word.partition("=")
        if flag not in _HEALTH_FLAGS:
            raise ValueError(f"the flag {flag} is not known here")
        seconds = 1 if flag == "--retries" else _SECONDS[text[-1]]
        figures[flag[2:].replace("-", "_")] = int(text.rstrip("smh")) * seconds
    return Health(_words(command), **figures)


def _words(value: str) -> tuple[str, ...]:
    """Return the words of the form without a shell: with one, SIGTERM would end at the shell."""
    words = json.loads(value)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("expected a list of words")
    return tuple(words)


def _plain(value: str) -> str:
    if not value or "$" in value or " " in value or value.startswith("--"):
        raise ValueError("expected one word without variables")
    return value
