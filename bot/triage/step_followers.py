"""Followers of the steps of all threads: told before and after each saved step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.triage.suppressed_runs import record_suppressed

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.effects import StepFollower


@dataclass(repr=False)
class StepFollowers:
    """All followers, in the order in which they were added."""

    each: list[StepFollower] = field(default_factory=list)

    async def record(self, before: Thread | None, after: Thread) -> None:
        """Have them record what a step decides, before it is saved."""
        for follower in self.each:
            await follower.record(before, after)

    def follow(self, before: Thread | None, saved: Thread) -> None:
        """Tell them of a saved step, and record a longer run that it has suppressed."""
        record_suppressed(before, saved)
        for follower in self.each:
            follower.follow(before, saved)
