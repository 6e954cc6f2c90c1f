"""Counts of ended effects by kind and outcome, and of posted replies, since the start of the process."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, get_args

from bot.models.effect import Effect
from bot.models.fix_event import MergeRequestFailed
from bot.models.thread_event import (
    DoubtfulPost,
    FoundReplied,
    NudgeLost,
    Posted,
    PostFailed,
    RunbookEnded,
    RunFailed,
)

if TYPE_CHECKING:
    from bot.models.effect import DraftFix, RunRunbook
    from bot.models.process_figures import EffectOutcome
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.ports.effects import EffectRunner

_KINDS = {kind: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in get_args(Effect)}
_OUTCOMES: tuple[EffectOutcome, ...] = ("done", "failed", "cancelled")


class CountedEffects:
    """Effects that are counted when they end (`EffectRunner`)."""

    def __init__(self, effects: EffectRunner) -> None:
        self._effects = effects
        self.ended: Counter[tuple[str, EffectOutcome]] = Counter(
            {(kind, outcome): 0 for kind in _KINDS.values() for outcome in _OUTCOMES}
        )
        """Number by kind and outcome; each pair is there from the start."""
        self.replies_posted = 0

    async def run(self, thread: Thread, effect: Effect) -> ThreadEvent | None:
        """Run an effect and return its result; an error passes through."""
        outcome: EffectOutcome = "cancelled"
        try:
            event = await self._effects.run(thread, effect)
            outcome = find_outcome(event)
        except Exception:
            outcome = "failed"
            raise
        finally:
            self.ended[_KINDS[type(effect)], outcome] += 1
        self.replies_posted += isinstance(event, Posted | FoundReplied)
        return event

    def is_started(self, effect: RunRunbook | DraftFix) -> bool:
        """Return whether a runbook or the draft of a fix was started, so that it is only waited for."""
        return self._effects.is_started(effect)


def find_outcome(event: ThreadEvent | None) -> EffectOutcome:
    """Return the outcome of an effect from its result. A draft that fails its check is a check that is done."""
    match event:
        case RunFailed() | PostFailed() | DoubtfulPost() | NudgeLost() | MergeRequestFailed():
            return "failed"
        case RunbookEnded(outcome=outcome) if outcome != "succeeded":
            return "failed"
    return "done"
