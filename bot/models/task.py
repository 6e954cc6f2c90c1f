"""Task: the work on one thread, with every run of a role (spec 5, step 2).

`tasks/<slug>/task.json` is written from the dispatches in the thread's document. All final statuses of a dispatch are
defined here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from bot.models.fact import Fact
from bot.models.findings import EvidenceRef

RUNNING = "running"
COMPLETED = "completed"
FAILED = "failed"
"""The run failed, or its model returned nothing usable."""

Abort = Literal[
    "repeats",
    "ping-pong",
    "same-error",
    "stalled",
    "limit",
    "time",
    "over-cap",
    "no-key",
    "unreachable",
    "stopped",
    "settings",
    "superseded",
    "dismissed",
    "withdrawn",
    "muted",
    "taken-over",
    "settled",
    "recovered",
]
"""Reason why code or a person ended a run before it had findings: `aborted: <reason>`."""

EARLIER_KEPT = 3
"""Number of earlier questions whose findings the next question receives, newest first."""


def aborted(why: str | None) -> str:
    """Return the status of a dispatch that was ended early; `failed` if this is not a known reason."""
    return f"aborted: {why}" if why in get_args(Abort) else FAILED


class Dispatch(Fact):
    """One run of a role, as recorded in `task.json`."""

    run_id: str
    role: str
    cwd: str
    """The project, and the start folder in it."""
    model: str
    """The source of the result: a model, the keyword engine, or an earlier answer."""
    started_at: datetime
    status: str = RUNNING
    journal_file: str
    """The file name in the task's folder."""


DENIED = "replied, which did not serve"


class EarlierQuestion(Fact):
    """The result of an earlier question of the thread, as input for the next investigation."""

    question: str
    summary: str
    refs: tuple[EvidenceRef, ...]
    """The references without their quotes."""
    said: str
    """The draft."""
    outcome: str
    """The outcome of the question: `replied`, `dismissed` …, or `DENIED`."""
    draft_id: str = ""
    """The id of its last draft, which its retired card names."""
    journal_file: str | None = None
