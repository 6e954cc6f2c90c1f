"""Services, their runs, and incidents, for tests of decisions on health."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.decide.health.incidents import IncidentRules, apply_states
from bot.decide.health.states import apply_run
from bot.models.check_result import CheckResult, ServiceStatus
from bot.models.incident_record import IncidentRecord
from bot.models.service_state import ServiceState
from tests.builders import at

COOLDOWN = timedelta(minutes=30)
STATUSES: dict[str, ServiceStatus] = {"H": "healthy", "D": "degraded", "U": "down"}


def result(service: str = "shop", status: ServiceStatus = "healthy") -> CheckResult:
    """The result of an HTTP check."""
    error = "" if status == "healthy" else "status 500"
    return CheckResult(service=service, check_type="http", status=status, error=error)


def state(service: str = "shop", group: str | None = None) -> ServiceState:
    """A service that was never checked."""
    return ServiceState(service=service, group=group or service)


def after(runs: str, *, service: str = "shop", group: str | None = None, every: float = 60) -> ServiceState:
    """A service after runs of the letters H, D and U, one each minute."""
    made = state(service, group)
    for number, letter in enumerate(runs):
        made = apply_run(made, (result(service, STATUSES[letter]),), at(number * every))
    return made


@dataclass
class Life:
    """Services whose runs are applied one after another, with their incidents."""

    groups: dict[str, str]
    """Group of each service."""
    cooldown: timedelta = COOLDOWN
    may_open: bool = True
    now: float = 0
    records: tuple[IncidentRecord, ...] = ()
    ever: dict[str, IncidentRecord] = field(default_factory=dict)
    """Every incident there was, as it was last."""
    states: dict[str, ServiceState] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with services that were never checked."""
        self.states = {service: state(service, group) for service, group in self.groups.items()}

    @property
    def time(self) -> datetime:
        """The present moment."""
        return at(self.now)

    @property
    def open(self) -> list[IncidentRecord]:
        """The open incidents."""
        return [record for record in self.records if record.is_open]

    def run(self, letter: str, *services: str) -> None:
        """Run the checks of these services, or of all, with this result."""
        for service in services or tuple(self.states):
            results = (result(service, STATUSES[letter]),)
            self.states[service] = apply_run(self.states[service], results, self.time)
            rules = IncidentRules(
                cooldown=self.cooldown,
                window=timedelta(seconds=70),
                may_open=self.may_open,
                new_id=f"incident{len(self.ever)}",
            )
            self.records = apply_states(self.records, self.states, service, self.time, rules)
            self.ever |= {record.incident_id: record for record in self.records}

    def story(self, letters: str, *services: str, every: float = 60) -> None:
        """Run the checks of services once a minute, with these results."""
        for letter in letters:
            self.run(letter, *services)
            self.now += every
