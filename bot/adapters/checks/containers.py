"""State of containers, as `docker inspect` prints it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bot.adapters.checks.outcome import HEALTHY, Outcome, degraded, down

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "docker"
_FORMAT = '{"name":{{json .Name}},"state":{{json .State}}}'
"""The whole state: a template that names a part of it fails for containers that lack this part."""
ARGUMENTS = ("inspect", "--type", "container", "--format", _FORMAT)


def parse_containers(names: Sequence[str], output: str, complaint: str) -> dict[str, Outcome]:
    """Return the outcome of each name that the output or the complaint is about.

    docker prints the containers that it finds in the order of the names, which may be ids.
    """
    missing = [name for name in names if _is_missing(name, complaint)]
    found = [name for name in names if name not in missing]
    states = [state for line in output.splitlines() if (state := _parse(line))]
    if len(states) != len(found):
        by_name = {str(state.get("name", "")).removeprefix("/"): state for state in states}
        found, states = (
            [name for name in found if name in by_name],
            [by_name[name] for name in found if name in by_name],
        )
    outcomes = {name: _judge(state.get("state")) for name, state in zip(found, states, strict=True)}
    return outcomes | {name: down(f"there is no container {name}") for name in missing}


def _parse(line: str) -> dict[str, Any] | None:
    try:
        state = json.loads(line)
    except ValueError:
        return None
    return state if isinstance(state, dict) else None


def _is_missing(name: str, complaint: str) -> bool:
    lines = (line for line in complaint.splitlines() if "no such" in line.lower())
    return any(line.split()[-1].strip("'\"") == name for line in lines)


def _judge(state: object) -> Outcome:
    values = state if isinstance(state, dict) else {}
    status, health = str(values.get("Status", "")), values.get("Health")
    if status != "running":
        reason = ", out of memory" if values.get("OOMKilled") is True else ""
        code = f" with exit code {values.get('ExitCode')}" if status in ("exited", "dead") else ""
        return down(f"the container is {status or 'in an unknown state'}{code}{reason}")
    match health.get("Status") if isinstance(health, dict) else "":
        case "unhealthy":
            return down("the container's own health check fails")
        case "starting":
            return degraded("the container's own health check has not succeeded yet")
        case _:
            return HEALTHY
