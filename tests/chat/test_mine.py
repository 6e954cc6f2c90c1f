"""`mine`: where the asker's own questions stand, in words, and never what was drafted or why a run failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.commands.inputs import EmptyInput
from bot.commands.mine import OwnQuestionCommands
from bot.decide.classify.settlement import SettlingWords
from bot.models.route import Route
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Dismiss, Due, Postponed, RunFailed, Settle, TaskSkipped
from bot.models.waiting import Waiting
from tests.builders import LIMITS, added, at, found, fresh, moved, validated
from tests.chat.crew import command
from tests.decide import ordered
from tests.decide.test_workflow import press
from tests.fakes import HandClock, MemoryStore
from tests.fakes import orchestrator as build_orchestrator

DRAFT = "It is set in `bot/a.py:1`."
WORDS = replace(LIMITS, settling=SettlingWords(["en"]))


def desk(*threads: Thread) -> OwnQuestionCommands:
    """The command, with these threads."""
    store = MemoryStore()

    orchestrator = build_orchestrator(store, limits=WORDS)
    for thread in threads:
        store.saved[thread.thread_id] = thread
        orchestrator.open_threads.note(thread)
    return OwnQuestionCommands(orchestrator=orchestrator, url="https://acme.slack.com/", clock=HandClock(start=at(60)))


def begun(number: int = 0, sender: str = "U0ANA") -> Thread:
    """A question that is being looked up."""
    thread = moved(None, added(f"question {number}?", ts=f"{100 + number}.000001", sender=sender), WORDS)
    return moved(thread, Due(at=at(2), fresh=fresh()), WORDS)


def waits(number: int = 0, sender: str = "U0ANA") -> Thread:
    """A draft that waits for an operator."""
    thread = begun(number, sender)
    thread = moved(thread, found(thread, DRAFT), WORDS)
    return moved(thread, validated(thread), WORDS)


def failed() -> Thread:
    """A run that ended without findings, for a reason of the bot's own."""
    thread = begun()
    why = "http://10.0.0.7:11434 did not answer"
    return moved(thread, RunFailed(at=at(9), fresh=fresh(), run_id=str(thread.run_id), reason=why), WORDS)


def routed() -> Thread:
    """One that a role has taken."""
    route = Route(role="shop-dev", role_name="Shop Dev", project="shop", folder=".", why="it says shop")
    return begun().evolve(route=route)


def in_line() -> Thread:
    """One of many that were asked at the same time."""
    thread = moved(None, added("question 0?", ts="100.000001"), WORDS)
    waiting = Waiting(level="user", ahead=2)
    return moved(thread, Postponed(at=at(2), fresh=fresh(), until=at(30), waiting=waiting), WORDS)


def created() -> Thread:
    """A task that the scheduler has not started."""
    return ordered.waiting(title="question 0?")


def approved() -> Thread:
    """A reply that is on its way."""
    thread = waits()
    return moved(thread, press(Approve, thread), WORDS)


def settled() -> Thread:
    """One that an operator calls done."""
    thread = waits()
    return moved(thread, press(Settle, thread), WORDS)


def skipped() -> Thread:
    """One that failed, and was skipped."""
    return moved(failed(), TaskSkipped(at=at(12), fresh=fresh(), by="U0OPS"), WORDS)


def dismissed() -> Thread:
    """One that nobody answers."""
    thread = waits()
    return moved(thread, press(Dismiss, thread), WORDS)


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        pytest.param(begun, "is being looked up ·", id="no route"),
        pytest.param(routed, "is being looked up by *Shop Dev* (shop) ·", id="a role and a project"),
        pytest.param(in_line, "2 questions ahead of it", id="in the line"),
        pytest.param(created, "waits for its start; `/triage thread", id="a created task"),
        pytest.param(waits, "waits for an operator (number 1 of 1) ·", id="a draft"),
        pytest.param(failed, "could not be looked up automatically; an operator has it", id="a failed run"),
        pytest.param(approved, "is about to be answered", id="approved"),
        pytest.param(dismissed, "closed by an operator without an answer", id="dismissed"),
        pytest.param(settled, "closed by an operator as settled", id="settled by an operator"),
        pytest.param(skipped, "closed by an operator without an answer", id="skipped"),
        pytest.param(lambda: waits().evolve(mode="preview"), "practises", id="practice"),
    ],
)
async def test_it_says_where_each_stands(thread: object, words: str) -> None:
    """Never with a word of the draft, or of the machine's troubles."""
    answer = await desk(thread()).mine(EmptyInput(), command(user_id="U0ANA"))  # type: ignore[operator]  # tables hand in functions
    assert words in answer.text
    assert "question 0?" in answer.text
    for hidden in ("bot/a.py", "10.0.0.7", "confidence"):
        assert hidden not in answer.text


async def test_it_lists_nobody_elses_and_counts_everybodys() -> None:
    """The place is that among all that wait for the same operator."""
    asked = desk(waits(1, "U0BOB"), waits(2), waits(3, "U0BOB"))
    answer = await asked.mine(EmptyInput(), command(user_id="U0ANA"))
    assert answer.line == "1 question of yours is open."
    (row,) = answer.rows
    assert "number 2 of 3" in row
    assert "question 2?" in row


async def test_without_a_question_it_says_how_to_ask() -> None:
    """A question that ended more than a day ago is not listed either."""
    old = dismissed().evolve(closed_at=at(-90_000))
    answer = await desk(old).mine(EmptyInput(), command(user_id="U0ANA"))
    assert answer.line.startswith("No question of yours is open.")
    assert answer.rows == ()
