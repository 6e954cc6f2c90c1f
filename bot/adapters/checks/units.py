"""State of units of systemd, as `systemctl show` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.checks.outcome import HEALTHY, Outcome, degraded, down

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROGRAM = "systemctl"
ARGUMENTS = ("show", "--property=LoadState,ActiveState,SubState,Result", "--")


def parse_units(names: Sequence[str], output: str, complaint: str) -> dict[str, Outcome]:
    """Return the outcome of each unit; none if the output has not one block for each, in the order of the names."""
    blocks = [dict(line.split("=", 1) for line in block.splitlines() if "=" in line) for block in _split(output)]
    if len(blocks) != len(names):
        return {}
    return {name: _judge(name, block) for name, block in zip(names, blocks, strict=True)}


def _split(output: str) -> list[str]:
    return [block for block in output.strip().split("\n\n") if block.strip()]


def _judge(name: str, block: Mapping[str, str]) -> Outcome:
    load, active, sub, result = (block.get(key, "") for key in ("LoadState", "ActiveState", "SubState", "Result"))
    if load == "not-found":
        return down(f"there is no unit {name}")
    if load not in ("loaded", "") and active != "active":
        return down(f"the unit is {load}")
    state = f"{active} ({sub})" if sub and sub != active else active or "in an unknown state"
    reason = f", last result: {result}" if result not in ("", "success") else ""
    match active:
        case "active" | "reloading" | "refreshing":
            return HEALTHY
        case "activating" if not reason and sub != "auto-restart":
            return degraded(f"the unit is {state}")
        case _:
            return down(f"the unit is {state}{reason}")
