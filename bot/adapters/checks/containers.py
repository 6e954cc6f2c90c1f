"""State of containers, as `docker inspect` prints it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bot.adapters.checks.outcome import HEALTHY, Outcome, degraded, down

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "docker"
_FORMAT = (
    '{"id":{{json .Id}},"name":{{json .Name}},"status":{{json .State.Status}},"code":{{json .State.ExitCode}},'
    '"oom":{{json .State.OOMKilled}},"health":{{if .State.Health}}{{json .State.Health.Status}}{{else}}""{{end}}}'
)
ARGUMENTS = ("inspect", "--type", "container", "--format", _FORMAT)


def parse_containers(names: Sequence[str], output: str, complaint: str) -> dict[str, Outcome]:
    """Return the outcome of each name that the output or the complaint is about."""
    states = [state for line in output.splitlines() if (state := _parse(line))]
    outcomes = {}
    for name in names:
        state = next((state for state in states if _is_named(state, name)), None)
        if state is not None:
            outcomes[name] = _judge(state)
        elif _is_missing(name, complaint):
            outcomes[name] = down(f"there is no container {name}")
    return outcomes


def _parse(line: str) -> dict[str, Any] | None:
    try:
        state = json.loads(line)
    except ValueError:
        return None
    return state if isinstance(state, dict) else None


def _is_named(state: dict[str, Any], name: str) -> bool:
    is_id = len(name) >= 12 and str(state.get("id", "")).startswith(name)  # docker's short form
    return str(state.get("name", "")).removeprefix("/") == name or is_id


def _is_missing(name: str, complaint: str) -> bool:
    lines = (line for line in complaint.splitlines() if "no such" in line.lower())
    return any(line.split()[-1].strip("'\"") == name for line in lines)


def _judge(state: dict[str, Any]) -> Outcome:
    status, health = str(state.get("status", "")), str(state.get("health", ""))
    if status != "running":
        reason = ", out of memory" if state.get("oom") is True else ""
        code = f" with exit code {state.get('code')}" if status in ("exited", "dead") else ""
        return down(f"the container is {status or 'in an unknown state'}{code}{reason}")
    match health:
        case "unhealthy":
            return down("the container's own health check fails")
        case "starting":
            return degraded("the container's own health check has not succeeded yet")
        case _:
            return HEALTHY
