"""Error of a task: its kind, its reason, and the run that ended with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bot.models.task import Dispatch

ErrorKind = Literal[
    "no-key",
    "unreachable",
    "stalled",
    "over-cap",
    "time",
    "limit",
    "repeats",
    "stopped",
    "settings",
    "refused-request",
    "unusable",
    "refused-evidence",
    "crashed",
]
"""`refused-request`: the model's server rejects the request itself. `unusable`: the model's answers had the wrong form.
`refused-evidence`: references of the draft do not hold, or its validator sent it back. `crashed`: any other failure."""


@dataclass(frozen=True, slots=True)
class TaskError:
    """The last error of a task."""

    kind: ErrorKind
    reason: str
    """The reason in the document; empty if it names none."""
    run: Dispatch | None
    """The run that ended with it; `None` where a draft was refused, or nothing ran."""
