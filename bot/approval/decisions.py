"""Decisions: the buttons that decide, with their thread events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models import thread_event

if TYPE_CHECKING:
    from collections.abc import Callable

DECISIONS: dict[str, Callable[..., thread_event.PressEvent]] = {
    "approve": thread_event.Approve,
    "approve_and_save": lambda **said: thread_event.Approve(keeps_note=True, **said),
    "post_anyway": lambda **said: thread_event.Approve(anyway=True, **said),
    "redraft": thread_event.Redraft,
    "dig_deeper": thread_event.DigDeeper,
    "run_runbook": thread_event.RunRunbookPressed,
    "stop": thread_event.Stop,
    "take_over": thread_event.TakeOver,
    "was_posted": thread_event.WasPosted,
    "post_again": thread_event.PostAgain,
}
"""Events by action id."""
