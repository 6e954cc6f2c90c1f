"""Held effects: those that wait while Triage is paused or stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.effect import (
    CheckFindings,
    DraftFix,
    Escalate,
    Investigate,
    KeepNote,
    OpenMergeRequest,
    PostReply,
    RunRunbook,
)

if TYPE_CHECKING:
    from bot.models.effect import Effect
    from bot.ports.effects import EffectRunner
    from bot.triage.controls import State

WAITING: dict[State, tuple[type[Effect], ...]] = {
    "running": (),
    "paused": (Investigate, Escalate, RunRunbook, DraftFix),
    "stopped": (
        Investigate,
        Escalate,
        CheckFindings,
        RunRunbook,
        PostReply,
        KeepNote,
        DraftFix,
        OpenMergeRequest,
    ),
}
"""Effects that wait for `release`, by state; the others only read."""


_OF_PROJECT = (Investigate, Escalate, DraftFix)
"""Effects that wait while their project is paused."""


def is_held(effect: Effect, state: State, effects: EffectRunner, *, is_project_paused: bool = False) -> bool:
    """Return whether an effect waits; a runbook or the draft of a fix that was started is only waited for, always."""
    if not (isinstance(effect, WAITING[state]) or (is_project_paused and isinstance(effect, _OF_PROJECT))):
        return False
    return not isinstance(effect, RunRunbook | DraftFix) or not effects.is_started(effect)
