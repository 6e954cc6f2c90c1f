"""Replica: one of several processes on one database. Each takes in what Slack delivers; one of them leads.

The leader acts on what all have taken in. When it is silent, another one leads: it builds its bot from the database as
an embedded bot does from its files at a start. The former leader, if it still runs, can save and post nothing, and
begins again as a standby.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.adapters.listeners import Handlers
from bot.adapters.listeners.delivered import DeliveredListeners
from bot.adapters.listeners.relayed import AnyRoot, RelayedPayloads, RelayedSignals
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.deliveries import StoredDeliveries
from bot.adapters.postgresql.jobs import StoredJobs
from bot.adapters.postgresql.leadership import Leadership
from bot.models.health import Health
from bot.runtime.acks import PendingAcks
from bot.runtime.background_tasks import BackgroundTasks
from bot.runtime.draining import Draining
from bot.runtime.stop_request import StopRequest
from bot.wiring.postgresql_storage import open_postgresql
from bot.wiring.slack_connection import connect_slack

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.adapters.home import Home
    from bot.adapters.listeners import Listeners
    from bot.adapters.slack import Identity
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.errors import Fenced
    from bot.models.address import ListenAddress
    from bot.ports.deliveries import DeliveryQueue
    from bot.ports.jobs import JobQueue
    from bot.ports.storage import Storage

log = logging.getLogger(__name__)

_INTAKE_CONNECTIONS = 3
"""Connections of the intake: deliveries are stored in turn, and the leader reads and marks them beside."""
_HEALTH_EVERY = 10.0
"""Seconds between two reports of a standby's health; a leader's bot reports itself."""


@dataclass(frozen=True, kw_only=True)
class Leading:
    """What a leader has in place of an embedded bot's own listeners."""

    listeners: DeliveredListeners
    lease: Leadership
    jobs: JobQueue


@dataclass(kw_only=True)
class Intake:
    """Intake of one replica, from `begin` to `close`."""

    queue: DeliveryQueue
    listeners: Listeners
    identity: Identity
    stop: StopRequest
    """Asked when a part of it broke."""
    tasks: BackgroundTasks
    acks: PendingAcks = field(default_factory=PendingAcks)
    draining: Draining = field(default_factory=Draining)

    async def begin(self) -> None:
        """Store what Slack delivers from now on. Raises `Misconfigured` as an embedded bot does."""
        signals = RelayedSignals(self.queue, self.tasks)
        await self.listeners.connect(
            Handlers(
                payloads=RelayedPayloads(self.queue),
                catch_ups=signals,
                access=signals,
                acks=self.acks,
                draining=self.draining,
                tasks=AnyRoot(),
            )
        )

    async def close(self) -> None:
        """Take nothing in any more."""
        self.draining.begin()
        await self.listeners.close()
        await self.tasks.cancel()


@dataclass(kw_only=True)
class Replica:
    """This process among the replicas. `storage` saves under the lease only."""

    intake: Intake
    lease: Leadership
    storage: Storage
    jobs: JobQueue
    lost: asyncio.Future[Fenced]
    """Set when another replica leads; this process then begins again."""

    async def wait_to_lead(self, home: Home) -> bool:
        """Stand by until this replica leads; meanwhile `triage alive` sees its intake."""
        reporting = asyncio.create_task(self._report_health(home), name="health of a standby")
        leads = asyncio.create_task(self.lease.acquire(), name="lease")
        try:
            await asyncio.to_thread(_load_bot)
            await leads
        finally:
            for task in (reporting, leads):
                task.cancel()
            await asyncio.gather(reporting, leads, return_exceptions=True)
        return True

    async def _report_health(self, home: Home) -> None:
        while True:
            health = Health(
                at=SystemClock().now(),
                pid=os.getpid(),
                connected=await self.intake.listeners.connected(),
                role="standby",
                is_database_away=not self.lease.is_answered,
            )
            try:
                await asyncio.to_thread(home.write_health, health)
            except OSError as problem:
                log.warning("no word of health could be left: %s", problem.strerror)
            await asyncio.sleep(_HEALTH_EVERY)

    def build_leading(self) -> Leading:
        """Build what the leader's bot takes in place of listeners of its own."""
        intake = self.intake
        own, is_connected = intake.identity.user_id, intake.listeners.connected
        return Leading(
            listeners=DeliveredListeners(intake.queue, own_user=own, is_connected=is_connected),
            lease=self.lease,
            jobs=self.jobs,
        )


def _load_bot() -> None:
    """Import everything of a bot, so that a take-over need not wait for it."""
    import bot.wiring.app  # noqa: F401  # loaded beforehand


@asynccontextmanager
async def open_replica(
    settings: Settings, environment: Environment, home: Home, *, redactor: Redactor, http: ListenAddress | None
) -> AsyncIterator[Replica]:
    """Open the database and the intake of this process until the end of the block, then give up the lease.

    Raises `Misconfigured` if the database cannot be used, or lacks migrations.
    """
    lost: asyncio.Future[Fenced] = asyncio.get_running_loop().create_future()
    lease = Leadership(environment.database_address or "", on_lost=lost.set_result)
    runs = settings.escalation.transcript_dir
    async with (
        open_postgresql(environment.database_address, home.path, runs, fence=lease, writes=True) as storage,
        _open_intake(environment.database_address, lease) as queue,
    ):
        slack = await connect_slack(settings, environment, SystemClock(), redactor, http)
        stop = StopRequest()
        intake = Intake(
            queue=queue, listeners=slack.listeners, identity=slack.identity, stop=stop, tasks=BackgroundTasks(stop)
        )
        try:
            await intake.begin()
            yield Replica(intake=intake, lease=lease, storage=storage, jobs=StoredJobs(storage.database), lost=lost)
        finally:
            await intake.close()
            await lease.release()


@asynccontextmanager
async def _open_intake(address: str | None, lease: Leadership) -> AsyncIterator[StoredDeliveries]:
    """Open the queue of deliveries on connections of its own: no ack waits behind the leader's work."""
    database = Database(address, clock=SystemClock(), fence=lease, size=_INTAKE_CONNECTIONS)
    await database.open()
    queue = StoredDeliveries(database, origin=lease.holder)
    try:
        yield queue
    finally:
        await queue.close()
        await database.close()
