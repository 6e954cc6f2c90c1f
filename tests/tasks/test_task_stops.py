"""Words that stop a created task: its creator's in its thread, and nobody else's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.models.message import Message
from bot.tasks.task_stops import TaskStops
from bot.triage.task_index import TaskIndex
from tests.builders import OPERATOR, added, message, moved
from tests.decide.ordered import BEFORE, opening, order
from tests.fakes import MemoryJournal, PhoneBook, naming
from tests.tasks.bench import Bench


class Whispers:
    """Ephemeral messages."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def post_ephemeral(self, *, text: str, **_: Any) -> None:
        """Keep it."""
        self.texts.append(text)


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    """A task that runs, and one that waits for it."""
    bench = await Bench(tmp_path / "home").start()
    bench.held.add("A")
    await bench.create("A")
    await bench.create("B", depends_on=(await bench.task("A")).task)
    await bench.settle()
    return bench


def stops(bench: Bench) -> tuple[TaskStops, MemoryJournal, Whispers]:
    """What hears the words, and its records."""
    audit, chat = MemoryJournal(), Whispers()
    made: Any = TaskStops
    names = naming(PhoneBook(**{OPERATOR: "Olu"}))
    return made(orchestrator=bench.orchestrator, naming=names, chat=chat, audit=audit, clock=bench.clock), audit, chat


async def words(bench: Bench, title: str, sender: str = OPERATOR) -> Message:
    """What somebody says in the thread of a task."""
    thread = await bench.task(title)
    said = message("stop that", ts="1900000009.000001", sender=sender)
    return said.evolve(chat_id=thread.chat_id, thread_id=thread.thread_id)


@pytest.mark.parametrize("title", ["A", "B"])
async def test_its_creator_stops_a_task(bench: Bench, title: str) -> None:
    """While it runs and before; its card says who did, and the audit has it."""
    heard, audit, chat = stops(bench)
    assert await heard.stop(await words(bench, title))
    thread = await bench.task(title)
    assert (thread.status, thread.stopped_by, thread.run_id) == ("pending-user", OPERATOR, None)
    assert "Olu" in (thread.failure or "")
    assert [(record["action"], record["user_id"]) for record in audit.kept] == [("stop", OPERATOR)]
    assert chat.texts == [
        f"Stopped: `{thread.task}` waits for its operator. `/triage restart_task {thread.task}` takes that back."
    ]
    assert not await heard.stop(await words(bench, title))
    assert len(audit.kept) == 1


async def test_nobody_else_stops_a_task(bench: Bench) -> None:
    """Nor does its creator, in another thread."""
    heard, audit, _ = stops(bench)
    assert not await heard.stop(await words(bench, "A", sender="U0ANA"))
    assert not await heard.stop(message("stop that", sender=OPERATOR))
    assert (await bench.task("A")).status == "investigating"
    assert audit.kept == []


def test_the_index_counts_dependencies_of_open_tasks() -> None:
    """So that what they depend on is neither removed nor overlooked."""
    index, first = TaskIndex(), moved(None, opening(order(depends_on=(BEFORE,))))
    second = first.evolve(thread_id="T0SANDBOX-C0HELP-101.000001")
    for thread in (first, second, first):
        index.note(thread)
    assert index.dependencies == {BEFORE}
    index.note(first.evolve(status="closed"))
    assert index.dependencies == {BEFORE}
    index.take_changes()
    dependency = moved(None, added(ts="90.000001"))
    index.note(dependency)
    assert index.take_changes() == [dependency]
    index.note(second.evolve(question_round=2))
    assert index.dependencies == frozenset()
    index.take_changes()
    index.note(dependency)
    assert index.take_changes() == []


async def test_the_record_of_a_removed_task_goes_with_it(bench: Bench) -> None:
    """Its words stay nowhere else."""
    bench.orchestrator.open_threads.forget((await bench.task("B")).thread_id)
    await bench.settle()
    assert [record.order.title for record in bench.threads.book.records] == ["A"]
