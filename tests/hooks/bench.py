"""Bench for hooks: a home on disk, actions and Slack in memory, and a bot that may die and come back."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from blocks.hook_notice import HOOK_NOTICE
from bot.adapters.home import Home
from bot.adapters.json_file import DiskJsonFile
from bot.decide.hooks.runs import plan
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.hooks.context import HookContext
from bot.hooks.descriptions import Descriptions
from bot.hooks.events import HookEvents
from bot.hooks.file_changes import FileChanges
from bot.hooks.hook_book import build_hook_book
from bot.hooks.owner_notices import OwnerNotices
from bot.hooks.programs import HookPrograms
from bot.hooks.runner import HookRunner
from bot.hooks.scheduler import HookScheduler
from bot.models.declared_command import DeclaredCommand
from bot.models.hook import Hook
from bot.models.hook_record import ActionEnd, HookRecord, HookRun
from bot.models.project import Project
from bot.programs.command_plans import CommandPlans
from bot.programs.command_runs import CommandRuns
from bot.runtime.failpoints import passing
from bot.runtime.program_runner import ProgramRunner
from bot.tools.guard import Guard
from bot.triage.controls import Controls
from bot.triage.membership import Membership
from bot.triage.opening_messages import OpeningMessages
from tests.builders import CHANNEL, T0, TEAM, fresh
from tests.chat.crew import permission
from tests.fakes import HandClock, MemoryJournal, MemoryKept, Town, projects
from tests.health.bench import SECRET
from tests.tasks.bench import Slack

OWNER = "U0ADMIN"
READ_COMMANDS = ("status",)


class ImpatientClock(HandClock):
    """A `HandClock` on which every wait is over at once, and takes no time."""

    async def sleep(self, seconds: float) -> None:
        """Let the others run."""
        await asyncio.sleep(0)


class Actions:
    """`HookActions` with a memory that survives the bot: a task is created once for each run, a command each time."""

    def __init__(self) -> None:
        self.tasks: dict[str, tuple[str, str]] = {}
        """Hook and due time, and description of each task, by the id of its run."""
        self.commands: Counter[str] = Counter()
        """Number of times that a command was executed, by the id of its run."""
        self.refusal = ""
        """Reason for which no action is done."""
        self.break_next: list[Exception] = []

    async def create_task(self, hook: Hook, run: HookRun, description: str) -> ActionEnd:
        """Create a task, between two points at which a bot may die."""
        title = f"{hook.name}, {run.cause.at.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%d %H:%M}"
        with passing("action.call", "create_task"):
            if self.break_next:
                raise self.break_next.pop(0)
            if self.refusal:
                return ActionEnd(is_done=False, line=self.refusal)
            self.tasks[run.run_id] = (title, description)
        with passing("action.answer", "create_task"):
            return ActionEnd(is_done=True, line=f"Created {title}.")

    async def execute(self, hook: Hook, run: HookRun) -> ActionEnd:
        """Execute a command, between two points at which a bot may die."""
        with passing("action.call", "command"):
            self.commands[run.run_id] += 1
        with passing("action.answer", "command"):
            return ActionEnd(is_done=True, line="Done.", notice=f"The answer of {hook.command}.")

    def may_repeat(self, command: str) -> bool:
        """Return whether it only reads."""
        return command in READ_COMMANDS

    def find_fault(self, command: str) -> str:
        """Every command may be given."""
        return ""

    async def find_refusal(self, command: str, asker: object) -> str:
        """By everybody."""
        return ""


class Pages:
    """`WebPages` with one page."""

    def __init__(self) -> None:
        self.text = "up"
        self.fail = False
        self.fetched: list[str] = []

    async def fetch(self, url: str) -> str:
        """The page, or a failure."""
        self.fetched.append(url)
        if self.fail:
            raise ToolError("the address answered 503, expected 200")
        return self.text


@dataclass
class Bench:
    """Home, Slack, clock and actions; `start` builds a bot on them, as often as a test wants."""

    folder: Path
    roots: tuple[Project, ...] = ()
    zone: str = "Europe/Berlin"
    file: MemoryKept | None = None
    """Content of the book in memory; without it, the book is in the home."""
    clock: HandClock = field(default_factory=lambda: ImpatientClock(fresh))
    slack: Slack = field(default_factory=Slack)
    town: Town = field(default_factory=Town)
    actions: Actions = field(default_factory=Actions)
    pages: Pages = field(default_factory=Pages)
    controls_file: MemoryKept = field(default_factory=MemoryKept)
    commands: tuple[DeclaredCommand, ...] = ()
    """Declared commands of the settings."""
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    told: list[str] = field(default_factory=list)
    """Notices to admins about the file."""
    controls: Controls = field(init=False)
    scheduler: HookScheduler = field(init=False)

    async def start(self) -> Bench:
        """Build a bot on what an earlier one left; nothing runs until `settle`."""
        self.controls = Controls(file=self.controls_file, mutes_file=MemoryKept(), modes={CHANNEL: "live"})
        book = build_hook_book(self.file or DiskJsonFile(Home(self.folder).hooks), self.told.append)
        guard = Guard(redactor=Redactor(), new_nonce=fresh)
        slack: Any = self.slack
        known = projects(*self.roots)
        runner = HookRunner(
            book=book,
            context=HookContext(
                projects=known,
                guard=guard,
                pages=self.pages,
                urls={"status": "https://status.test"},
                programs=self._build_programs(known),
            ),
            descriptions=Descriptions(guard=guard, zone=self.zone),
            clock=self.clock,
        )
        runner.attach(self.actions)
        self.scheduler = HookScheduler(
            book=book,
            runner=runner,
            events=HookEvents(
                book=book, controls=self.controls, clock=self.clock, own_ids=frozenset({"U0TRIAGE", "B0TRIAGE"})
            ),
            files=FileChanges(projects=known),
            notices=OwnerNotices(
                book=book,
                chat=slack,
                messages=OpeningMessages(chat=slack, clock=self.clock, event_type=HOOK_NOTICE, key="notice_id"),
                members=Membership(team_id=TEAM, people=self.town, clock=self.clock),
                admins=("U0OPS",),
            ),
            controls=self.controls,
            clock=self.clock,
            zone=self.zone,
        )
        await self.scheduler.begin()
        for record in book.records:
            if record.open_run:
                self.scheduler._start(record.hook.name)
        return self

    def _build_programs(self, known: Any) -> HookPrograms:
        redactor = Redactor([SECRET])
        programs = ProgramRunner(
            parent=self.folder / "command-runs",
            environment={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            audit=self.audit,
            redactor=redactor,
            clock=self.clock,
        )
        return HookPrograms(
            plans=CommandPlans(commands=self.commands, redactor=redactor),
            runs=CommandRuns(programs=programs),
            projects=known,
            roles=permission(),
            controls=self.controls,
        )

    async def stop(self) -> None:
        """End the bot."""
        await self.scheduler.stop()

    async def restart(self) -> None:
        """Stop the bot, and start another one."""
        await self.stop()
        await self.start()

    async def add(self, when: dict[str, Any] | None = None, name: str = "h", **changes: Any) -> Hook:
        """Save a hook that was changed now."""
        trigger = when or {"kind": "schedule", "cron": "* * * * *"}
        values = {"name": name, "trigger": trigger, "owner": OWNER, "changed_at": self.clock.now(), **changes}
        values.setdefault("prompt", "" if "command" in changes else "Look at it: {{date}} {{time}}")
        record = plan(HookRecord(hook=Hook.model_validate(values)), zone=self.zone, now=self.clock.now())
        book = self.scheduler.book
        book.replace((*book.records, record))
        await book.save()
        return record.hook

    async def settle(self) -> None:
        """Begin what is due, and let it end; then send what people are told."""
        await self.scheduler.look()
        while running := [*self.scheduler._running.values()]:
            await asyncio.wait(running)
            await asyncio.sleep(0)
            await self.scheduler.look()
        if self.scheduler.notices.is_waiting:
            await self.scheduler.notices.send()
            await self.scheduler.book.save()

    async def pass_time(self, **length: float) -> None:
        """Let time pass from one due time to the next."""
        until = self.clock.now() + timedelta(**length)
        await self.settle()
        while self.clock.now() < until:
            seconds = min(self.scheduler._find_seconds(), (until - self.clock.now()).total_seconds())
            self.clock._now += timedelta(seconds=seconds)
            await self.settle()

    def record(self, name: str = "h") -> HookRecord:
        """The record of a hook."""
        record = self.scheduler.book.find(name)
        assert record
        return record

    def runs(self, name: str = "h") -> list[HookRun]:
        """Its runs, oldest first."""
        return [*self.record(name).runs]

    def outcomes(self, name: str = "h") -> list[str]:
        """Their endings."""
        return [run.outcome or "open" for run in self.runs(name)]

    @property
    def titles(self) -> list[str]:
        """The titles of all tasks, without the name of the hook."""
        return [title.partition(", ")[2] for title, _ in self.actions.tasks.values()]

    @property
    def notices(self) -> list[tuple[str, str]]:
        """The notices that people got: the channel and the text."""
        return [(each["channel"], each["text"]) for each in self.slack.posted]


def minutes(*numbers: float) -> list[datetime]:
    """Times so many minutes after T0."""
    return [T0 + timedelta(minutes=number) for number in numbers]
