"""Incidents: changed results, recovery, and the one run of an approved runbook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.incident_event import IncidentEvent
    from bot.models.presses import RunRunbookPressed
    from bot.models.thread import Thread


def apply_incident_event(thread: Thread, event: IncidentEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply an event of an incident; `None` if it changes nothing."""
    return None


def run_runbook(thread: Thread, press: RunRunbookPressed, limits: WorkflowLimits) -> Transition | None:
    """Approve the proposed runbook, which starts its one run."""
    return None
