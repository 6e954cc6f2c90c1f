"""Message of an incident in its channel: facts of checks by code, and no word of a model.

Every state is in words, so that a screen reader and a notification have it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.health import (
    EMOJI,
    describe_check,
    find_worst,
    fit_rows,
    is_unreached,
    name_services,
    order_failing,
    state_check,
)
from blocks.remedy_state import describe_remedy, name_approvers, show_runbook
from blocks.session_chain import format_duration
from blocks.text import context, escape, format_count, moment, section
from bot.models.incident import SEVERAL_GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.check_result import CheckResult
    from bot.models.incident import Incident, Remedy

INCIDENT = "triage_incident"
"""`event_type` of its metadata, whose payload has the `incident_id`."""

NO_LONGER_CHECKED = ":information_source:"
"""Symbol of services whose state nobody knows any more."""
NEXT_STEP = "An operator decides on what is posted or run here."

_NAMES = 5
_TITLE_NAMES = 3
_SUMMARY = 3
"""Failing checks in the notification."""


def build_incident(incident: Incident) -> dict[str, Any]:
    """Build the `text`, `blocks` and `metadata` of the message, without secrets in `incident`."""
    headline = _headline(incident)
    metadata = {"event_type": INCIDENT, "event_payload": {"incident_id": incident.incident_id}}
    if incident.is_over:
        emoji = EMOJI["healthy"] if incident.healthy_again else NO_LONGER_CHECKED
        duration = _describe_outage(incident)
        return {
            "text": f"{_without_bold(headline)} {duration}".strip(),
            "blocks": [
                section(f"{emoji} {headline}"),
                *map(context, filter(None, (duration, _describe_failures(incident)))),
            ],
            "metadata": metadata,
        }
    failing = order_failing(incident.checks)
    emoji = EMOJI[find_worst(incident.checks) or "down"]
    summary = [f"{escape(check.service)}, {describe_check(check)}." for check in failing[:_SUMMARY]]
    shown = list_failing(failing)
    runs = [_describe_run(last)] if (last := incident.last_run) else []
    return {
        "text": " ".join([_without_bold(headline), *summary, NEXT_STEP]),
        "blocks": [
            section(f"{emoji} {headline}"),
            *([section(shown)] if shown else []),
            *map(section, runs),
            context(f"{_describe_checks(incident)} {NEXT_STEP}"),
        ],
        "metadata": metadata,
    }


def list_failing(checks: Iterable[CheckResult]) -> str:
    """List failing checks with their services, as many as fit a section; empty without any."""
    return fit_rows([f"*{escape(check.service)}*, {describe_check(check)}" for check in checks], "failing check")


def title_incident(incident: Incident) -> str:
    """Name the services and their state now, in plain words: `shop-api is down`."""
    states = {check.service: "" for check in incident.failing_checks}
    services = [*states] if states and not incident.is_over else [*(incident.healthy_again or incident.services)]
    names = ", ".join(services[:_TITLE_NAMES])
    left = len(services) - _TITLE_NAMES
    subject = f"{names} and {left} more are" if left > 0 else f"{names} {_verb(services)}"
    return f"{subject} {_state(incident)}"


def state_unchecked(incident: Incident) -> str:
    """Name the services that are no longer checked for an incident, in one sentence; empty without any."""
    gone = incident.unchecked
    if not gone:
        return ""
    whose = "its" if len(gone) == 1 else "their"
    names = f"{name_services(gone, _NAMES)} {_verb(gone)}"
    return f"{names} no longer checked here, since the settings were changed; {whose} state is not known."


def state_failures(incident: Incident) -> str:
    """State the failing checks on one line of plain text; without any, that all are healthy."""
    failing = order_failing(incident.checks)
    alone = len({check.service for check in failing}) == 1
    parts = [state_check(check) if alone else f"{check.service}, {state_check(check)}" for check in failing]
    return "; ".join(parts) or "all checks are healthy"


def _state(incident: Incident) -> str:
    """Name the state of the failing services."""
    failing = {check.service for check in incident.failing_checks}
    if incident.is_over:
        return "healthy again" if incident.healthy_again else "no longer checked"
    states = {find_worst(check for check in incident.checks if check.service == name) for name in failing}
    return "down or degraded" if len(states) > 1 else str(*states) if states else "healthy at the moment"


def _headline(incident: Incident) -> str:
    """Name the services and their state in one sentence."""
    if incident.is_over:
        again = incident.healthy_again
        healthy = f"{_name_all(incident, again)} {_verb(again)} healthy again." if again else ""
        return f"{healthy} {state_unchecked(incident)}".strip()
    since = f"since {moment(incident.since)}"
    failing = {check.service: "" for check in incident.failing_checks}
    if not failing:
        return f"{_name_all(incident)} {_verb(incident.services)} healthy at the moment, after an outage {since}."
    return f"{_name_all(incident, [*failing])} {_verb([*failing])} {_state(incident)} {since}.{_likely_cause(incident)}"


def _name_all(incident: Incident, some: Sequence[str] = ()) -> str:
    """Name the services, or some of them, with their group if it has another name."""
    services = some or incident.services
    names = name_services(services, _NAMES)
    if incident.group == SEVERAL_GROUPS and len(services) == 1:
        return names
    if incident.group == SEVERAL_GROUPS:
        return f"Services of several groups: {names}"
    return names if (incident.group,) == tuple(services) else f"{names} of the group {escape(incident.group)}"


def _without_bold(headline: str) -> str:
    """Return a headline for a notification, which has no markup; names of services have no asterisk."""
    return headline.replace("*", "")


def _verb(services: Sequence[str]) -> str:
    return "is" if len(services) == 1 else "are"


def _likely_cause(incident: Incident) -> str:
    failing = order_failing(incident.checks)
    if incident.group != SEVERAL_GROUPS or incident.is_narrowed or 2 * sum(map(is_unreached, failing)) <= len(failing):
        return ""
    silent = "They failed at the same time, and most give no answer at all"
    return f" {silent}: the network of the machine that runs Triage is a likely cause."


def _describe_failures(incident: Incident) -> str:
    """Say what failed before the recovery: for those who read the channel later; empty where that is not known."""
    failed = order_failing(incident.failed_checks) if incident.healthy_again else []
    names = [f"*{escape(check.service)}*, {describe_check(check)}" for check in failed[:_SUMMARY]]
    more = f" and {format_count(len(failed) - _SUMMARY, 'more failing check')}" if len(failed) > _SUMMARY else ""
    return f"Failing before: {'; '.join(names)}{more}." if names else ""


def _describe_run(remedy: Remedy) -> str:
    """Say which runbook was approved, by whom, and how it ended."""
    if remedy.state == "ended":
        return describe_remedy(remedy)
    when = moment(remedy.decided_at) if remedy.decided_at else ""
    return f"*Approved:* the runbook {show_runbook(remedy)} · {when}, by {name_approvers(remedy)}."


def _describe_checks(incident: Incident) -> str:
    """Count the checks and the outages, with the time of the last change."""
    healthy = sum(check.status == "healthy" for check in incident.checks)
    counts = format_count(len(incident.checks), "check")
    failed = f" Outage {incident.failures} in this thread." if incident.failures > 1 else ""
    return f"{counts}, {healthy} of them healthy. Last change: {moment(incident.checked_at)}.{failed}"


def _describe_outage(incident: Incident) -> str:
    """Name the begin, end and length of the outage, and its number if it was not the only one of the thread."""
    if incident.recovered_at is None or not incident.healthy_again:
        return ""
    length = format_duration((incident.recovered_at - incident.since).total_seconds() * 1000)
    begin = f"Outage {incident.failures} in this thread: from" if incident.failures > 1 else "From"
    return f"{begin} {moment(incident.since)} to {moment(incident.recovered_at)}: {length}."
