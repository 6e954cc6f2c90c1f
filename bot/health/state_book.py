"""State book: the states of all services, in memory and in `services.json`."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.health.cooldowns import snapshot_cooldowns
from bot.decide.health.incidents import list_covered
from bot.decide.health.states import is_unhealthy
from bot.errors import RetryLater
from bot.models.service_state import ServiceState
from bot.triage.saved_facts import read_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from bot.models.check_result import CheckResult
    from bot.models.incident_record import IncidentRecord
    from bot.ports.outbound import Clock, JsonFile

log = logging.getLogger(__name__)

LOST = "The state of health checks"
STARTED_AGAIN = "The checks start again without it."
"""Words of the notice about a file of checks that cannot be read."""
SAVED_EVERY = timedelta(minutes=1)
"""Longest time without a save while no service changes between healthy and unhealthy."""


@dataclass(kw_only=True, repr=False)
class StateBook:
    """States of the services of the settings, by name. `groups` has the group of each service."""

    groups: Mapping[str, str]
    file: JsonFile
    clock: Clock
    tell: Callable[[str], None]
    """Sender of a notice to an admin."""
    cooldown: timedelta
    by_name: dict[str, ServiceState] = field(default_factory=dict)
    _saved_at: datetime | None = None

    async def load(self) -> tuple[ServiceState, ...]:
        """Load the saved states; return all of them, also those of services that the settings no longer have."""
        saved = await read_facts(self.file, ServiceState, self.tell, subject=LOST, consequence=STARTED_AGAIN)
        self.by_name = {
            name: saved[name].evolve(group=group) if name in saved else ServiceState(service=name, group=group)
            for name, group in self.groups.items()
        }
        self._saved_at = self.clock.now()
        return tuple(saved.values())

    async def save(self, *, at_once: bool) -> None:
        """Save the states, if at once or not lately. A failed save is logged, and repeated with the next one."""
        now, last = self.clock.now(), self._saved_at
        if not at_once and last and last <= now < last + SAVED_EVERY:
            return
        self._saved_at = now
        try:
            await self.file.write({name: state.model_dump(mode="json") for name, state in self.by_name.items()})
        except RetryLater as problem:
            self._saved_at = None
            log.warning("the states of services are saved later: %s", problem)

    def set_session(self, group: str, session_id: str | None) -> None:
        """Set the session of a group's present outage."""
        for name, state in self.by_name.items():
            if state.group == group and state.session_id != session_id:
                self.by_name[name] = state.evolve(session_id=session_id)

    def is_failing(self, service: str) -> bool:
        """Return whether the last run of a service was degraded or down."""
        return service in self.by_name and is_unhealthy(self.by_name[service])

    def is_back(self, service: str) -> bool:
        """Return whether a service that failed was healthy in its last two runs; one healthy run is no recovery."""
        state = self.by_name.get(service)
        return state is None or state.healthy_in_row > 1

    def list_with(self, records: Sequence[IncidentRecord]) -> tuple[ServiceState, ...]:
        """Return all states by name, each with the thread and the cooldown of its present or last incident."""
        of_group = {group: record for record in records for group in record.groups if record.thread_id}
        states = (self.by_name[name] for name in sorted(self.by_name))
        return tuple(
            state.evolve(thread_id=record.thread_id, cooldown_until=record.cooldown_until)
            if (record := of_group.get(state.group))
            else state
            for state in states
        )

    def list_checks(self, record: IncidentRecord) -> tuple[CheckResult, ...]:
        """Return the latest results of the services that an incident covers and the settings still have."""
        return tuple(result for state in list_covered(record, self.by_name) for result in state.results)

    def snapshot(self, record: IncidentRecord, records: Sequence[IncidentRecord]) -> dict[str, Any]:
        """Return the cooldowns of the services that an incident covers."""
        return snapshot_cooldowns(list_covered(record, self.by_name), records, self.cooldown, self.clock.now())
