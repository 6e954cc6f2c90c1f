"""Incident: services of one group that are not healthy, in the document of the thread that was opened for them.

Facts come from checks by code only; an agent's part is a proposed runbook, and a person decides on it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt

from bot.models.check_result import CheckResult
from bot.models.fact import Fact
from bot.models.program_run import ProgramOutcome
from bot.models.session import SessionId

RemedyState = Literal["proposed", "approved", "ended", "refused", "expired"]
"""`approved`: an operator has pressed, so that it runs, or is about to."""

SEVERAL_GROUPS = "several groups"
"""Group of an incident of many groups at once; no group of the settings can have this name."""


class ProposedRunbook(Fact):
    """Proposal of an agent to run a runbook, by its name in the settings."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    reason: Annotated[str, Field(min_length=1, max_length=500)]


class Remedy(Fact):
    """Proposed runbook, and its way to an end."""

    runbook: str
    argv: tuple[str, ...]
    """Program with its arguments, as shown on the card; run only while the settings say the same."""
    reason: str
    """The agent's reason, redacted."""
    tier: Literal[1, 2, 3]
    """Tier of the agent that proposed it."""
    timeout_s: float = 60
    """Seconds until it is ended, as shown on the card."""
    proposed_at: datetime
    state: RemedyState = "proposed"
    first_by: str | None = None
    """The first of two people who must approve; `None` before, or where one is enough."""
    first_at: datetime | None = None
    decided_by: str | None = None
    """The operator who pressed; `None` before that, or if nobody did."""
    decided_at: datetime | None = None
    why: str = ""
    """The reason why it was refused, in a plain clause; empty if it was not."""
    run_id: str | None = None
    """Id of its one run, from the press on; also the name of its folder."""
    outcome: ProgramOutcome | None = None
    exit_code: int | None = None
    duration_ms: NonNegativeInt = 0
    output: str = ""
    """The end of its output, redacted."""
    problem: str = ""
    """The reason why it did not start, or why its end is unknown, in a plain sentence."""
    is_healthy_after: bool | None = None
    """Result of the checks after its end; `None` before them."""


class RecoveryLine(Fact):
    """The line in the thread that says that all is healthy again, and its way to Slack."""

    at: datetime
    failures: int
    """Number of the outage that ended."""
    is_begun: bool = False
    """True if Slack may have been asked to post it: after a crash it is looked up in the thread."""
    is_done: bool = False
    """True if it is in the thread, or will not be posted."""


class Incident(Fact):
    """Services of a group that were unhealthy twice in a row, until all of them are healthy again."""

    incident_id: str
    """Id in the metadata of its first message, by which that message is found again."""
    group: str
    services: Annotated[tuple[str, ...], Field(min_length=1)]
    """The unhealthy services, as they failed; those that recovered stay until all have."""
    since: datetime
    """Time of the first unhealthy check."""
    checks: Annotated[tuple[CheckResult, ...], Field(min_length=1)]
    """The latest result of each check of the group."""
    checked_at: datetime
    """Time at which they were recorded: those of later runs are, too, once a service fails or is healthy again."""
    failed_checks: tuple[CheckResult, ...] = ()
    """The failing results before its last recovery: what its message says of the outage afterwards."""
    cooldown_state: dict[str, Any] = Field(default_factory=dict)
    """Snapshot of the cooldowns, by service (spec 3)."""
    session_id: SessionId | None = None
    """Session of tier 1: the check run that was unhealthy."""
    failures: int = 1
    """Number of outages of this thread: more than one if it recovered and failed again within its cooldown."""
    question_round: int = 1
    """Number of the thread's question that is about it; people may ask further questions in the thread."""
    was_down: bool = False
    """True if a service was down in an earlier record of this outage, not only degraded."""
    is_unasked: bool = False
    """True if no question is about its present outage yet, since a reply of the thread is on its way."""
    recovered_at: datetime | None = None
    """Time at which it ended: all were healthy again, or no longer checked; `None` before."""
    unchecked: tuple[str, ...] = ()
    """Services that changed settings took out of its checks before it ended; nobody knows that they are healthy."""
    remedies: tuple[Remedy, ...] = ()
    """Proposed runbooks, oldest first."""
    next_tier: Literal[2, 3] | None = None
    """Tier that goes on once the proposed runbook has ended, or was refused or has expired; `None` for none."""
    next_reason: str = ""
    """The reason for that tier, as a clause without a full stop."""
    recovery: RecoveryLine | None = None
    """The line about its last recovery."""
    revision: int = 1
    """Incremented with every change visible in its message."""
    shown: int = 0
    """Revision that its message in Slack shows."""

    @property
    def proposal(self) -> Remedy | None:
        """Return the newest remedy if it waits for a decision, runs, or is about to."""
        last = self.remedies[-1] if self.remedies else None
        return last if last and last.state in ("proposed", "approved") else None

    @property
    def has_been_down(self) -> bool:
        """Return whether a service was down in this outage, as far as it was recorded, not only degraded."""
        return self.was_down or any(check.status == "down" for check in self.checks)

    @property
    def failing_checks(self) -> tuple[CheckResult, ...]:
        """Return the results that are not healthy."""
        return tuple(check for check in self.checks if check.status != "healthy")

    @property
    def failing_services(self) -> tuple[str, ...]:
        """Return the services with a check that is not healthy."""
        return tuple(dict.fromkeys(check.service for check in self.failing_checks))

    @property
    def is_narrowed(self) -> bool:
        """Return whether of many groups that failed at once at most half of the services are still failing."""
        is_several = self.group == SEVERAL_GROUPS and not self.is_over
        return is_several and 0 < 2 * len(self.failing_services) <= len(self.services)

    @property
    def waits_for_press(self) -> bool:
        """Return whether a proposed runbook waits for a decision."""
        return self.proposal is not None and self.proposal.state == "proposed"

    @property
    def is_remedied(self) -> bool:
        """Return whether an approved runbook runs, or is about to."""
        return self.proposal is not None and self.proposal.state == "approved"

    @property
    def last_run(self) -> Remedy | None:
        """Return the newest remedy of this outage that somebody approved, whether it has ended or not."""
        own = (remedy for remedy in reversed(self.remedies) if remedy.run_id and remedy.proposed_at >= self.since)
        return next(own, None)

    def was_started(self, runbook: str) -> bool:
        """Return whether a runbook was approved in this outage, unless it is known that it did not start."""
        own = (each for each in self.remedies if each.runbook == runbook and each.proposed_at >= self.since)
        return any(each.run_id and each.outcome != "not-started" for each in own)

    @property
    def last_attempt(self) -> Remedy | None:
        """Return the newest remedy if it has ended while the outage goes on: it did not help, or did not start."""
        last = self.remedies[-1] if self.remedies else None
        return last if last and last.state == "ended" and last.proposed_at >= self.since and not self.is_over else None

    @property
    def lacks_remedy(self) -> bool:
        """Return whether the newest remedy neither waits for a decision nor runs while the outage goes on."""
        return bool(self.remedies) and self.proposal is None and not self.is_over

    @property
    def is_over(self) -> bool:
        """Return whether all its services are healthy again, or no longer checked."""
        return self.recovered_at is not None

    @property
    def healthy_again(self) -> tuple[str, ...]:
        """Return the services that are healthy again, once it is over."""
        return tuple(name for name in self.services if name not in self.unchecked) if self.is_over else ()

    @property
    def is_behind(self) -> bool:
        """Return whether its message does not show this revision."""
        return self.shown < self.revision
