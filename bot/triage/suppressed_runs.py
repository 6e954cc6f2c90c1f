"""Suppressed runs: longer runs that the workflow wanted and did not start, as events of the system log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.escalation import describe_suppressed
from bot.models.session import SESSION_ID
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from bot.models.thread import Thread


def record_suppressed(before: Thread | None, after: Thread) -> None:
    """Record the event if the change to `after` suppressed a run; ends of tiers 2 and 3 have events of their own."""
    is_new = after.escalation_problem and (before is None or after.escalation_problem != before.escalation_problem)
    if not is_new or (before and before.status == "escalated"):
        return
    figures = after.runs[-1].session_id if after.runs else ""
    session = figures if re.fullmatch(SESSION_ID, figures) else None
    subjects = after.incident.services if after.incident and after.is_about_incident else (after.task,)
    tier = 3 if before and before.status == "pending-user" else 2  # after a runbook, or before
    record_event("info", session, describe_suppressed(tier, subjects))
