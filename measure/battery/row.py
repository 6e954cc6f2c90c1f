"""Row of the battery: a behaviour at a moment, the ending that it must come to, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measure.battery.play import Behaviour

Ending = str
"""`draft` with its verdict, unchecked `notes` of a failed run, or its `reason` alone."""

MOMENTS = {
    "first turn": ("investigator", 1),
    "mid-run": ("investigator", 2),
    "answer": ("investigator", 3),
    "validator": ("validator", 1),
    "verdict": ("validator", 2),
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row. `reason` is a pattern of the cause that a person must read; empty for a draft."""

    kind: str
    name: str
    turns: Mapping[tuple[str, int], Behaviour]
    ends: frozenset[Ending]
    reason: str = ""
    model: dict[str, Any] = field(default_factory=dict)
    """Settings of the section `model`."""
    minutes: float = 5.0
    """Limit of an investigation."""
    requests: int | None = None
    """Requests to the server that the row must take."""
    has_key: bool = True
    """False: the settings name no server, and there is no key."""
    mcp: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Outcome of one row."""

    row: Row
    ended: Ending
    reason: str
    seconds: float
    deviation: float | None
    """Share by which known costs differ from the server's count; `None`: not compared."""
    faults: tuple[str, ...]
    """Everything that must hold and does not."""


def row(kind: str, name: str, moment: str, behave: Behaviour, *ends: Ending, reason: str = "", **more: Any) -> Row:
    """Return a row that replaces the turn of one moment."""
    return Row(
        kind=kind,
        name=f"{name}, {moment}",
        turns={MOMENTS[moment]: behave},
        ends=frozenset(ends or ("draft",)),
        reason=reason,
        **more,
    )
