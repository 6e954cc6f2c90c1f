"""Answer of a team's own program: findings as JSON, also in the output format of `claude --print`. Pure.

With `--output-format json` that program prints one object: `{"type": "result", "subtype": "success", "is_error": false,
"result": "…", "structured_output": {…}, "total_cost_usd": 0.12, "num_turns": 7, …}`; with `stream-json` it is the last
line. `structured_output` is there with `--json-schema`, and `result` may then be empty.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.agents.json_objects import find_objects

if TYPE_CHECKING:
    from bot.models.session import Outcome

_MOST_TURNS = 100_000


@dataclass(frozen=True)
class ProgramAnswer:
    """Text of an answer, with the figures that the program reports."""

    text: str
    cost_usd: float | None = None
    turns: int = 0
    fault: str = ""
    """Failure that the program reports; empty without one."""
    outcome: Outcome = "failed"
    """Outcome of a run with a fault."""


def read_answer(output: str, written: str) -> ProgramAnswer:
    """Return the answer in the file that the program wrote, else in its output; figures are in the output."""
    result = _find_result(output)
    if result is None:
        return ProgramAnswer(written.strip() or output)
    figures = _read_cost(result.get("total_cost_usd")), _read_turns(result.get("num_turns"))
    text = result.get("result")
    text = text if isinstance(text, str) else ""
    if result.get("is_error") is True:
        kind = str(result.get("subtype") or "error")
        return ProgramAnswer(text, *figures, fault=f"{kind}: {text}" if text else kind, outcome=_find_outcome(kind))
    structured = result.get("structured_output")
    if isinstance(structured, dict):
        text = json.dumps(structured)
    return ProgramAnswer(written.strip() or text, *figures)


def _find_result(output: str) -> dict[str, Any] | None:
    """Return the last object that is a result of `claude --print`."""
    return next((each for each in reversed([*find_objects(output)]) if each.get("type") == "result"), None)


def _find_outcome(kind: str) -> Outcome:
    if "max_turns" in kind:
        return "limit"
    return "over_cap" if "max_budget" in kind else "failed"


def _read_cost(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value >= 0 else None  # type: ignore[operator,arg-type]  # checked above


def _read_turns(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TURNS else 0
