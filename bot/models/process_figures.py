"""Figures of a running process, for monitoring: counts and sums, with names that the code knows and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.job import JobKind, JobOutcome
    from bot.models.status import Status

EffectOutcome = Literal["done", "failed", "cancelled"]
"""`failed`: an error, or a result that says so. `cancelled`: no longer wanted, or cut off by the end of the process."""
WorkQueue = Literal["events", "questions", "limited", "turns"]
"""Work that waits: events of Slack that are not handled yet; questions without a draft; those of them that a quota
holds back; turns of the chat agent that have not begun."""
Agent = Literal["investigator", "validator", "fixer", "diff-validator", "chat", "summary", "other"]


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Durations in seconds: `counts` holds those up to each of `bounds`, and last all longer ones."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    total: float
    """Sum of all durations."""


@dataclass(frozen=True, kw_only=True)
class JobFigures:
    """Jobs that replicas share, as their leader sees them."""

    waiting: int
    """Jobs that no worker has claimed."""
    running: int
    oldest_seconds: float
    """Age of the oldest that waits; 0 without one."""
    ended: Mapping[tuple[JobKind, JobOutcome], int]
    """Jobs whose end this process saw, by kind and outcome (`models/job`)."""


@dataclass(frozen=True, kw_only=True)
class ProcessFigures:
    """Figures at one moment. Counts of effects, replies and acks begin with the process."""

    open_threads: Mapping[Status, int]
    cards_waiting: int
    waiting: Mapping[WorkQueue, int]
    oldest_seconds: float
    """Age of the oldest question that waits for a draft; 0 without one. Longer runs and created tasks do not count."""
    effects: Mapping[tuple[str, EffectOutcome], int]
    """Ended effects by kind, the name of its class in lower case with underscores."""
    replies_posted: int
    acks: Histogram
    usd_today: Mapping[Agent, float]
    """Cost of this day (UTC) in US dollars."""
    usd_cap: float | None
    """US dollars that the agents may cost today; `None` without agents."""
    connected: bool
    loop_late_seconds: float
    jobs: JobFigures | None = None
    """`None` where this process does its own investigations."""
