"""Threads about services that are not healthy, in each status, with their events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.decide.escalation import EscalationPolicy
from bot.models.check_result import CheckResult
from bot.models.incident import Incident, Remedy
from bot.models.incident_event import RunbookEnded, ServicesFailed, ServicesRecovered
from bot.models.thread import Thread
from bot.models.thread_event import Approve, DoubtfulPost, Due, Findings, NotFound, Posted, RunRunbookPressed
from tests.builders import LIMITS, OPERATOR, added, at, found, fresh, moved, validated
from tests.decide.test_workflow import press

BOT = "U0BOT"
SESSION = "20260105T090000-checks"
TIERS = replace(LIMITS, escalation=EscalationPolicy(enabled=True, may_start=frozenset({2, 3})))


def result(service: str = "payments", status: str = "down", **changes: Any) -> CheckResult:
    """A result of an HTTP check."""
    values: dict[str, Any] = {"check_type": "http", "error": "" if status == "healthy" else "status 503, not 200"}
    return CheckResult(service=service, status=status, **(values | changes))


def incident(**changes: Any) -> Incident:
    """The outage of one service."""
    values: dict[str, Any] = {
        "incident_id": "inc1",
        "group": "payments",
        "services": ("payments",),
        "since": at(-60),
        "checks": (result(),),
        "checked_at": at(),
        "cooldown_state": {"payments": None},
        "session_id": SESSION,
    }
    return Incident(**(values | changes))


def remedy(**changes: Any) -> Remedy:
    """A proposed runbook."""
    values: dict[str, Any] = {
        "runbook": "restart-payments",
        "argv": ("systemctl", "restart", "payments"),
        "reason": "it helped the last time",
        "tier": 1,
        "proposed_at": at(3),
    }
    return Remedy(**(values | changes))


def collecting(mode: str = "live", **changes: Any) -> Thread:
    """The bot has posted the incident."""
    event = added("payments is down", sender=BOT, sender_type="bot", mode=mode)
    return moved(None, replace(event, incident=incident(**changes)))


def investigating(**changes: Any) -> Thread:
    """Tier 1 in the bot."""
    return moved(collecting(**changes), Due(at=at(2), fresh=fresh()))


def escalated(**changes: Any) -> Thread:
    """Tier 2."""
    return moved(collecting(**changes), Due(at=at(2), fresh=fresh()), TIERS)


def proposing(thread: Thread, proposal: Remedy | None, **changes: Any) -> Findings:
    """Findings of the live run with this proposal."""
    return replace(found(thread), remedy=proposal, **changes)


def awaiting(**changes: Any) -> Thread:
    """The draft is checked."""
    thread = investigating(**changes)
    return moved(thread, proposing(thread, remedy()))


def proposed(**changes: Any) -> Thread:
    """A card with a runbook."""
    thread = awaiting(**changes)
    return moved(thread, validated(thread))


def proposed_by_tier_2(**wish: Any) -> Thread:
    """A card with a runbook of tier 2, with a wish for tier 3 if any."""
    thread = escalated()
    thread = moved(thread, proposing(thread, remedy(tier=2), **wish), TIERS)
    return moved(thread, validated(thread), TIERS)


def running() -> Thread:
    """The runbook runs."""
    thread = proposed()
    return moved(thread, press(RunRunbookPressed, thread, fresh="run1"))


def pending() -> Thread:
    """A card without a runbook."""
    thread = investigating()
    thread = moved(thread, found(thread))
    return moved(thread, validated(thread))


def approved() -> Thread:
    """The reply is being posted."""
    thread = pending()
    return moved(thread, press(Approve, thread))


def in_doubt() -> Thread:
    """The reply may be posted."""
    thread = moved(approved(), DoubtfulPost(at=at(11), fresh=fresh(), settle_at=at(16)))
    return moved(moved(thread, Due(at=at(16), fresh=fresh())), NotFound(at=at(17), fresh=fresh(), is_unread=True))


def replied() -> Thread:
    """The reply is posted."""
    return moved(approved(), Posted(at=at(11), fresh=fresh(), ts="111.000001"))


def failed(*services: str, seconds: float = 20, **changes: Any) -> ServicesFailed:
    """Services failed, too or again."""
    names = services or ("payments",)
    values: dict[str, Any] = {"checks": tuple(result(name) for name in names), "cooldown_state": {}}
    return ServicesFailed(at=at(seconds), fresh=fresh(), services=names, **(values | changes))


def recovered(seconds: float = 30) -> ServicesRecovered:
    """All are healthy."""
    return ServicesRecovered(at=at(seconds), fresh=fresh(), checks=(result(status="healthy"),))


def ended(status: str | None = "healthy", run_id: str = "run1", seconds: float = 25, **changes: Any) -> RunbookEnded:
    """The end of the runbook, with the checks after it."""
    values: dict[str, Any] = {"outcome": "succeeded", "exit_code": 0, "output": "done"} | changes
    checks = (result(status=status),) if status else ()
    return RunbookEnded(at=at(seconds), fresh=fresh(), run_id=run_id, checks=checks, **values)


def approver(thread: Thread, **changes: Any) -> Any:
    """A press on the runbook's button."""
    return press(RunRunbookPressed, thread, **({"by": OPERATOR} | changes))
