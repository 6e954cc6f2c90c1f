"""Plain classes with a memory, in place of what a test does not want to run."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.decide.redaction.redactor import Redactor
from bot.errors import Conflict, Refused, TriageError
from bot.intake.team import Team
from bot.models.findings import Assignment, EngineReport, EvidenceRef, InvestigatorReturn
from bot.models.journal_query import JournalPage
from bot.models.person import Person
from bot.models.project import ProjectRecords
from bot.models.session_chain import SessionLink
from bot.runtime.stop_request import StopRequest
from bot.surfaces.card_view import CardRenderer
from bot.triage.membership import Membership
from bot.triage.operators import Operators
from bot.triage.orchestrator import Orchestrator
from bot.triage.projects import Projects
from bot.triage.slack_names import SlackNames
from tests.builders import LIMITS, T0, TEAM, findings, fresh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
    from datetime import date

    from bot.decide.classify.classifier import Classifier
    from bot.models.interaction import MalformedCommand, TypedCommand, UnheardReason
    from bot.models.journal_query import JournalQuery
    from bot.models.message import Message
    from bot.models.project import Project
    from bot.models.session import Session
    from bot.models.settlement import ClosedThread
    from bot.models.task_hold import TaskHold
    from bot.models.thread import Thread
    from bot.models.turn import Usage
    from bot.ports.outbound import Store


def ignore(_: object) -> None:
    """Accept a value and do nothing with it."""


class MemoryStore:
    """A `Store` that keeps documents in a dictionary, versions included."""

    def __init__(self) -> None:
        self.saved: dict[str, Thread] = {}

    async def load(self, thread_id: str) -> Thread | None:
        """The newest saved document."""
        return self.saved.get(thread_id)

    async def threads(self) -> AsyncIterator[tuple[str, Thread | ClosedThread | None]]:
        """Each of them, whole."""
        for thread_id, thread in sorted(self.saved.items()):
            yield thread_id, thread

    async def save(self, thread: Thread) -> Thread:
        """Save, or `Conflict`."""
        current = self.saved.get(thread.thread_id)
        if (current.version if current else 0) != thread.version:
            raise Conflict(thread.thread_id)
        self.saved[thread.thread_id] = newer = thread.evolve(version=thread.version + 1)
        return newer

    async def quarantine(self, thread_id: str) -> Path:
        """Forget the document."""
        del self.saved[thread_id]
        return Path(thread_id)

    async def thread_ids(self) -> list[str]:
        """All of them."""
        return sorted(self.saved)

    async def remove(self, thread_id: str) -> bool:
        """Forget one that is closed."""
        if thread_id in self.saved and self.saved[thread_id].is_open:
            return False
        self.saved.pop(thread_id, None)
        return True

    async def remove_closed(self, before: datetime, *, keep: Collection[str] = ()) -> list[str]:
        """Forget them."""
        closed = [t for t in self.saved.values() if not t.is_open and t.thread_id not in keep]
        old = [t.thread_id for t in closed if t.last_event_at < before]
        for thread_id in old:
            del self.saved[thread_id]
        return old


class MemoryKept:
    """A `Kept` that is a dictionary."""

    def __init__(self, **said: Any) -> None:
        self.said: dict[str, Any] = said

    async def read(self) -> dict[str, Any]:
        """What was written last."""
        return dict(self.said)

    async def read_whole(self) -> dict[str, Any]:
        """The same: it is never damaged."""
        return dict(self.said)

    async def exists(self) -> bool:
        """Whether it holds anything."""
        return bool(self.said)

    async def set_aside(self) -> Path:
        """Nowhere."""
        self.said = {}
        return Path("aside")

    async def write(self, content: dict[str, Any]) -> None:
        """Keep it."""
        self.said = content


class FixedHolds:
    """A `TaskHolds` with what holds each task, by thread; nothing by default."""

    def __init__(self) -> None:
        self.holds: dict[str, tuple[TaskHold, ...]] = {}

    async def list_holds(self) -> dict[str, tuple[TaskHold, ...]]:
        """What a test has put there."""
        return self.holds


class MemoryJournal:
    """A `Journal` that is a list."""

    def __init__(self) -> None:
        self.kept: list[dict[str, Any]] = []

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Keep the record."""
        self.kept.append(record)

    def put(self, record: dict[str, Any]) -> Awaitable[None]:
        """Keep it once the answer is awaited."""
        return self.append(record)

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """The last ones."""
        return self.kept[-limit:]

    async def records(self, since: datetime | None = None) -> AsyncIterator[dict[str, Any]]:
        """All of them, the older ones too."""
        for record in self.kept:
            yield record

    async def records_and_damage(self) -> AsyncIterator[dict[str, Any] | None]:
        """The same: nothing is damaged."""
        for record in self.kept:
            yield record

    async def newest(self, query: JournalQuery) -> JournalPage:
        """Those that match, the newest first."""
        times = ((datetime.fromisoformat(record["at"]), record) for record in reversed(self.kept))
        found = [record for at, record in times if query.since <= at < query.before and query.matches(record)]
        return JournalPage(records=tuple(found[: query.limit]), has_more=len(found) > query.limit)

    async def set_aside_if(self, is_over: Callable[[bytes], bool]) -> bool:
        """There is no file."""
        return False

    async def close(self) -> None:
        """Nothing waits."""


class MemorySessions:
    """`Sessions` in a dictionary; `saves` keeps every state that was saved, in order."""

    def __init__(self, *kept: Session) -> None:
        self.kept = {session.session_id: session for session in kept}
        self.saves: list[Session] = []

    async def save(self, session: Session) -> None:
        """Keep it."""
        self.kept[session.session_id] = session
        self.saves.append(session)

    async def list_since(self, day: date) -> list[Session]:
        """Those of this day and later."""
        return [session for session in self.kept.values() if session.started_at.date() >= day]

    async def read(self, session_ids: Iterable[str]) -> list[Session]:
        """Those of them that are there."""
        return [self.kept[session_id] for session_id in session_ids if session_id in self.kept]

    async def links(self) -> list[SessionLink]:
        """All of them, by their names."""
        return [
            SessionLink(session.session_id, session.tier, session.parent_session_id, session.thread_id)
            for _, session in sorted(self.kept.items())
        ]


class RoundPrices:
    """`Prices`: a dollar for a million tokens of any kind; a model called `free…` has no price."""

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars."""
        return None if model.startswith("free") else usage.total / 1_000_000


class HandClock:
    """A `Clock` that stands still until a test moves it; its ids are those of `fresh` unless a test gives others."""

    def __init__(self, new_id: Callable[[], str] = fresh, *, start: datetime = T0) -> None:
        self.new_id = new_id
        self._now = start
        self._sleepers: list[tuple[datetime, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        """The moment that the test has set."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has moved the clock so far."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + timedelta(seconds=seconds), woken))
        await woken

    def set_back(self, seconds: float) -> None:
        """Set the time of day back; who sleeps wakes neither earlier nor later by that."""
        back = timedelta(seconds=seconds)
        self._now -= back
        self._sleepers = [(until - back, woken) for until, woken in self._sleepers]

    async def move(self, seconds: float) -> None:
        """Let time pass, and let everyone who was woken run."""
        self._now += timedelta(seconds=seconds)
        for until, woken in self._sleepers:
            if until <= self._now and not woken.done():
                woken.set_result(None)
        self._sleepers = [(until, woken) for until, woken in self._sleepers if not woken.done()]
        await settle()


class LeapingClock(HandClock):
    """A `HandClock` in which every wait is over at once; `waits` has their seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Let that time pass."""
        self.waits.append(seconds)
        await self.move(seconds)


class HeldEngine:
    """An engine that answers when the test lets it; what it was asked is kept."""

    name = "held"

    def __init__(self) -> None:
        self.asked: list[Assignment] = []
        self._answers: dict[str, asyncio.Future[InvestigatorReturn]] = {}
        self.arrived = asyncio.Event()

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Wait for `answer` to the same question."""
        self.asked.append(assignment)
        self.arrived.set()
        answer = self._answers.setdefault(assignment.question, asyncio.get_running_loop().create_future())
        return EngineReport(
            project=assignment.projects[0].name, engine=self.name, findings=await asyncio.shield(answer)
        )

    def answer(self, question: str, draft: str, *references: EvidenceRef, **changes: Any) -> None:
        """Let the run of this question end with this draft, unless it already has."""
        answer = self._answers.setdefault(question, asyncio.get_running_loop().create_future())
        answer.set_result(findings(draft_reply=draft, evidence_refs=references, confidence="low", **changes))


async def settle(rounds: int = 50) -> None:
    """Let everything that is ready run."""
    for _ in range(rounds):
        await asyncio.sleep(0)


class OneOperator:
    """`CardOperators` of whom one gets every card."""

    def first_operator(self, chat_id: str, asker: str) -> str:
        """The same for all."""
        return "U0OPS"


class NobodyCommands:
    """`Commands` where none is expected."""

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """No slash command is expected."""
        raise AssertionError(command)

    async def answer_in_thread(self, command: TypedCommand) -> None:
        """Nor one in a thread."""
        raise AssertionError(command)

    async def report_interrupted(self, command: TypedCommand) -> None:
        """Nor one that was interrupted."""
        raise AssertionError(command)

    async def refuse_malformed(self, command: MalformedCommand) -> dict[str, Any]:
        """Say the same to all."""
        return {"text": "Triage does not know this command."}

    async def record_unheard(self, command: TypedCommand, reason: UnheardReason) -> None:
        """Nor one that is not run."""
        raise AssertionError(command, reason)


class NothingMuted:
    """`Mutes` where every thread may be opened, and nobody asks for silence."""

    async def handle_mute_request(self, message: Message) -> bool:
        """No message does."""
        return False

    async def allows(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Whoever speaks."""
        return True


class Town:
    """`People` and `Groups`: everybody is a full member of the team, but for `guests`; groups are as the test says."""

    def __init__(self, **groups: tuple[str, ...]) -> None:
        self.groups = groups
        self.guests: set[str] = set()
        self.failure: Exception | None = None

    async def person(self, user: str) -> Person:
        """What is known of them."""
        if self.failure:
            raise self.failure
        return Person(user_id=user, team_id=TEAM, is_guest=user in self.guests)

    async def group_members(self, group: str) -> tuple[str, ...]:
        """Those in a group; one that is not there is refused."""
        if self.failure:
            raise self.failure
        if group not in self.groups:
            raise Refused("usergroups.users.list: no such group", code="no_such_subteam")
        return self.groups[group]


def operators(*everywhere: str, town: Town | None = None, clock: HandClock | None = None, **named: Any) -> Operators:
    """Who may decide; `chats` and `projects` name others."""
    people, time = town or Town(), clock or HandClock()
    return Operators(
        everywhere=everywhere,
        chats=named.get("chats", {}),
        projects=named.get("projects", {}),
        groups=people,
        members=Membership(team_id=TEAM, people=people, clock=time),
        clock=time,
        asker_may=named.get("asker_may", True),
    )


class PhoneBook:
    """Names of people and channels: those that a test gives; Slack refuses to tell the others."""

    def __init__(self, **names: str) -> None:
        self.names = names
        self.private: set[str] = set()
        self.asked: list[str] = []
        self.silent = False
        """Whether Slack does not answer at all."""

    async def user_name(self, user: str) -> str:
        """The name of a person."""
        return await self._told(user)

    async def channel(self, channel: str) -> dict[str, Any]:
        """A channel by its name."""
        return {"name": await self._told(channel), "is_private": channel in self.private}

    async def _told(self, each: str) -> str:
        self.asked.append(each)
        if self.silent:
            await asyncio.get_running_loop().create_future()
        if each not in self.names:
            raise Refused("users.info: user_not_found", code="user_not_found")
        return self.names[each]


def naming(book: PhoneBook | None = None, *, seconds: float = 2.0) -> SlackNames:
    """Who asks for names."""
    known: Any = book or PhoneBook()
    return SlackNames(chat=known, channels=known, seconds=seconds)


class RememberingChat:
    """A `Chat` of one thread: posts land when the test says so, and can be found by their nonce."""

    def __init__(self) -> None:
        self.posted: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        """The arguments of each call that posts."""
        self.notices: list[str] = []
        self.ephemerals: list[dict[str, Any]] = []
        """The channel, user and thread of each notice."""
        self.views: list[dict[str, Any]] = []
        self.triggers: list[str] = []
        """The trigger of each opened view."""
        self.looks = 0
        self.fail: Exception | None = None
        self.refuses: Exception | None = None
        """The failure of notices and views, if they fail."""
        self.on_look: Callable[[int], None] = lambda look: None

    async def post(self, **arguments: Any) -> str:
        """Land, or fail as the test said."""
        if self.fail:
            failure, self.fail = self.fail, None
            raise failure
        self.sent.append(arguments)
        return self.land(arguments["metadata"]["event_payload"]["nonce"])

    async def post_ephemeral(self, *, text: str, **to: Any) -> None:
        """Keep what somebody was told."""
        if self.refuses:
            raise self.refuses
        self.notices.append(text)
        self.ephemerals.append(to)

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Keep what was opened."""
        if self.refuses:
            raise self.refuses
        self.views.append(view)
        self.triggers.append(trigger_id)

    async def user_name(self, user: str) -> str:
        """A name that is told from the id."""
        return f"name of {user}"

    def land(self, nonce: str) -> str:
        """The reply with this nonce stands in the thread from now on."""
        self.posted.append({"nonce": nonce, "ts": f"900.{len(self.posted):06}"})
        return str(self.posted[-1]["ts"])

    async def find_in_thread(self, *, nonce: str, **_: Any) -> str | None:
        """The first post with this nonce."""
        self.looks += 1
        self.on_look(self.looks)
        return next((str(post["ts"]) for post in self.posted if post["nonce"] == nonce), None)


class NoGroups:
    """A Slack without user groups."""

    async def group_members(self, group: str) -> tuple[str, ...]:
        """Fail the test."""
        raise AssertionError(group)


def team(classifier: Classifier) -> Team:
    """Build a team without user groups."""
    return Team(classifier=classifier, groups=NoGroups())


def projects(*roots: Project) -> Projects:
    """Build a registry of projects of the settings."""

    def locate(name: str, keys: object) -> tuple[Project, ...]:
        raise AssertionError(name)

    return Projects(file=MemoryKept(), settings=roots, locate=locate, settings_by_command=ProjectRecords())


class HeardEvents:
    """A `ThreadQueue` that keeps the events."""

    def __init__(self, *, held: str | None = None, state: str = "running") -> None:
        self.events: list[Any] = []
        self._state = state
        self.thread_ids: list[str] = []
        """The thread of each event."""
        self._held = held

    def tell(self, thread_id: str, happening: Any) -> None:
        """Keep it."""
        self.events.append(happening)
        self.thread_ids.append(thread_id)

    def why_held(self, thread: Thread) -> str | None:
        """Return the test's reason."""
        return self._held

    def state(self) -> str:
        """Return the test's state."""
        return self._state


class Connected:
    """A connection that is open."""

    async def connected(self) -> bool:
        """Slack can come in."""
        return True


class Stops(StopRequest):
    """Remembers why the process is to end."""

    def __init__(self) -> None:
        self.problems: list[TriageError] = []

    def stop_for(self, problem: TriageError) -> None:
        """Keep it."""
        self.problems.append(problem)


class RemovedProjects:
    """Workspaces or repositories of projects that remember whose were removed."""

    def __init__(self) -> None:
        self.removed: list[str] = []

    async def remove_project(self, project: str) -> None:
        """Remember it."""
        self.removed.append(project)


class KnownLosses:
    """Losses by subject; nothing is lost at first."""

    def __init__(self, *lost: str) -> None:
        self.lost = set(lost)

    def is_lost(self, subject: str) -> bool:
        """As it was told."""
        return subject in self.lost

    def lines(self) -> tuple[str, ...]:
        """Their names."""
        return (*sorted(self.lost),)

    def card_line(self, channel: str) -> str:
        """Its name."""
        return channel if channel in self.lost else ""

    def may_react(self) -> bool:
        """Unless the scope is lost."""
        return "reactions:write" not in self.lost


class HeardAccess:
    """A check of access that keeps what it is told of."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.looked: list[str] = []

    def note_refusal(self, channel: str, problem: Refused) -> None:
        """Keep it."""
        self.heard.append((channel, problem.code))

    def unreachable(self, user: str, code: str) -> None:
        """Keep it."""
        self.heard.append((user, code))

    def app_token_refused(self, code: str) -> None:
        """Keep it."""
        self.heard.append(("", code))

    async def look(self, channel: str) -> None:
        """Keep it."""
        self.looked.append(channel)


def card_renderer(chat: Any, redactor: Redactor | None = None) -> CardRenderer:
    """A renderer of cards whose operator is one of several, where nothing is held or lost."""
    return CardRenderer(
        chat=chat,
        redactor=redactor or Redactor(),
        threads=HeardEvents(),
        operators=operators("U0OPS", "U0BEN"),
        losses=KnownLosses(),
    )


class NothingMissed:
    """A catch-up that finds each thread as it is known."""

    async def thread(self, thread: Thread, *, in_passing: bool = False) -> list[dict[str, Any]]:
        """Read no message."""
        return []


async def _nothing(*_: object) -> None:
    return None


class OrchestratorPorts:
    """Effect runner, renderer, rebuilder and notices of an orchestrator; each calls a function of its test."""

    def __init__(
        self, store: Store, run: Callable[..., Any], draw: Callable[..., Any], tell: Callable[..., Any]
    ) -> None:
        self._store, self._run, self._draw, self._tell = store, run, draw, tell

    async def run(self, thread: Thread, effect: Any) -> Any:
        """Run an effect."""
        return await self._run(thread, effect)

    def is_started(self, effect: Any) -> bool:
        """Return that no runbook was started."""
        return False

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Draw a thread."""
        self._draw(thread)

    async def rebuild(self, thread_id: str) -> Thread | None:
        """Load the saved document."""
        return await self._store.load(thread_id)

    async def tell(self, text: str) -> None:
        """Send a notice."""
        await self._tell(text)


def orchestrator(
    store: Store,
    *,
    run: Callable[..., Any] = _nothing,
    draw: Callable[..., Any] = lambda _thread: None,
    tell: Callable[..., Any] = _nothing,
    **collaborators: Any,
) -> Orchestrator:
    """Build an orchestrator over a store in memory."""
    ports = OrchestratorPorts(store, run, draw, tell)
    made = Orchestrator(
        store=store, limits=collaborators.pop("limits", LIMITS), rebuilder=ports, notices=ports, **collaborators
    )
    made.attach(effects=ports, renderer=ports)
    return made
