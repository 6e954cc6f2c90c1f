"""Probes of a process: whether it works, whether it takes work, and its figures."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from bot.models.process_figures import Agent, Histogram, JobFigures, ProcessFigures
from bot.models.status import WORKED_ON, Status
from bot.runtime.durations import Durations
from bot.runtime.loop_lateness import LoopLateness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from bot.adapters.home import Home
    from bot.agents.jobs import JobRuns
    from bot.ports.deliveries import DatabaseLease
    from bot.wiring.lifecycle import Bot
    from bot.wiring.replica import Intake


LATE = 5.0
"""Seconds of lateness from which the event loop counts as stuck."""
_AGENTS: tuple[Agent, ...] = get_args(Agent)
_OPEN: tuple[Status, ...] = tuple(status for status in get_args(Status) if status != "closed")
_WAITING: tuple[Status, ...] = ("collecting", *(status for status in WORKED_ON if status != "escalated"))
"""Statuses of questions that wait for a draft of tier 1; longer runs take their time."""


@dataclass(kw_only=True)
class Probes:
    """Probes of this process (`ProbesPort`); `home` is its own."""

    home: Home
    lateness: LoopLateness = field(default_factory=LoopLateness)
    bot: Bot | None = None
    """`None` until it has started, and for a standby."""
    intake: Intake | None = None
    """Intake of a replica; `None` for an embedded bot."""
    lease: DatabaseLease | None = None
    """Lease of a replica, which knows whether its database answers."""
    works: bool = False
    """True for a process that only does jobs, and needs no Slack."""
    port: int = 0
    """Port on which they are served; 0 where they are not."""

    def find_fault(self) -> str:
        """Return why the process should be started again; empty if it works."""
        late = self._read_lateness()
        return f"the event loop is {late:.1f} s late" if late > LATE else ""

    async def find_obstacle(self) -> str:
        """Return why nothing should be sent to it now; empty if it takes work."""
        if self.lease and not self.lease.is_answered:
            return "the database does not answer"
        if self.bot is None and self.intake and not self.intake.draining.is_on:
            return "" if await self.intake.listeners.connected() else "not connected to Slack"
        if self.works:
            return ""
        if self.bot is None:
            return "starting"
        if self.bot.core.stop.future.done():
            return "ending after an error"
        if self.bot.core.draining.is_on:
            return "draining"
        if not self.home.is_owned:
            return "the home is not this process's any more"
        if not await self.bot.core.listeners.connected():
            return "not connected to Slack"
        return ""

    async def read_figures(self) -> ProcessFigures | None:
        """Return its figures; `None` until it has started. A process that does not lead has few."""
        if (bot := self.bot) is None:
            return await self._read_few_figures() if self.intake or self.works else None
        core, open_threads, ledger = bot.core, bot.core.orchestrator.open_threads, bot.engines.ledger
        counts = open_threads.counts()
        oldest = open_threads.oldest(*_WAITING)
        return ProcessFigures(
            open_threads={status: counts[status] for status in _OPEN},
            cards_waiting=open_threads.cards_waiting,
            waiting={
                "events": core.listeners.waiting,
                "questions": sum(counts[status] for status in _WAITING),
                "limited": open_threads.waiting,
                "turns": bot.conversations.waiting,
            },
            oldest_seconds=max(0.0, (core.clock.now() - oldest).total_seconds()) if oldest else 0.0,
            effects=bot.effects.ended,
            replies_posted=bot.effects.replies_posted,
            acks=_read_durations((self.intake or core).acks.durations),
            usd_today=add_up_agents(ledger.usd_by_agent) if ledger else {},
            usd_cap=ledger.cap if ledger else None,
            connected=await core.listeners.connected(),
            loop_late_seconds=self._read_lateness(),
            jobs=await _read_jobs(bot.engines.jobs) if bot.engines.jobs else None,
        )

    async def _read_few_figures(self) -> ProcessFigures:
        return ProcessFigures(
            open_threads={},
            cards_waiting=0,
            waiting={},
            oldest_seconds=0.0,
            effects={},
            replies_posted=0,
            acks=_read_durations(self.intake.acks.durations if self.intake else Durations()),
            usd_today={},
            usd_cap=None,
            connected=self.intake is not None and await self.intake.listeners.connected(),
            loop_late_seconds=self._read_lateness(),
        )

    def _read_lateness(self) -> float:
        return max(0.0, self.lateness.seconds(asyncio.get_running_loop().time()))


@asynccontextmanager
async def serve_probes(home: Home, host: str, port: int) -> AsyncIterator[Probes]:
    """Serve the probes of this process during the block; not without a host, and nothing of it is imported then.

    Raises `Misconfigured` when the port is taken, or the address is not to be had.
    """
    probes = Probes(home=home)
    if not host:
        yield probes
        return
    from bot.adapters.listeners.health_port import HealthPort

    server = HealthPort(probes, host=host, port=port)
    await server.open()
    probes.port = server.port
    measuring = asyncio.create_task(probes.lateness.run(), name="lateness of the event loop")
    try:
        yield probes
    finally:
        measuring.cancel()
        await server.close()


def add_up_agents(usd_by_agent: Mapping[str, float]) -> dict[Agent, float]:
    """Return the costs of the known agents, with those of all others as one."""
    known = {agent: usd_by_agent.get(agent, 0.0) for agent in _AGENTS}
    return {**known, "other": round(sum(usd_by_agent.values()) - sum(known.values()) + known["other"], 6)}


async def _read_jobs(jobs: JobRuns) -> JobFigures:
    counts = await jobs.queue.count()
    return JobFigures(
        waiting=counts.waiting, running=counts.running, oldest_seconds=counts.oldest_seconds, ended=dict(jobs.ended)
    )


def _read_durations(durations: Durations) -> Histogram:
    return Histogram(bounds=durations.bounds, counts=tuple(durations.counts), total=durations.total)
