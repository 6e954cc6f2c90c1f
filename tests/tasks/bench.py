"""Bench for created tasks: a home on disk, Slack and its people in memory, and a bot that may die and come back."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from blocks.created_task import CREATED_TASK
from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.tasks import TaskFolders
from bot.commands.active_project import ActiveProjects
from bot.commands.agents import AgentCommands
from bot.commands.command import CommandAnswer
from bot.commands.created_tasks import CreatedTaskCommands
from bot.commands.inputs_created import NewTask
from bot.commands.projects import ProjectOverview
from bot.commands.search import TaskFinder
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused
from bot.models.effect import CheckFindings, Escalate, Investigate, PostReply
from bot.models.interaction import Asker
from bot.models.project import Project
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Posted, RunFailed, Validated
from bot.runtime.failpoints import passing
from bot.tasks.agent_book import AgentBook
from bot.tasks.creator_notices import CreatorNotices
from bot.tasks.day_budget import DayBudget
from bot.tasks.order_book import build_order_book
from bot.tasks.scheduler import TaskScheduler
from bot.tasks.task_threads import TaskThreads
from bot.tasks.unreached_creators import UnreachedCreators
from bot.triage.controls import Controls
from bot.triage.externals import Externals
from bot.triage.membership import Membership
from bot.triage.opening_messages import OpeningMessages
from bot.triage.operators import Operators
from bot.triage.orchestrator import Orchestrator
from bot.triage.projects import Projects
from tests.builders import CHANNEL, LIMITS, OPERATOR, T0, TEAM, found
from tests.fakes import LeapingClock, MemoryKept, PhoneBook, Town, naming, operators, orchestrator, projects, settle

TEST_URL = "https://acme.slack.com"
DIRECT = f"D{OPERATOR}"


class Slack:
    """Messages by their metadata, direct messages, and who is in the channel. It survives the bot."""

    def __init__(self) -> None:
        self.posted: list[dict[str, Any]] = []
        self.refused: dict[str, str] = {}
        """Error code of each channel or person that nothing can be posted to."""
        self.fail: list[Exception] = []
        """Failures of the next posts, before they have an effect."""
        self.fail_after: list[Exception] = []
        """Failures of the next posts, after their effect."""
        self.shared = False
        """Whether people of another company read the channel."""
        self.members = {OPERATOR, "U0ANA", "U0ADMIN"}

    async def open_dm(self, user: str) -> str:
        """The direct message of a person."""
        if user in self.refused:
            raise Refused("conversations.open", code=self.refused[user])
        return f"D{user}"

    async def post(self, *, channel: str, text: str, blocks: Any, metadata: dict[str, Any], **_: Any) -> str:
        """Post, between two points at which a bot may die."""
        with passing("slack.call", "chat.postMessage"):
            if self.fail:
                raise self.fail.pop(0)
            if channel in self.refused:
                raise Refused("chat.postMessage", code=self.refused[channel])
            ts = f"{T0.timestamp() + len(self.posted):.0f}.000100"
            self.posted.append({"channel": channel, "ts": ts, "text": text, "blocks": blocks, "metadata": metadata})
        with passing("slack.answer", "chat.postMessage"):
            if self.fail_after:
                raise self.fail_after.pop(0)
            return ts

    async def find_in_channel(
        self, *, channel: str, oldest: str, event_type: str, nonce: str, key: str = "nonce"
    ) -> str | None:
        """Look a message up."""
        with passing("slack.call", "conversations.history"):
            for each in reversed(self.posted):
                payload = each["metadata"]["event_payload"]
                is_here = (each["channel"], each["metadata"]["event_type"]) == (channel, event_type)
                if is_here and payload.get(key) == nonce and float(each["ts"]) > float(oldest):
                    return str(each["ts"])
        return None

    async def channel(self, channel: str) -> dict[str, Any]:
        """A channel, shared or not."""
        return {"is_ext_shared": self.shared}

    async def is_member(self, *, channel: str, user: str) -> bool:
        """Whether somebody is in the channel."""
        return user in self.members

    def list_first_messages(self) -> list[dict[str, Any]]:
        """The first messages of tasks, in order."""
        return [each for each in self.posted if each["metadata"]["event_type"] == CREATED_TASK]


class Notices:
    """Direct message of an admin: each notice by its place."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def post(self, text: str) -> str:
        """Post a notice."""
        self.texts[f"D0 {len(self.texts)}"] = text
        return f"D0 {len(self.texts) - 1}"

    async def replace(self, place: str, text: str) -> None:
        """Update a notice."""
        self.texts[place] = text


def project(name: str, **changes: Any) -> Project:
    """A project of the settings."""
    return Project(name=name, root=Path("/srv") / name, **changes)


@dataclass
class Bench:
    """Home, Slack and clock; `start` builds a bot on them, as often as a test wants."""

    folder: Path
    roots: tuple[Project, ...] = (project("shop"), project("web"))
    clock: LeapingClock = field(default_factory=LeapingClock)
    slack: Slack = field(default_factory=Slack)
    town: Town = field(default_factory=Town)
    notices: Notices = field(default_factory=Notices)
    told: list[str] = field(default_factory=list)
    """Notices to admins about files."""
    failing: set[str] = field(default_factory=set)
    """Titles of the tasks whose runs fail."""
    held: set[str] = field(default_factory=set)
    """Titles of the tasks whose runs do not end."""
    runs: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the runs of each task, as they were started, by title."""
    is_hasty: bool = False
    """Whether a command waits for the thread of its task for a moment only."""
    hanging: int = 0
    """Number of runs that do not end."""
    used_up: bool = False
    controls_file: MemoryKept = field(default_factory=MemoryKept)
    controls: Controls = field(init=False)
    store: Documents = field(init=False)
    orchestrator: Orchestrator = field(init=False)
    projects: Projects = field(init=False)
    threads: TaskThreads = field(init=False)
    scheduler: TaskScheduler = field(init=False)
    commands: CreatedTaskCommands = field(init=False)
    agents: AgentCommands = field(init=False)

    async def start(self) -> Bench:
        """Build a bot on what an earlier one left; nothing runs until `settle`."""
        home = Home(self.folder)
        home.state.mkdir(mode=0o700, exist_ok=True)
        self.store = Documents(home.state, stop=None)
        self.controls = Controls(file=self.controls_file, mutes_file=MemoryKept(), modes={CHANNEL: "live"})
        self.projects = projects(*self.roots)
        self.orchestrator = orchestrator(
            self.store,
            run=self._run,
            controls=self.controls,
            projects=self.projects,
            limits=replace(LIMITS, router=self.projects),
        )
        deciding = operators(OPERATOR, town=self.town)
        slack: Any = self.slack
        book = build_order_book(DiskJsonFile(home.orders), self.told.append)
        self.threads = TaskThreads(
            chat=slack,
            messages=OpeningMessages(chat=slack, clock=self.clock, event_type=CREATED_TASK, key="order_id"),
            store=self.store,
            orchestrator=self.orchestrator,
            controls=self.controls,
            operators=deciding,
            externals=Externals(members=deciding.members, channels=slack, policy="warn"),
            naming=naming(PhoneBook(**{OPERATOR: "Olu"})),
            redactor=Redactor(),
            clock=self.clock,
            book=book,
            unreached=UnreachedCreators(notices=self.notices, book=book, clock=self.clock),  # type: ignore[arg-type]  # its two calls
            team_id=TEAM,
            channel_names={CHANNEL: "help-platform"},
        )
        self.scheduler = self._build_scheduler(home, deciding)
        self._build_commands(home)
        await self.threads.begin()
        await self.scheduler.begin()
        await self.orchestrator.start()
        return self

    def _build_scheduler(self, home: Home, deciding: Operators) -> TaskScheduler:
        slack: Any = self.slack
        members = Membership(team_id=TEAM, people=self.town, clock=self.clock)
        return TaskScheduler(
            orchestrator=self.orchestrator,
            controls=self.controls,
            projects=self.projects,
            agents=AgentBook(file=DiskJsonFile(home.agents), tell=self.told.append),
            orders=self.threads.book,
            budget=Purse(self),
            notices=CreatorNotices(chat=slack, members=members, others=("U0ADMIN",)),
            clock=self.clock,
        )

    def _build_commands(self, home: Home) -> None:
        overview = ProjectOverview(
            projects=self.projects,
            active=ActiveProjects(file=MemoryKept(), projects=self.projects),
            orchestrator=self.orchestrator,
            channel_names={CHANNEL: "help-platform"},
            controls=self.controls,
        )
        folders = TaskFolders(home.tasks)
        slack: Any = self.slack
        self.commands = CreatedTaskCommands(
            threads=self.threads,
            scheduler=self.scheduler,
            overview=overview,
            finder=TaskFinder(
                store=self.store, tasks=folders, orchestrator=self.orchestrator, team_id=TEAM, url=TEST_URL
            ),
            controls=self.controls,
            rooms=slack,
            clock=self.clock,
            patience=0.05 if self.is_hasty else 5.0,
        )
        self.agents = AgentCommands(scheduler=self.scheduler, overview=overview)

    async def _run(self, thread: Thread, effect: Any) -> Any:
        """Do the work of an effect at once."""
        title = thread.order.title if thread.order else ""
        match effect:
            case Investigate(run_id=run_id) | Escalate(run_id=run_id):
                self.runs.setdefault(title, []).append(run_id)
                if title in self.held:
                    await self._hang()
                if title in self.failing:
                    return RunFailed(at=self.clock.now(), fresh=self.clock.new_id(), run_id=run_id, reason="no answer")
                return found(thread, f"{title} is done.")
            case CheckFindings(run_id=run_id):
                return Validated(
                    at=self.clock.now(), fresh=self.clock.new_id(), run_id=run_id, checks=(), validator_return=None
                )
            case PostReply():
                return Posted(at=self.clock.now(), fresh=self.clock.new_id(), ts="1900000000.000001")
        return None

    async def _hang(self) -> None:
        self.hanging += 1
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.hanging -= 1

    async def stop(self) -> None:
        """End the bot in good order."""
        await self.orchestrator.stop()

    async def restart(self) -> None:
        """Stop the bot, and start another one."""
        await self.stop()
        await self.start()

    async def create(self, title: str, *, number: int = 0, by: str = OPERATOR, **given: Any) -> CommandAnswer:
        """Create a task by a command; the same number is the same command, delivered again."""
        asker = Asker(interaction_id=f"{title}-{number}", team_id=TEAM, user_id=by, channel_id=f"D{by}", via="slash")
        given.setdefault("description", f"Do {title}.")
        work = asyncio.ensure_future(self.commands.create(NewTask(title=title, **given), asker))
        try:
            while not work.done():
                await self.threads.settle()
                await asyncio.wait([work], timeout=0.001)
        finally:
            work.cancel()
        return await work

    async def settle(self) -> None:
        """Open threads and start tasks until nothing changes."""
        tasks, orders = self.scheduler.tasks.news, self.threads.book.news
        is_first = True
        while is_first or tasks.is_set() or orders.is_set():
            is_first = False
            await self._wait_idle()
            tasks.clear()
            orders.clear()
            await self.threads.settle()
            await self.scheduler.start_ready()
            await self._wait_idle()

    async def _wait_idle(self) -> None:
        """Wait until the orchestrator does nothing but wait for the runs that are held."""
        await settle(5)
        while len(working := self.orchestrator._tasks) > self.hanging:
            await asyncio.wait(working, timeout=0.5, return_when=asyncio.FIRST_COMPLETED)
            await settle(5)

    async def documents(self) -> list[Thread]:
        """The saved threads, by id."""
        loaded = [await self.store.load(name) for name in sorted(await self.store.thread_ids())]
        return [thread for thread in loaded if thread]

    async def task(self, title: str) -> Thread:
        """The task with this title."""
        (thread,) = [each for each in await self.documents() if each.order and each.order.title == title]
        return thread

    async def statuses(self) -> dict[str, str]:
        """The status of each task, by title."""
        return {each.order.title: each.outcome or each.status for each in await self.documents() if each.order}

    async def approve(self, title: str) -> None:
        """Press Approve on the card of a task."""
        thread = await self.task(title)
        draft = thread.draft_pending
        assert draft is not None
        event = Approve(
            at=self.clock.now(), fresh=self.clock.new_id(), by=OPERATOR, draft_id=draft.draft_id, nonce=draft.nonce
        )
        await self.orchestrator.submit(thread.thread_id, event)
        await self.settle()

    def count_messages(self) -> Counter[str]:
        """Count the first messages of each task, by its order."""
        return Counter(each["metadata"]["event_payload"]["order_id"] for each in self.slack.list_first_messages())


class Purse(DayBudget):
    """Budget that a test uses up."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(ledger=None, max_usd=1.0, least_usd=0.2)
        object.__setattr__(self, "_bench", bench)

    @property
    def is_used_up(self) -> bool:
        """Return what the test has set."""
        bench: Bench = self._bench  # type: ignore[attr-defined]  # set above
        return bench.used_up
