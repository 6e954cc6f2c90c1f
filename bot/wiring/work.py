"""Work: a process's share of the investigations that replicas do as jobs, with the code of its own machine."""

from __future__ import annotations

import asyncio
import logging
import math
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.job_claims import StoredClaims
from bot.adapters.postgresql.worker_beat import WorkerBeat
from bot.adapters.prices import PriceTable
from bot.agents.job_runner import JobRunner
from bot.agents.job_worker import JobWorker
from bot.tools.trees import pin_tree
from bot.triage.created_projects import load_projects
from bot.wiring.engines import build_engines
from bot.wiring.infrastructure import load_code
from bot.wiring.postgresql_storage import open_postgresql

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.adapters.home import Home
    from bot.agents.engines import Engines
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.models.project import Project
    from bot.ports.storage import Storage
    from bot.runtime.workers import Workers

log = logging.getLogger(__name__)

_CONNECTIONS = 4
_FETCHES_LOOKED_AT_EVERY = 15.0
_NOTES_EVERY = 60.0
"""Seconds for which this machine's copies of notes count as up to date."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """An open worker. `storage` is its own, and so is `beat`, its heartbeat."""

    worker: JobWorker
    engines: Engines
    storage: Storage
    beat: WorkerBeat

    async def run(self) -> None:
        """Claim and run jobs until cancelled."""
        self.engines.warm_up()
        if self.engines.runtime:
            await self.engines.runtime.load_prices()
        await self.worker.run()


@asynccontextmanager
async def open_worker(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    redactor: Redactor,
    searches: Workers | None,
    seats: int,
) -> AsyncIterator[Work]:
    """Open a worker with so many seats; at the end of the block its jobs go back to the queue.

    It has a pool of its own, whose writes are no leader's, and which waits for a server that is away. Raises
    `Misconfigured`.
    """
    clock, runs = SystemClock(), settings.escalation.transcript_dir
    opening = open_postgresql(
        environment.database_address, home.path, runs, writes=True, size=_CONNECTIONS, patience=math.inf
    )
    async with opening as storage:
        engines = build_engines(
            settings,
            environment,
            home,
            storage,
            clock=clock,
            redactor=redactor,
            replies=storage.journal("replies", None),
            tell=lambda line: log.warning("%s", line),
            workers=searches,
        )
        beat = WorkerBeat(storage.database.address, seats)
        claims = StoredClaims(storage.database, beat)
        runner = JobRunner(
            engines=engines,
            claims=claims,
            prices=PriceTable(),
            allowance_file=storage.json_file("allowance"),
            clock=clock,
            read_projects=MachineProjects(settings=settings, home=home, storage=storage).read,
        )
        worker = JobWorker(claims, runner.run, seats=seats)
        try:
            yield Work(worker=worker, engines=engines, storage=storage, beat=beat)
        finally:
            await worker.close()
            await engines.close()


async def keep_code(settings: Settings, home: Home, storage: Storage, has_code: asyncio.Event) -> None:
    """Fetch the projects' code until cancelled, on a machine whose process does not lead.

    `has_code` is set once it is there, or another part of this process fetches it. Raises `Misconfigured` if it is not
    to be had.
    """
    try:
        code = await load_code(settings, home, storage, SystemClock())
    except asyncio.CancelledError:
        has_code.set()
        raise
    has_code.set()
    repositories, fetched_at = code.repositories, dict[str, float]()
    await repositories.fetch_missing()
    try:
        while True:
            now = asyncio.get_running_loop().time()
            for name, every in repositories.intervals.items():
                if now - fetched_at.setdefault(name, now) >= every.total_seconds():
                    fetched_at[name] = now
                    await repositories.fetch_soon(name)
            await asyncio.sleep(_FETCHES_LOOKED_AT_EVERY)
    finally:
        await repositories.stop()


@dataclass(kw_only=True)
class MachineProjects:
    """Projects as this machine has them."""

    settings: Settings
    home: Home
    storage: Storage
    _copied_at: float = -math.inf
    _copying: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self) -> dict[str, Project]:
        """Return the projects of the settings and of commands by name, each with its present tree and notes."""
        async with self._copying:
            now = asyncio.get_running_loop().time()
            if now - self._copied_at > _NOTES_EVERY:
                await self.storage.begin()
                self._copied_at = now
        projects, problem = await load_projects(self.settings, self.home.path, self.storage.json_file("projects"))
        if problem:
            log.warning("projects of commands are left out: %s", problem)
        return {project.name: pin_tree(project) for project in projects.list_all()}
