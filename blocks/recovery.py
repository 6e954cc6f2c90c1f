"""Recovery line: says in the thread of an incident that all its services are healthy again, or no longer checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.health import EMOJI, name_services
from blocks.incident import NO_LONGER_CHECKED, state_unchecked
from blocks.remedy_state import name_approvers
from blocks.session_chain import format_duration
from blocks.text import escape

if TYPE_CHECKING:
    from bot.models.incident import Incident, Remedy

_NAMES = 5


def build_recovery(incident: Incident) -> str:
    """Return the line as mrkdwn, without secrets in `incident`."""
    gone = state_unchecked(incident)
    if not incident.healthy_again:
        return f"{NO_LONGER_CHECKED} {gone}"
    verb = "is" if len(incident.healthy_again) == 1 else "are"
    line = f"{EMOJI['healthy']} {name_services(incident.healthy_again, _NAMES)} {verb} healthy again"
    if incident.recovered_at:
        line += f", after {format_duration((incident.recovered_at - incident.since).total_seconds() * 1000)}"
    last = incident.remedies[-1] if incident.remedies else None
    if last and _was_run(last, incident):
        line += f": {name_approvers(last)} had the runbook `{escape(last.runbook)}` run{_describe_failure(last)}"
    return f"{line}. {gone}".rstrip()


def _was_run(remedy: Remedy, incident: Incident) -> bool:
    """Return whether a runbook ran in this outage, with healthy checks after it."""
    has_run = remedy.state == "ended" and remedy.outcome != "not-started" and bool(remedy.decided_by)
    return has_run and bool(remedy.is_healthy_after) and remedy.proposed_at >= incident.since


def _describe_failure(remedy: Remedy) -> str:
    """Say of a runbook that did not succeed how it ended: perhaps something else has helped; empty for one that did."""
    match remedy.outcome:
        case "succeeded":
            return ""
        case "failed" if remedy.exit_code is not None:
            return f", which ended with exit code {remedy.exit_code}"
        case "failed":
            return ", which was ended"
        case "timed-out":
            return ", which reached its time limit"
        case _:
            return ", whose end is not known"
