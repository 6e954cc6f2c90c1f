"""Escalation: the decision that a question takes a longer run, in a process of its own, with its reason (spec 1, 3.5).

Tier 2 is chosen before the start for a question that will take long, and after tier 1 where its investigator asks for
it, or ended at a limit with work worth keeping. Only code decides; the models' statements are its input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bot.models.handoff import NextTier
    from bot.models.run_end import Findings, RunFailed
    from bot.models.thread import Thread

LIMITS_REACHED = ("limit", "time")
"""Guards that end a run which a longer one may finish (`models/task.Abort`)."""


@dataclass(frozen=True, slots=True)
class EscalationPolicy:
    """Settings of escalation; by default nothing is escalated."""

    enabled: bool = False
    max_tier: Literal[1, 2, 3] = 3
    dry_run: bool = False
    threshold_min: float = 10
    """Expected minutes of a run above which it is escalated before its start."""
    may_start: frozenset[int] = field(default_factory=frozenset)
    """Tiers with something to start: the engine on a model, or a program of the team."""

    def starts(self, tier: int) -> bool:
        """Return whether a run of this tier may be started."""
        return self.enabled and tier <= self.max_tier and tier in self.may_start


@dataclass(frozen=True, slots=True)
class TierChoice:
    """Decision for a longer run."""

    tier: NextTier
    reason: str
    """The reason in plain words, as the end of a sentence."""
    refusal: str = ""
    """The reason why it is not started; empty if it is."""


def choose_after_run(thread: Thread, event: Findings | RunFailed, policy: EscalationPolicy) -> TierChoice | None:
    """Return the tier that goes on after a run of tier 1; once for each question."""
    return None
