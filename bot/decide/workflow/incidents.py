"""Incidents: services that failed, too or again, and their recovery."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from bot.decide.health.states import are_same
from bot.decide.workflow.alerts import apply_alert_news
from bot.decide.workflow.precedence import REPLYING, is_withdrawn, start_outage
from bot.decide.workflow.remedies import end_runbook
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread
from bot.models.incident_event import (
    AlertAcknowledged,
    AlertResolved,
    IncidentShown,
    RunbookEnded,
    ServicesFailed,
    ServicesRecovered,
)
from bot.models.status import WORKED_ON

if TYPE_CHECKING:
    from bot.models.incident import Incident
    from bot.models.incident_event import IncidentEvent
    from bot.models.thread import Thread

_STATUSES_WITH_DRAFT = (*WORKED_ON, "pending-user")
"""Statuses with a draft that may become stale, now or soon."""


def apply_incident_event(thread: Thread, event: IncidentEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply an event of an incident; `None` if it changes nothing."""
    if isinstance(event, AlertResolved | AlertAcknowledged):
        return apply_alert_news(thread, event)
    incident = thread.incident
    if incident is None:
        return None
    match event:
        case ServicesFailed():
            return _record_failure(thread, incident, event, limits)
        case ServicesRecovered():
            return _record_recovery(thread, incident, event)
        case RunbookEnded():
            return end_runbook(thread, incident, event, limits)
        case IncidentShown():
            is_newer = event.revision > incident.shown
            return Transition(thread.evolve(incident=incident.evolve(shown=event.revision))) if is_newer else None
        case _:
            assert_never(event)


def _record_failure(
    thread: Thread, incident: Incident, event: ServicesFailed, limits: WorkflowLimits
) -> Transition | None:
    """Record further or repeated failures: a draft becomes stale, and a new outage is investigated again, before any
    other question of the thread.

    So is one in which a service is down for the first time: what was decided on was slow, or about to expire; and what
    is left of one of many groups, whose cause is not that of all.
    """
    is_again = incident.is_over
    services = event.services if is_again else tuple(dict.fromkeys((*incident.services, *event.services)))
    is_known = not is_again and services == incident.services and are_same(event.checks, incident.checks)
    if is_known:
        return None
    down = tuple(dict.fromkeys(check.service for check in event.checks if check.status == "down"))
    is_worse = bool(down) and not (is_again or incident.has_been_down)
    updated = incident.evolve(
        services=services,
        since=event.at if is_again else incident.since,
        checks=event.checks or incident.checks,
        checked_at=event.at,
        cooldown_state=dict(event.cooldown_state),
        session_id=event.session_id or incident.session_id,
        failures=incident.failures + is_again,
        was_down=not is_again and incident.has_been_down,
        recovered_at=None,
        unchecked=(),
        revision=incident.revision + 1,
    )
    is_left = updated.is_narrowed and not (is_again or is_worse or incident.is_narrowed)
    is_news = (is_again or is_worse or is_left) and not is_withdrawn(thread)
    if is_news and thread.status in REPLYING:
        return Transition(thread.evolve(incident=updated.evolve(is_unasked=True)))
    if is_news and (thread.status == "closed" or not thread.is_about_incident):
        return start_outage(thread, updated, event, limits)
    if services == incident.services and not (is_again or is_worse or is_left):
        return Transition(thread.evolve(incident=updated))
    if thread.status not in _STATUSES_WITH_DRAFT:
        return Transition(thread.evolve(incident=updated))
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
    stale = f"{_describe_news(event, updated, down if is_worse else (), is_again=is_again)} since this draft was begun"
    return change_thread(thread, event, incident=updated, stale=stale, draft_pending=draft)


def _describe_news(event: ServicesFailed, after: Incident, down: tuple[str, ...], *, is_again: bool) -> str:
    """Say which services failed again, went down (`down`), are left of many, or failed too."""
    if down:
        return f"{', '.join(down)} went down"
    if is_again:
        return f"{', '.join(event.services)} failed again"
    if after.is_narrowed and event.services == after.services:
        return f"most services are healthy again, and only {', '.join(after.failing_services)} not,"
    return f"{', '.join(event.services)} failed too,"


def _record_recovery(thread: Thread, incident: Incident, event: ServicesRecovered) -> Transition | None:
    """Record that all are healthy; `bot/decide/workflow/recovering` closes what waits."""
    if incident.is_over:
        return None
    updated = incident.evolve(
        recovered_at=event.at,
        unchecked=event.unchecked,
        checks=event.checks or incident.checks,
        failed_checks=incident.failing_checks,
        checked_at=event.at,
        revision=incident.revision + 1,
    )
    return Transition(thread.evolve(incident=updated))
