"""Status of a question, the mode of its channel, its type, and its outcome."""

from __future__ import annotations

from typing import Literal

Status = Literal[
    "collecting",
    "investigating",
    "escalated",
    "awaiting-validation",
    "bounced-round-1",
    "pending-user",
    "approved",
    "in-doubt",
    "closed",
]
WORKED_ON: tuple[Status, ...] = ("investigating", "escalated", "bounced-round-1", "awaiting-validation")
"""Statuses in which an investigation or a check is running."""
BEFORE_A_DRAFT: tuple[Status, ...] = ("collecting", *WORKED_ON)
"""Statuses of work that comes before a decision."""
Mode = Literal["live", "preview", "silent"]
QuestionType = Literal["technical_qa", "status_check", "data_lookup", "api_contract", "other"]
Outcome = Literal[
    "replied", "dismissed", "practice", "withdrawn", "expired", "muted", "taken-over", "settled", "recovered", "skipped"
]
"""`skipped`: an operator ended a task that was blocked or had failed, so that the tasks that depend on it may start."""
