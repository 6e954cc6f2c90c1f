"""The App Home: who sees which one, when it is published, and what its buttons do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.chat.app_home import REFRESH_AFTER_VIEW, REFRESH_SECONDS, AppHome
from bot.commands.command import CommandAnswer
from bot.commands.queue import Queue
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, TriageError
from bot.models.cost import Cost
from bot.models.escalation import Escalation
from bot.models.home import HomeOpened, HomePress, Today
from bot.models.system_event import SystemEvent
from bot.triage.controls import Controls
from tests.blocks.test_incident import checked
from tests.builders import TEAM
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR, handler
from tests.commands.test_services import Health, state
from tests.decide import test_workflow as story
from tests.fakes import Connected, HandClock, KnownLosses, MemoryKept, MemoryStore, card_renderer, settle
from tests.fakes import orchestrator as build_orchestrator


class House:
    """A `Chat` that keeps what was published, and everything around the Homes in memory."""

    def __init__(self) -> None:
        self.published: list[tuple[str, str]] = []
        self.failure: TriageError | None = None
        self.counted = 0
        self.clock = HandClock()
        self.store = MemoryStore()
        self.shown: list[str] = []
        self.events: list[SystemEvent] | TriageError = []
        self.health = Health()
        parts: Any = self
        commands = handler(runs={"pause": self.pause}, chat=parts)
        self.audit: Any = commands.audit

        self.orchestrator = build_orchestrator(self.store)
        self.homes = AppHome(
            clock=self.clock,
            controls=Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={"C0HELP": "live"}),
            handler=commands,
            showing=parts,
            queue=self.queue(Redactor()),
            zone="UTC",
            connection=Connected(),
            figures=parts,
            losses=KnownLosses(),
            events=parts,
            services=self.health,
        )

    def queue(self, redactor: Redactor) -> Queue:
        """What waits."""
        parts: Any = self
        return Queue(
            orchestrator=self.orchestrator,
            pictures=card_renderer(parts),
            url="https://acme.slack.com/",
            clock=self.clock,
            redactor=redactor,
        )

    async def publish_home(self, *, user: str, view: Any) -> None:
        """Publish, or fail."""
        if self.failure:
            raise self.failure
        self.published.append((user, str(view)))

    async def pause(self, *_: Any) -> CommandAnswer:
        """The command."""
        return CommandAnswer(line="Paused for the test.")

    async def show(self, thread_id: str, *, user: str, team: str) -> str:
        """Show Card."""
        self.shown.append(f"{thread_id} {user} {team}")
        return "It is there."

    async def count(self) -> Today:
        """The day's figures."""
        self.counted += 1
        return Today(drafts=1, approved=0, bounced=0, cost=Cost())

    async def newest(self, limit: int) -> list[SystemEvent]:
        """The newest events of escalations."""
        if isinstance(self.events, TriageError):
            raise self.events
        return self.events[:limit]

    async def open(self, user: str) -> str:
        """Somebody opens theirs; what it says."""
        await self.homes.handle_opened(HomeOpened(team_id=TEAM, user_id=user))
        return self.published[-1][1]

    async def press(self, user: str, action: str, value: str = "") -> str:
        """Somebody presses a button of theirs; what it says then."""
        press = HomePress(interaction_id="i1", team_id=TEAM, user_id=user, action=action, value=value)
        await self.homes.handle_press(press)
        return self.published[-1][1]


async def test_no_half_of_a_secret_stands_on_the_home() -> None:
    """A question is cut where its line ends, after what is secret was taken out of it."""
    house, secret = House(), "a-loaded" + "-secret-0815"
    house.homes.queue = house.queue(Redactor([secret]))
    thread = story.pending()
    said = thread.messages[0].evolve(content=f"{'why ' * 35}{secret}?")
    house.store.saved[thread.thread_id] = thread = thread.evolve(messages=(said,))
    house.orchestrator.open_threads.note(thread)
    shown = await house.open(OPERATOR)
    assert secret[:6] not in shown
    assert "[redacted" in shown


@pytest.mark.parametrize(
    ("user", "words", "controls"),
    [
        (OPERATOR, "for a decision", False),
        (ADMIN, "for a decision", True),
        (MEMBER, "How to ask", False),
        (GUEST, "How to ask", False),
    ],
)
async def test_everybody_sees_the_home_that_is_theirs(user: str, words: str, controls: bool) -> None:
    """A guest sees nobody's questions, whatever the settings name them."""
    said = await House().open(user)
    assert words in said
    assert ("home_pause" in said) == controls


async def test_services_are_on_the_home_of_operators_only() -> None:
    """Without services there is no such list; a reason shows no secret."""
    house, secret = House(), "a-loaded" + "-secret-0815"
    house.homes.queue = house.queue(Redactor([secret]))
    assert "Services" not in await house.open(OPERATOR)
    house.health.states = (state("cart", "healthy"), state(results=(checked(error=f"{secret}!"),)))
    shown = await house.open(OPERATOR)
    assert shown.index("*shop-api* is *down*") < shown.index("*cart* is *healthy*")
    assert secret not in shown
    assert "shop-api" not in await house.open(MEMBER)


async def test_changes_are_published_to_those_who_look_and_not_often() -> None:
    """Many changes are one publishing; whoever has not looked for a while is told nothing, nor who never did."""
    house = House()
    await house.open(OPERATOR)
    await house.open(MEMBER)
    for _ in range(100):
        house.homes.note_change()
    await settle()
    assert len(house.published) == 2
    await house.clock.move(REFRESH_SECONDS)
    assert [user for user, _ in house.published[2:]] == [OPERATOR]
    await house.clock.move(REFRESH_AFTER_VIEW.total_seconds())
    house.homes.note_change()
    await house.clock.move(REFRESH_SECONDS)
    house.homes.note_change()
    assert len(house.published) == 3


async def test_the_home_lists_what_waits_and_leaves_out_what_cannot_be_read() -> None:
    """From the index and the documents; the day's figures are counted once a minute."""
    house = House()
    for n in range(3):
        thread = story.pending(text=f"question {n}?", ts=f"{100 + n}.000001")
        house.orchestrator.open_threads.note(thread)
        if n != 1:
            house.store.saved[thread.thread_id] = thread
    said = await house.open(OPERATOR)
    assert said.index("question 0?") < said.index("question 2?")
    assert "question 1?" not in said
    await house.open(OPERATOR)
    assert house.counted == 1
    await house.clock.move(timedelta(minutes=1).total_seconds())
    await house.open(OPERATOR)
    assert house.counted == 2


async def test_pause_goes_the_way_of_the_command() -> None:
    """With its permission, its audit and its answer, which the Home shows."""
    house = House()
    assert "Paused for the test." in await house.press(ADMIN, "home_pause")
    assert "Only admins may do this" in await house.press(OPERATOR, "home_pause")
    assert [(line["action"], line["via"], line["outcome"]) for line in house.audit.kept] == [
        ("pause", "home", "done"),
        ("pause", "home", "refused"),
    ]


async def test_show_card_is_asked_for_with_who_pressed() -> None:
    """A value that names no thread asks for nothing."""
    house = House()
    assert "It is there." in await house.press(OPERATOR, "show_card", "T0SANDBOX-C0HELP-1.1/2 abc")
    await house.press(OPERATOR, "show_card", "anything")
    assert house.shown == [f"T0SANDBOX-C0HELP-1.1 {OPERATOR} {TEAM}"]


@pytest.mark.parametrize("failure", [RetryLater("later"), Refused("no", code="not_enabled")])
async def test_a_home_that_cannot_be_published_breaks_nothing(failure: TriageError) -> None:
    """The next opening tries again."""
    house = House()
    house.failure = failure
    await house.homes.handle_opened(HomeOpened(team_id=TEAM, user_id=OPERATOR))
    house.failure = None
    assert "for a decision" in await house.open(OPERATOR)


def event(level: Any, hours: float) -> SystemEvent:
    """An event of so many hours ago."""
    at = HandClock().now() - timedelta(hours=hours)
    return SystemEvent(at=at, level=level, session=None, message=f"{level} of {hours} hours ago")


async def test_operators_see_the_events_of_the_last_day() -> None:
    """Critical ones first; a log that cannot be read hides nothing else, and members see none."""
    house = House()
    house.events = [event("info", 1), event("warning", 2), event("critical", 3), event("critical", 25)]
    shown = await house.open(OPERATOR)
    assert shown.index("critical of 3") < shown.index("warning of 2") < shown.index("info of 1")
    assert "25 hours" not in shown
    assert "hours ago" not in await house.open(MEMBER)
    house.events = RetryLater("broken")
    assert "for a decision" in await house.open(OPERATOR)


async def test_escalated_questions_have_a_list_of_their_own() -> None:
    """Each thread is listed once, with the way to watch its run."""
    house = House()
    escalation = Escalation(tier=2, reason="It takes long.", decided_at=house.clock.now())
    long_run = escalation.evolve(started_at=house.clock.now(), watch_command="tmux attach", latest="turn 4", turns=4)
    for number, running in enumerate((escalation, long_run)):
        thread = story.investigating(text=f"question {number}?", ts=f"{100 + number}.000001")
        thread = thread.evolve(status="escalated", is_escalated=True, escalation=running)
        house.store.saved[thread.thread_id] = thread
        house.orchestrator.open_threads.note(thread)
    shown = await house.open(OPERATOR)
    assert (shown.count(">: question 0?"), shown.count(">: question 1?")) == (1, 1)
    assert "tier 2, since It takes long.. It is being started." in shown
    assert "4 turns · no cost reported" in shown
    assert "Watch it: `tmux attach`" in shown
