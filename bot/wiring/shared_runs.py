"""Shared runs: the leader's engine and validator, whose work any replica does as jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.agents.job_engine import JobEngine, JobValidator
from bot.agents.jobs import JobRuns, RunCost
from bot.config.limits import validator_limits
from bot.runtime.seats import Seats
from bot.triage.effects import SEATS

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.ports.jobs import JobQueue
    from bot.wiring.infrastructure import Infrastructure


def share_runs(engines: Engines, infra: Infrastructure, queue: JobQueue) -> Engines:
    """Return the engines of a leader."""
    settings, runtime = infra.settings, engines.runtime
    runs = JobRuns(
        queue=queue,
        sessions=infra.storage.sessions(),
        clock=infra.clock,
        ledger=engines.ledger,
        seats=Seats(SEATS),
        is_ending=lambda: infra.draining.is_on or infra.stop.future.done(),
    )
    infra.draining.observers.append(runs.leave)
    if runtime is None or settings.engine == "keyword":
        return replace(engines, engine=JobEngine(name=engines.engine.name, runs=runs, cost=None), jobs=runs)
    investigator = RunCost(agent="investigator", model=settings.investigator.model, usd=runtime.limits.usd)
    limits = validator_limits(runtime.limits)
    validator = RunCost(agent="validator", model=settings.validator_model, usd=limits.usd)
    return replace(
        engines,
        engine=JobEngine(name=engines.engine.name, runs=runs, cost=investigator),
        validator=JobValidator(runs=runs, cost=validator) if engines.validator else None,
        jobs=runs,
    )
