"""Services: their checks on schedule and on demand, and the way from results to incidents."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bot.decide.health.incidents import IncidentRules, apply_states, end_removed, find_open
from bot.decide.health.states import apply_run, find_worst, is_unhealthy, list_changes
from bot.errors import TriageError
from bot.health.lost_incidents import rebuild_records
from bot.models.incident import SEVERAL_GROUPS
from bot.runtime.intervals import IntervalFigures, IntervalJob, run_intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.config.sections.health import HealthSection
    from bot.health.incident_book import IncidentBook
    from bot.health.incident_threads import IncidentThreads
    from bot.health.outages import Outages
    from bot.health.state_book import StateBook
    from bot.models.check_result import CheckResult
    from bot.models.service_state import ServiceState
    from bot.ports.health import ServiceChecks
    from bot.ports.hooks import ServiceObserver
    from bot.ports.outbound import Clock, Journal

log = logging.getLogger(__name__)


_LONGEST_WINDOW = 600.0
"""Longest interval in seconds over which failures of many groups count as one."""
_OPENED_WITHIN = 20.0
"""Seconds of a start that may pass until a message of the process before has its thread."""


@dataclass(kw_only=True, repr=False)
class Services:
    """All services of the settings (the port `ServiceHealth`)."""

    section: HealthSection
    checks: ServiceChecks
    states: StateBook
    book: IncidentBook
    outages: Outages
    threads: IncidentThreads
    history: Journal
    """Changes of status."""
    clock: Clock
    on_change: Callable[[], None] = lambda: None
    """Receives the news that the status of a service changed."""
    observers: list[ServiceObserver] = field(default_factory=list)
    """Told of each service that turns unhealthy, and at the start of those that are."""
    was_used: bool = False
    """True if an earlier process has left states of services."""
    has_no_records: bool = False
    """True if states of services are saved, and no records of incidents: the first start, or a crash after a loss."""
    figures: IntervalFigures = field(default_factory=IntervalFigures)
    """Number of runs, and the latest start."""
    _is_begun: bool = False

    @property
    def is_used(self) -> bool:
        """Return whether there are services to check, or were."""
        return self.was_used or bool(self.section.services)

    def list_states(self) -> tuple[ServiceState, ...]:
        """Return the state of every service of the settings, by name."""
        return self.states.list_with(self.book.records)

    async def check_again(self, group: str) -> tuple[CheckResult, ...]:
        """Make every check of a group now; return the results. Empty if the settings no longer have the group, or if a
        check cannot be made and the others are healthy."""
        services = self._list_services(group)
        results = [result for each in await asyncio.gather(*map(self.check, services)) for result in each]
        is_incomplete = any(self.checks.list_faults(service) for service in services)
        return () if is_incomplete and find_worst(results) == "healthy" else tuple(results)

    @property
    def _window(self) -> timedelta:
        """Return the time within which failures of many groups count as one: the longest interval, and a timeout."""
        longest = max((each.interval_s or self.section.interval_s for each in self.section.services), default=0.0)
        return timedelta(seconds=min(longest, _LONGEST_WINDOW) + self.section.timeout_s)

    async def begin(self) -> None:
        """Load the saved states; incidents of services that the settings no longer have are over."""
        if not self.is_used:
            return
        saved = await self.states.load()
        await self.book.load()
        if self.book.is_lost or self.has_no_records:
            await self._restore_records()
        await self.outages.load(saved, self.states.groups)
        for group in {*self.states.groups.values()}:
            self.states.set_session(group, self.outages.find(group))
        self.book.replace(end_removed(self.book.records, self.states.by_name, self.clock.now()))
        self._is_begun = True
        for state in self.states.by_name.values():
            self._tell_observers(state)
        if any(record.facts for record in self.book.records):  # before a reply below that message can arrive
            with suppress(TimeoutError):
                async with asyncio.timeout(_OPENED_WITHIN):
                    await self.threads.settle()

    async def _restore_records(self) -> None:
        """Rebuild the records of incidents, so that their threads are continued; a failed save is repeated."""
        cooldown, now = self.states.cooldown, self.clock.now()
        records = await rebuild_records(self.threads.store, self.states.groups, cooldown=cooldown, now=now)
        self.book.restore(records)
        await self.threads.book.try_save()

    async def run(self) -> None:
        """Check each service in its interval, and keep the threads of incidents up to date, until cancelled."""
        default = self.section.interval_s
        jobs = [
            IntervalJob(
                f"check {service.name}",
                service.interval_s or default,
                partial(self._run_check, service.name),
                slot=service.slot,
            )
            for service in self.section.services
        ]
        async with asyncio.TaskGroup() as group:
            group.create_task(self.threads.run(), name="incidents")
            if jobs:
                group.create_task(run_intervals(jobs, clock=self.clock, figures=self.figures), name="checks")

    async def stop(self) -> None:
        """Save the states; nothing may run any more."""
        await self.checks.close()
        if self._is_begun:
            await self.states.save(at_once=True)
            await self.outages.save(is_last=True)
            await self.threads.book.try_save()
        await self.history.close()

    async def check(self, service: str) -> tuple[CheckResult, ...]:
        """Make the checks of a service, and apply their results."""
        results = await self.checks.check(service)
        if before := self._note_faults(service):
            is_partial = before.unchecked and is_unhealthy(before) and find_worst(results) == "healthy"
            if results and not is_partial:  # the check that failed may be one that cannot be made now
                after = self._apply(before, results)
                await self._save(before, after)
        return results

    def _note_faults(self, service: str) -> ServiceState | None:
        """Note the checks that could not be made; return the state of the service, if the settings have it."""
        state, faults = self.states.by_name.get(service), self.checks.list_faults(service)
        if state and state.unchecked != faults:
            state = self.states.by_name[service] = state.evolve(unchecked=faults)
            self.on_change()
        return state

    async def _run_check(self, service: str) -> None:
        await self.check(service)

    def _apply(self, before: ServiceState, results: tuple[CheckResult, ...]) -> ServiceState:
        """Apply the results of a run, without waiting for anything; return the state after it."""
        now, name, group = self.clock.now(), before.service, before.group
        after = self.states.by_name[name] = apply_run(before, results, now)
        self.outages.count(group, is_unhealthy=is_unhealthy(after))
        self.states.set_session(group, self.outages.find(group))
        rules = IncidentRules(
            cooldown=self.states.cooldown,
            window=self._window,
            may_open=self.threads.may_open(),
            new_id=self.clock.new_id(),
        )
        self.book.replace(apply_states(self.book.records, self.states.by_name, name, now, rules))
        self._end_outage(group)
        return self.states.by_name[name]

    def _end_outage(self, group: str) -> None:
        """End the outage of a group that is healthy again."""
        if self.outages.find(group) is None or find_open(self.book.records, group):
            return
        states = (self.states.by_name[name] for name in self._list_services(group))
        if all(state.healthy_in_row != 1 and not is_unhealthy(state) for state in states):
            self.outages.end(group)
            self.states.set_session(group, None)

    async def _save(self, before: ServiceState, after: ServiceState) -> None:
        await self.outages.save()
        is_turn = is_unhealthy(before) != is_unhealthy(after) or before.session_id != after.session_id
        await self.states.save(at_once=is_turn)
        if before.status != after.status:
            self.on_change()
        if not is_unhealthy(before):
            self._tell_observers(after)
        for result in list_changes(before, after):
            log.info("%s: %s, %s check %s", result.service, result.status, result.check_type, result.error)
            record = result.model_dump(mode="json", exclude={"response_time_ms"})
            state = {"service_status": after.status, "at": self.clock.now().isoformat()}
            try:
                await self.history.append(record | state)
            except TriageError as problem:
                log.warning("a change of status is not in the history: %s", problem)

    def _tell_observers(self, state: ServiceState) -> None:
        """Tell the observers of a service that is not healthy."""
        for observer in self.observers if is_unhealthy(state) else ():
            observer.note_service(state)

    def _list_services(self, group: str) -> Sequence[str]:
        if group == SEVERAL_GROUPS:
            records = [record for record in self.book.records if record.group == group]
            records = [record for record in records if record.is_open] or records
            return [name for record in records for name in record.services if name in self.states.by_name]
        return [name for name, own in self.states.groups.items() if own == group]
