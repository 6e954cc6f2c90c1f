"""Status and queue: what is told from memory, and what of a thread that cannot be read."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from bot.agents.search_state import SearchState
from bot.commands.inputs import EmptyInput
from bot.commands.queue import HOME_ROOM, MESSAGE_PAGE, PAGE, Queue
from bot.commands.status import MAX_LISTED, StatusCommands
from bot.decide.redaction.redactor import Redactor
from bot.errors import Unreadable
from bot.models.command_data.status import AgentCounts, ProjectCounts, WorkData
from bot.models.cost import Cost
from bot.models.queue import Order, QueueView, read_view
from bot.models.service_state import ServiceState
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Bounce, Dismiss, Due
from bot.reports.today import Spending
from bot.triage.controls import Controls
from sandbox.blockkit import checked_blocks, checked_view
from tests.builders import T0, added, at, edited, found, fresh, moved, validated
from tests.chat.crew import command
from tests.commands.test_services import Health, state
from tests.decide.test_desk import passed_on
from tests.decide.test_workflow import press
from tests.fakes import Connected, HandClock, KnownLosses, MemoryKept, MemoryStore, card_renderer
from tests.fakes import orchestrator as build_orchestrator


class Locked(MemoryStore):
    """A store in which no document can be read."""

    async def load(self, thread_id: str) -> Thread | None:
        """Nobody gets one."""
        raise Unreadable(f"{thread_id}: locked")


class Addresses:
    """A `Chat` that knows the address of every message."""

    async def permalink(self, **_: Any) -> str:
        """Some address."""
        return "https://acme.slack.com/archives/C0HELP/p1"


class Searching(SearchState):
    """One process searches."""

    def describe(self) -> str:
        """It is there."""
        return "1 of 1 search processes"


class Work:
    """Counts as a test wants them."""

    async def count(self) -> WorkData:
        """The same always."""
        return WorkData(
            projects=ProjectCounts(total=3, paused=1, unusable=1),
            agents=AgentCounts(total=1, slots=2, busy=1, beyond=0),
            tasks={"READY": 3},
        )


def overview(store: MemoryStore, count: int, *services: ServiceState) -> StatusCommands:
    """So many questions wait for a decision."""

    orchestrator = build_orchestrator(store)
    for number in range(count):
        thread = moved(None, added(f"question {number}?", ts=f"{100 + number}.000001"))
        thread = moved(thread, Due(at=at(2), fresh=fresh()))
        thread = moved(thread, found(thread))
        thread = moved(thread, validated(thread))
        store.saved[thread.thread_id] = thread
        orchestrator.open_threads.note(thread)
    chat: Any = Addresses()
    return StatusCommands(
        searches=Searching(),
        waiting=Queue(
            orchestrator=orchestrator,
            pictures=card_renderer(chat),
            url="https://acme.slack.com/",
            clock=HandClock(start=at(60)),
        ),
        controls=Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={"C0HELP": "live"}),
        engine="keyword",
        connection=Connected(),
        spending=Spending(ledger=None, clock=HandClock(), day=T0.date(), earlier=Cost(usd=0.256)),
        losses=KnownLosses(),
        services=Health(*services),
        work=Work(),  # type: ignore[arg-type]  # it has the one call
    )


async def test_status_sums_up_the_services() -> None:
    """In one row; without services there is none."""
    services = (state(), state("cart", "healthy"))
    answer = await overview(MemoryStore(), 0, *services).status(EmptyInput(), command())
    assert "Health: 2 services: 1 down, 1 healthy. `/triage services` shows them." in answer.rows
    none = await overview(MemoryStore(), 0).status(EmptyInput(), command())
    assert "Health" not in none.text


async def test_status_reads_no_thread() -> None:
    """However many there are on disk, it is answered from memory."""
    answer = await overview(Locked(), 3).status(EmptyInput(), command())
    assert answer.line == (
        "*Running*, connected to Slack; 3 questions for a decision, 0 runs, 0 held, 0 waiting for their turn; "
        "engine keyword, cost today $0.26."
    )
    assert answer.rows == (
        "Channels: <#C0HELP> live.",
        "Open: 3 waiting for a decision. Muted threads: 0.",
        "3 projects (1 paused, 1 that cannot be used); 1 agent with 2 slots, 1 of them busy; open tasks: 3 READY.",
        "Searching: 1 of 1 search processes.",
    )


async def test_queue_shows_the_oldest_and_says_how_many_more_there_are() -> None:
    """It reads no more documents than it shows."""
    answer = await overview(MemoryStore(), MAX_LISTED + 2).queue(EmptyInput(), command())
    assert answer.line == f"{MAX_LISTED + 2} questions wait for a decision."
    assert "https://acme.slack.com/archives/C0HELP/p100000001" in answer.rows[0]
    assert answer.rows[-1] == "… and 2 more."
    buttons = [block["accessory"] for block in answer.blocks if "accessory" in block]
    cards = [button["value"] for button in buttons if button["action_id"] == "show_card"]
    assert len(set(cards)) == MESSAGE_PAGE
    assert "1 to 8 of 17." in json.dumps(answer.blocks)


async def test_no_half_of_a_secret_stands_in_the_queue() -> None:
    """A question is cut where its line ends, after what is secret was taken out of it."""
    secret = "a-loaded" + "-secret-0815"
    told, redactor = overview(store := MemoryStore(), 1), Redactor([secret])
    told = replace(told, waiting=replace(told.waiting, redactor=redactor))
    (thread,) = store.saved.values()
    said = thread.messages[0].evolve(content=f"{'why ' * 18}{secret} {'not ' * 14}{secret}?")
    store.saved[thread.thread_id] = thread.evolve(messages=(said,))
    answer = await told.queue(EmptyInput(), command())
    shown = f"{answer.rows} {answer.blocks}"
    assert secret[:6] not in shown
    assert "[redacted" in shown


async def test_queue_names_a_thread_that_cannot_be_read() -> None:
    """And goes on with the next."""
    answer = await overview(Locked(), 2).queue(EmptyInput(), command())
    assert [row.endswith("rebuilds it.") for row in answer.rows] == [True, True]


def named(blocks: Any) -> list[str]:
    """The questions that a view shows, in its order."""
    said = json.dumps(blocks)
    found = [(said.index(f"question {number}?"), number) for number in range(400) if f"question {number}?" in said]
    return [f"question {number}?" for _, number in sorted(found)]


@pytest.mark.parametrize("count", [1, 30, 300])
async def test_all_of_a_long_queue_is_reached_page_by_page(count: int) -> None:
    """Each question once, on the Home and in a message, within what Slack takes of each."""
    queue = overview(MemoryStore(), count).waiting
    seen: list[str] = []
    for at_ in range(0, count, PAGE):
        blocks = await queue.blocks(QueueView(at=at_), page=PAGE, room=HOME_ROOM, reader="U0OPS")
        assert len(checked_view({"type": "home", "blocks": blocks}, kind="home")["blocks"]) < 70
        seen += named(blocks)
    assert seen == [f"question {number}?" for number in range(count)]
    for at_ in range(0, count, MESSAGE_PAGE):
        assert len(checked_blocks(await queue.message(QueueView(at=at_), "U0OPS"))) <= 50


async def test_a_place_behind_the_end_is_the_last_one() -> None:
    """What was decided meanwhile leaves no empty page."""
    queue = overview(MemoryStore(), 13).waiting
    assert named(await queue.blocks(QueueView(at=24), page=PAGE, room=HOME_ROOM, reader="U0OPS")) == ["question 12?"]
    assert "13 of 13" in json.dumps(
        await queue.blocks(QueueView(shape="card", at=40), page=PAGE, room=HOME_ROOM, reader="U0OPS")
    )


@pytest.mark.parametrize(("order", "first"), [("oldest", "question 0?"), ("certain", "question 2?")])
async def test_the_queue_has_two_orders(order: Order, first: str) -> None:
    """The oldest first, or the surest draft; of equal ones the oldest."""
    told = overview(store := MemoryStore(), 4)
    for name, confidence in zip(sorted(store.saved), ("low", "medium", "high", "high"), strict=True):
        thread = store.saved[name]
        assert thread.investigator_return
        sure = thread.evolve(investigator_return=thread.investigator_return.evolve(confidence=confidence))
        store.saved[name] = sure
        told.waiting.orchestrator.open_threads.note(sure)
    assert named(await told.waiting.message(QueueView(order=order), "U0OPS"))[0] == first


async def drawn(told: StatusCommands, view: QueueView, thread: Thread) -> tuple[QueueView, str]:
    """Where a step view stands once this document is saved, and what it shows."""
    store: Any = told.waiting.orchestrator.store
    store.saved[thread.thread_id] = thread
    told.waiting.orchestrator.open_threads.note(thread)
    stood = await told.waiting.update_position(view, "U0OPS")
    said = json.dumps(await told.waiting.message(stood, "U0OPS"))
    return stood, f"{named(said)[0]} {re.findall('[0-9]+ of [0-9]+', said)[0]}"


@pytest.mark.parametrize("order", ["oldest", "certain"])
async def test_a_step_stays_with_its_question(order: Order) -> None:
    """Through an edit, a bounce and what happens elsewhere, until it is decided or passed on; then comes the next."""
    told = overview(store := MemoryStore(), 4)
    one, two, three, four = (store.saved[name] for name in sorted(store.saved))
    view = await told.waiting.update_position(QueueView(order, "card", 1), "U0OPS")
    assert read_view(view.value) == view
    view, said = await drawn(told, view, edited(two, "By me."))
    assert said == "question 1? 2 of 4"
    bounced = moved(two, press(Bounce, two, feedback="no"))
    view, said = await drawn(told, view, bounced)
    assert (bounced.status, said) == ("bounced-round-1", "question 1? 2 of 4")
    view, said = await drawn(told, view, moved(three, press(Dismiss, three)))
    assert said == "question 1? 2 of 3"
    again = moved(bounced, found(bounced))
    again = moved(again, validated(again))
    view, said = await drawn(told, view, again)
    assert said == "question 1? 2 of 3"
    stood, said = await drawn(told, view, passed_on(again))
    assert said == ("question 3? 3 of 3" if order == "oldest" else "question 3? 2 of 3")
    chosen = await told.waiting.update_position(replace(view, thread=two.thread_id), "U0OPS", is_chosen=True)
    assert (await told.waiting.update_position(chosen, "U0OPS")).thread == two.thread_id
    assert read_view(chosen.value) == chosen
    assert (await drawn(told, stood, moved(one, press(Dismiss, one))))[1] == "question 3? 2 of 2"
    assert (await drawn(told, stood, moved(four, press(Approve, four))))[1] == "question 1? 1 of 1"
