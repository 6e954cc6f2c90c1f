"""Bench for services: a home on disk, a channel in memory, and a bot that may die and come back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from blocks.incident import INCIDENT
from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.adapters.journal import NdjsonJournal
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.sessions import SessionFiles
from bot.config.sections.health import HealthSection
from bot.decide.redaction.redactor import Redactor
from bot.health.incident_book import build_incident_book
from bot.health.incident_threads import IncidentThreads
from bot.health.outages import Outages
from bot.health.refusal_notices import RefusalNotices
from bot.health.services import Services
from bot.health.state_book import StateBook
from bot.models.check_result import CheckResult, ServiceStatus
from bot.models.session import Session
from bot.models.status import Mode
from bot.models.thread import Thread
from bot.runtime.failpoints import passing
from bot.triage.controls import Controls
from bot.triage.opening_messages import OpeningMessages
from bot.triage.orchestrator import Orchestrator
from tests.builders import CHANNEL, OPERATOR, T0, TEAM
from tests.fakes import LeapingClock, MemoryKept, operators, orchestrator

BOT = "U0BOT"
WORDS: dict[str, ServiceStatus] = {"H": "healthy", "D": "degraded", "U": "down"}


def section(*services: str, **changes: Any) -> HealthSection:
    """Services with one HTTP check each, in the form `name` or `name/group`."""
    named = [{"name": name, "group": group or None} for name, _, group in (each.partition("/") for each in services)]
    checks = [{"type": "http", "url": "http://127.0.0.1:1/"}]
    return HealthSection.model_validate({"services": [{**each, "checks": checks} for each in named], **changes})


class ScriptedChecks:
    """`ServiceChecks` whose results a test sets, by service; healthy at first."""

    def __init__(self) -> None:
        self.status: dict[str, ServiceStatus] = {}
        self.error = "status 500, expected 200"
        self.faults: tuple[str, ...] = ()
        self.is_partial = False
        """True if only a part of the checks cannot be made."""
        self.runs = 0

    async def check(self, service: str) -> tuple[CheckResult, ...]:
        """One result."""
        self.runs += 1
        if self.faults and not self.is_partial:
            return ()
        status = self.status.get(service, "healthy")
        error = "" if status == "healthy" else self.error
        return (CheckResult(service=service, check_type="http", status=status, error=error, response_time_ms=3),)

    def list_faults(self, service: str) -> tuple[str, ...]:
        """The checks that could not be made, as a test sets them."""
        return self.faults

    async def close(self) -> None:
        """Nothing is open."""


class Channel:
    """Slack: one channel in which each message is found by its metadata. It survives the bot."""

    def __init__(self) -> None:
        self.posted: list[dict[str, Any]] = []
        self.looks = 0
        self.fail: list[Exception] = []
        """Failures of the next posts, before they have an effect."""
        self.fail_after: list[Exception] = []
        """Failures of the next posts, after their effect."""

    async def post(self, *, channel: str, text: str, blocks: Any, metadata: dict[str, Any]) -> str:
        """Post, between two points at which a bot may die."""
        with passing("slack.call", "chat.postMessage"):
            if self.fail:
                raise self.fail.pop(0)
            ts = f"{T0.timestamp() + len(self.posted):.0f}.000100"
            self.posted.append({"channel": channel, "ts": ts, "text": text, "metadata": metadata})
        with passing("slack.answer", "chat.postMessage"):
            if self.fail_after:
                raise self.fail_after.pop(0)
            return ts

    async def find_in_channel(
        self, *, channel: str, oldest: str, event_type: str, nonce: str, key: str = "nonce"
    ) -> str | None:
        """Look a message up."""
        with passing("slack.call", "conversations.history"):
            self.looks += 1
        for each in reversed(self.posted):
            payload = each["metadata"]["event_payload"]
            is_here = (each["channel"], each["metadata"]["event_type"]) == (channel, event_type)
            if is_here and payload.get(key) == nonce and float(each["ts"]) > float(oldest):
                return str(each["ts"])
        return None


class ToldNotices:
    """Direct message of an admin: each notice by its place."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def post(self, text: str) -> str:
        """Post a notice."""
        place = f"D0 {len(self.texts)}"
        self.texts[place] = text
        return place

    async def replace(self, place: str, text: str) -> None:
        """Update a notice."""
        self.texts[place] = text


@dataclass
class Bench:
    """Home, channel and clock; `start` builds a bot on them, as often as a test wants."""

    folder: Path
    section: HealthSection = field(default_factory=lambda: section("shop"))
    chat_id: str | None = CHANNEL
    mode: Mode = "live"
    clock: LeapingClock = field(default_factory=LeapingClock)
    checks: ScriptedChecks = field(default_factory=ScriptedChecks)
    channel: Channel = field(default_factory=Channel)
    told: list[str] = field(default_factory=list)
    """Notices to admins."""
    notices: ToldNotices = field(default_factory=ToldNotices)
    """Notices of refusals."""
    services: Services = field(init=False)
    controls: Controls = field(init=False)
    store: Documents = field(init=False)
    orchestrator: Orchestrator = field(init=False)

    async def start(self) -> Bench:
        """Build a bot on what an earlier one left, without its schedule."""
        home = Home(self.folder)
        home.state.mkdir(mode=0o700, exist_ok=True)
        self.store = Documents(home.state, stop=None)
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={CHANNEL: self.mode})
        self.orchestrator = orchestrator(self.store, controls=self.controls)
        sessions = SessionFiles(home.sessions)
        book = build_incident_book(DiskJsonFile(home.incidents), self.told.append)
        states = StateBook(
            groups={service.name: service.group_name for service in self.section.services},
            file=DiskJsonFile(home.services),
            clock=self.clock,
            tell=self.told.append,
            cooldown=timedelta(minutes=self.section.cooldown_min),
        )
        outages = Outages(sessions=sessions, clock=self.clock)
        self.services = Services(
            section=self.section,
            checks=self.checks,
            states=states,
            book=book,
            outages=outages,
            threads=IncidentThreads(
                messages=OpeningMessages(
                    chat=self.channel,  # type: ignore[arg-type]  # the two calls that it makes
                    clock=self.clock,
                    event_type=INCIDENT,
                    key="incident_id",
                ),
                store=self.store,
                orchestrator=self.orchestrator,
                controls=self.controls,
                operators=operators(OPERATOR),
                redactor=Redactor(),
                clock=self.clock,
                book=book,
                states=states,
                outages=outages,
                refusals=RefusalNotices(notices=self.notices, book=book, clock=self.clock),  # type: ignore[arg-type]  # its two calls
                team_id=TEAM,
                bot_user_id=BOT,
                chat_id=self.chat_id,
                chat_name="ops",
            ),
            history=NdjsonJournal(home.service_history, stop=None),
            clock=self.clock,
            was_used=home.services.exists() or home.incidents.exists(),
            has_no_records=home.services.exists() and not home.incidents.exists(),
        )
        await self.services.begin()
        await self.services.threads.compare()
        return self

    async def stop(self) -> None:
        """End the bot in good order."""
        await self.services.stop()
        await self.orchestrator.stop()

    async def restart(self) -> None:
        """Stop the bot, and start another one."""
        await self.stop()
        await self.start()

    async def run(self, letter: str, *services: str, every: float = 60) -> None:
        """Check these services, or all, with this result, settle their threads, and let a minute pass."""
        names = services or tuple(self.services.states.by_name)
        self.checks.status |= dict.fromkeys(names, WORDS[letter])
        for name in names:
            await self.services.check(name)
        await self.settle()
        await self.clock.move(every)

    async def story(self, letters: str, *services: str, every: float = 60) -> None:
        """Run once for each letter."""
        for letter in letters:
            await self.run(letter, *services, every=every)

    async def settle(self) -> bool:
        """Settle the threads; a look-up that waits moves the clock."""
        return await self.services.threads.settle()

    async def documents(self) -> list[Thread]:
        """The saved threads, by id."""
        loaded = [await self.store.load(name) for name in sorted(await self.store.thread_ids())]
        return [thread for thread in loaded if thread]

    async def thread(self) -> Thread:
        """The only thread."""
        (thread,) = await self.documents()
        return thread

    async def sessions(self) -> list[Session]:
        """All sessions, oldest first."""
        return await SessionFiles(self.folder / "sessions").list_since(T0.date())

    def count_posts(self) -> Counter[str]:
        """Count the messages of each incident."""
        return Counter(each["metadata"]["event_payload"]["incident_id"] for each in self.channel.posted)
