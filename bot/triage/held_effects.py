"""Held effects: those that wait while Triage is paused or stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.effect import CheckFindings, Escalate, Investigate, KeepNote, PostReply, RunRunbook

if TYPE_CHECKING:
    from bot.models.effect import Effect
    from bot.ports.effects import EffectRunner
    from bot.triage.controls import State

WAITING: dict[State, tuple[type[Effect], ...]] = {
    "running": (),
    "paused": (Investigate, Escalate, RunRunbook),
    "stopped": (Investigate, Escalate, CheckFindings, RunRunbook, PostReply, KeepNote),
}
"""Effects that wait for `release`, by state; the others only read."""


def is_held(effect: Effect, state: State, effects: EffectRunner) -> bool:
    """Return whether an effect waits; a runbook that was started is only waited for, in any state."""
    if not isinstance(effect, WAITING[state]):
        return False
    return not isinstance(effect, RunRunbook) or not effects.is_started(effect)
