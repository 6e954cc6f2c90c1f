"""Life of a bot that supervises real processes: it can be killed, and another one takes over its home."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.agents.ledger import Ledger
from bot.config.environment import Environment
from bot.config.settings import Settings
from bot.decide.escalation import EscalationPolicy
from bot.decide.redaction.redactor import Redactor
from bot.escalation.ends import EndReader
from bot.escalation.environment import EnvironmentBuilder
from bot.escalation.handoffs import Handoffs
from bot.escalation.money import ProcessMoney
from bot.escalation.progress import ProgressTeller
from bot.escalation.starter import Starter
from bot.escalation.supervisor import Supervisor
from bot.models.escalation import Escalation, TierEnd
from bot.models.handoff import NextTier
from bot.models.session import Session
from bot.models.thread import Thread
from bot.models.thread_event import ThreadEvent, TierProgress
from bot.triage.controls import Controls
from tests.builders import T0, added, moved
from tests.escalation.builders import assignment
from tests.escalation.machine import SECONDS, Machine, until_free
from tests.fakes import HandClock, MemoryKept, MemoryStore, RoundPrices, ignore

POLICY = EscalationPolicy(enabled=True, may_start=frozenset({2, 3}))
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}


class Environments(EnvironmentBuilder):
    """Builder of the stand-in's environment."""

    def build(self, tier: NextTier | None) -> dict[str, str]:
        """Return it."""
        return dict(ENVIRONMENT)


class Queue:
    """`ThreadQueue` that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[ThreadEvent] = []

    def tell(self, thread_id: str, happening: ThreadEvent) -> None:
        """Keep an event."""
        self.events.append(happening)

    def why_held(self, thread: Thread) -> str | None:
        """Nothing waits here."""
        return None

    def state(self) -> str:
        """Nothing is stopped here."""
        return "running"

    @property
    def newest(self) -> TierProgress:
        """The progress told last."""
        event = self.events[-1]
        assert isinstance(event, TierProgress)
        return event


@dataclass
class Life:
    """A bot, and everything that outlives it."""

    machine: Machine
    policy: EscalationPolicy = POLICY
    settings: Settings = field(default_factory=Settings)
    settings_file: Path | None = None
    clock: HandClock = field(default_factory=HandClock)
    store: MemoryStore = field(default_factory=MemoryStore)
    queue: Queue = field(default_factory=Queue)
    _effects: list[asyncio.Task[TierEnd]] = field(default_factory=list)

    async def start(self) -> Life:
        """Begin a bot's life on this home."""
        home = self.machine.home
        self.sessions = SessionFiles(home / "sessions")
        self.ledger = Ledger(
            sessions=self.sessions,
            allowance_file=MemoryKept(),
            prices=RoundPrices(),
            clock=self.clock,
            usd_per_day=20.0,
            tell=ignore,
        )
        await self.ledger.start()
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
        open_runs: dict[str, str] = {}
        money = ProcessMoney(ledger=self.ledger, sessions=self.sessions, settings=self.settings, clock=self.clock)
        ends = EndReader(handoffs=Handoffs(policy=self.policy, clock=self.clock), money=money)
        launcher = self.machine.launcher
        self.supervisor = Supervisor(
            parent=home / "escalations",
            starter=Starter(
                home=home,
                settings_file=self.settings_file,
                settings=self.settings,
                policy=self.policy,
                launcher=launcher,
                money=money,
                ends=ends,
                environments=Environments(settings=self.settings, variables=Environment()),
                clock=self.clock,
                open_runs=open_runs,
            ),
            ends=ends,
            money=money,
            launcher=launcher,
            progress=ProgressTeller(
                threads=self.queue,
                tasks=TaskFolders(home / "tasks"),
                launcher=launcher,
                money=money,
                redactor=Redactor(),
                clock=self.clock,
            ),
            store=self.store,
            controls=self.controls,
            clock=self.clock,
            open_runs=open_runs,
        )
        await self.supervisor.begin()
        return self

    async def kill(self) -> None:
        """End the bot; its processes go on."""
        for effect in self._effects:
            effect.cancel()
        await asyncio.gather(*self._effects, return_exceptions=True)
        self._effects.clear()

    async def restart(self) -> Life:
        """Kill the bot, and begin the next one's life."""
        await self.kill()
        return await self.start()

    def escalate(self, run_id: str = "run1", tier: Any = 2, **changes: Any) -> asyncio.Task[TierEnd]:
        """Begin the effect of an escalated thread."""
        escalation = Escalation(tier=tier, reason="it takes long", decided_at=self.clock.now())
        thread = self.store.saved.get(self.machine.folder().thread_id) or moved(None, added())
        values = {"status": "escalated", "run_id": run_id, "is_escalated": True, "escalation": escalation}
        self.put(thread.evolve(**values | changes))
        return self.resume(run_id)

    def resume(self, run_id: str = "run1") -> asyncio.Task[TierEnd]:
        """Begin the effect of the saved thread, as at a bot's start."""
        thread = self.thread
        self.supervisor._wake.clear()
        effect = asyncio.create_task(self.supervisor.run(thread, run_id, assignment(journal="run.md")))
        self._effects.append(effect)
        return effect

    async def look(self) -> None:
        """Look once the run is watched."""
        await asyncio.wait_for(self.supervisor._wake.wait(), SECONDS)
        await self.supervisor.look()

    async def ended(self) -> TierEnd:
        """Wait for the process of the newest effect, and for what its thread learns."""
        await asyncio.wait_for(self.supervisor._wake.wait(), SECONDS)
        await until_free(self.machine.folder())
        await self.supervisor.look()
        return await within(self._effects[-1])

    @property
    def thread(self) -> Thread:
        """The saved thread."""
        return self.store.saved[self.machine.folder().thread_id]

    async def spend(self, usd: float) -> None:
        """Spend money of the day in a run inside the bot."""
        now = self.clock.now()
        session = Session(
            session_id=f"{now:%Y%m%dT%H%M%S}-inside", agent="chat", model="scripted", started_at=now, saved_at=now
        )
        await self.sessions.save(session.evolve(cost_usd=usd, outcome="answered"))
        await self.restart()

    def put(self, thread: Thread) -> None:
        """Save a thread."""
        self.store.saved[thread.thread_id] = thread

    async def session(self, session_id: str) -> Session:
        """The bot's record of a session."""
        (record,) = await self.sessions.read([session_id])
        return record

    async def tiers(self) -> list[Session]:
        """The bot's records, in order."""
        records = await self.sessions.list_since(T0.date())
        return sorted(records, key=lambda record: (record.started_at, record.tier))


async def within(work: Awaitable[TierEnd]) -> TierEnd:
    """The end of a run, within a time that only a broken test needs."""
    return await asyncio.wait_for(work, SECONDS)
