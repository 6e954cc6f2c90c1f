"""Outages of services in a period, from the history of changes and the present states; the brief lists them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blocks.queue import message_link
from blocks.session_chain import format_duration
from blocks.text import clip, escape, moment
from bot.models.session import CHECKS_AGENT
from bot.reports.minutes import read_moment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
    from datetime import datetime

    from bot.decide.redaction.redactor import Redactor
    from bot.models.check_result import ServiceStatus
    from bot.models.service_state import ServiceState
    from bot.models.session import Session
    from bot.models.thread import Thread
    from bot.ports.health import ServiceHealth
    from bot.ports.outbound import Journal

_ERROR = 120


@dataclass(frozen=True, kw_only=True)
class Outage:
    """Time in which a service was not healthy."""

    service: str
    began: datetime
    ended: datetime | None = None
    """`None` if it is not over."""
    status: ServiceStatus
    """Its worst status."""
    error: str = ""
    """The first reason."""


@dataclass(frozen=True, kw_only=True)
class OutageReader:
    """Reader of outages."""

    history: Journal
    health: ServiceHealth
    redactor: Redactor

    async def read(self, since: datetime) -> tuple[Outage, ...]:
        """Return the outages that are not over or ended since, those that are not over first, then the longest."""
        outages = [outage async for outage in self._read_all()]
        relevant = [outage for outage in outages if outage.ended is None or outage.ended >= since]
        safe = [replace(outage, error=self.redactor.redact(outage.error)) for outage in relevant]
        return tuple(sorted(safe, key=lambda outage: (outage.ended is not None, outage.began)))

    async def _read_all(self) -> AsyncIterator[Outage]:
        """Yield every outage of the history; the present states decide which of them are over."""
        states = {state.service: state for state in self.health.list_states()}
        open_outages: dict[str, Outage] = {}
        async for record in self.history.records():
            if outage := _apply(open_outages, record):
                yield outage
        for state in states.values():
            if outage := _compare(open_outages.get(state.service), state):
                yield outage


def find_threads(sessions: Iterable[Session]) -> tuple[str, ...]:
    """Return the threads that were opened for outages, by their sessions."""
    threads = (session.thread_id for session in sessions if session.agent == CHECKS_AGENT)
    return tuple(dict.fromkeys(filter(None, threads)))


def describe_outages(outages: Sequence[Outage], threads: Sequence[Thread], until: datetime, url: str) -> Iterator[str]:
    """Yield a row for each service, as mrkdwn, with a link to its incident."""
    by_service: dict[str, list[Outage]] = {}
    for outage in outages:
        by_service.setdefault(outage.service, []).append(outage)
    for service, own in by_service.items():
        yield f"{_describe(service, own, until)}{_link(service, threads, url)}"


def _describe(service: str, outages: list[Outage], until: datetime) -> str:
    name, last = f"*{escape(service)}*", max(outages, key=lambda outage: outage.began)
    words = escape(clip(" ".join(last.error.split()), _ERROR))
    reason = f": {words}" if words else ""
    total = sum((((each.ended or until) - each.began) for each in outages), timedelta())
    length = format_duration(total.total_seconds() * 1000)
    times = f" Outages: {len(outages)}, {length} in all." if len(outages) > 1 else ""
    if last.ended is None:
        age = format_duration((until - last.began).total_seconds() * 1000)
        return f"{name} is {last.status} since {moment(last.began)}, for {age}{reason}.{times}"
    if times:
        return (
            f"{name} is healthy again since {moment(last.ended)}.{times}{f' The last one: {words}.' if words else ''}"
        )
    return f"{name} was {last.status} for {length}, until {moment(last.ended)}{reason}. Healthy again."


def _link(service: str, threads: Sequence[Thread], url: str) -> str:
    own = (thread for thread in reversed(threads) if thread.incident and service in thread.incident.services)
    thread = next(own, None)
    return f" <{message_link(url, thread.chat_id, thread.original_message_id)}|Incident>" if thread else ""


def _apply(open_outages: dict[str, Outage], record: dict[str, Any]) -> Outage | None:
    """Apply a change of status; return the outage that it ends."""
    at = read_moment(record.get("at"))
    match record:
        case {"service": str(service), "service_status": "healthy"} if at and service in open_outages:
            return replace(open_outages.pop(service), ended=at)
        case {"service": str(service), "service_status": "down" | "degraded" as status, "error": str(error)} if at:
            first = open_outages.get(service)
            outage = first or Outage(service=service, began=at, status=status, error=error)
            worst: ServiceStatus = "down" if "down" in (outage.status, status) else "degraded"
            open_outages[service] = replace(outage, status=worst, error=outage.error or error)
    return None


def _compare(outage: Outage | None, state: ServiceState) -> Outage | None:
    """Return an outage without an end in the history, as the present state says; `None` without one."""
    if state.status is None or state.since is None:
        return None
    if state.status == "healthy":
        return replace(outage, ended=max(state.since, outage.began)) if outage else None
    reason = next((check.error for check in state.results if check.status != "healthy"), "")
    return outage or Outage(service=state.service, began=state.since, status=state.status, error=reason)
