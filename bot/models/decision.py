"""Decisions of operators about a draft, and the drafts that were sent back."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact
from bot.models.reasons import BounceCode, DismissCode


class Decision(Fact):
    """The final decision about a draft or a question: an operator's, or by data for an automatic reply."""

    action: Literal["approve", "auto_reply", "dismiss", "bounce", "answer", "take_over", "settle", "skip"]
    by: str
    at: datetime
    code: BounceCode | DismissCode | None = None
    reason: str = ""
    """The operator's own words."""
    link: str = ""
    """The message that a dismissal points to."""


class FirstApproval(Fact):
    """The first of two approvals, with the draft and the staleness it was given for. A later change revokes it."""

    by: str
    at: datetime
    draft_id: str
    stale: str | None


class Round(Fact):
    """A draft that was sent back: its text, its references, and the objection to it."""

    number: int
    draft: str
    refs: tuple[str, ...]
    by: Literal["checks", "validator", "operator"]
    attack: str
