"""Decisions of operators about a draft, and the drafts that were sent back."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.reasons import BounceCode, DismissCode


class Decision(Fact):
    """Who settled the draft, how and when."""

    action: Literal["approve", "dismiss", "bounce", "answer", "take_over"]
    by: str
    at: datetime
    code: BounceCode | DismissCode | None = None
    reason: str = ""
    """In their own words."""
    link: str = ""
    """What a dismissal points to."""


class FirstApproval(Fact):
    """Where two must approve: who did first, and what they saw. Any later change of it takes the approval back."""

    by: str
    at: datetime
    draft_id: str
    stale: str | None


class Round(Fact):
    """A draft that was sent back: what it said, what it rested on, who attacked it and why."""

    number: int
    draft: str
    refs: tuple[str, ...]
    by: Literal["checks", "validator", "operator"]
    attack: str
