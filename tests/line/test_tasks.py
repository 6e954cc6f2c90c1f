"""Tasks through the line: a thread's folder with its `task.json` and the journals of its runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.line.agents import QUESTION, agents, document
from tests.line.dying_bot import dying
from tests.line.play import READ, Play, found, said
from tests.line.test_agents_in_trouble import always, bad_first
from tests.line.test_restart import died_of, living
from tests.model_server import calls, hang

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line

FOLLOW_UP = "and what does cancel_order do then?"

ROLE = """---
name: shopkeeper
displayName: Shopkeeper
category: coding
---

You know the shop. Your journal is {journal_path}.
"""
ROUTED = "routing: {default: shopkeeper}\ncategories: {coding: {inactivity_timeout_min: %s}}\n"


def folder(line: Line) -> Path:
    """The folder of the one task."""
    (path,) = (line.home / "tasks").iterdir()
    return path


def task(line: Line) -> dict[str, Any]:
    """Its `task.json`."""
    made: dict[str, Any] = json.loads((folder(line) / "task.json").read_text())
    return made


def journal(line: Line, name: str = "investigator.md") -> list[str]:
    """The lines of a journal."""
    return (folder(line) / name).read_text().splitlines()


def logged(line: Line, words: str, name: str = "investigator.md") -> bool:
    """Return whether a line below `## Log` says this."""
    lines = journal(line, name)
    return any(words in one for one in lines[lines.index("## Log") :])


def routed(line: Line, minutes: float = 2) -> str:
    """Settings with one role, whose file is written beside them."""
    (line.folder / "roles").mkdir(exist_ok=True)
    (line.folder / "roles" / "shopkeeper.md").write_text(
        ROLE.replace("category: coding", "category: coding\ncwd: shop")
    )
    return ROUTED % minutes


async def test_a_thread_is_a_task_and_a_second_question_goes_on_in_it(line: Line) -> None:
    """The same slug, another dispatch, and the model is told what the first run found and how it went."""
    play = Play()
    async with agents(line, play, more=routed(line)):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Three times", '"approve"'))
        await line.olu.card("The reply is posted.")
        first = task(line)
        assert logged(line, "calls read_file", "shopkeeper.md")
        await line.ana.say(FOLLOW_UP, thread_ts=asked)
        await line.olu.card(FOLLOW_UP, '"approve"')
        link = (await line.olu.command(f"thread {line.workspace.url}/archives/C0HELP/p{asked.replace('.', '')}"),)
    second = task(line)
    assert (second["slug"], second["threadTs"]) == (folder(line).name, asked)
    assert second["slug"].startswith("often-payment-")
    assert second["slug"] == first["slug"] == document(line)["task"]
    kept = [(one["role"], one["cwd"], one["status"], one["journalFile"]) for one in second["dispatches"]]
    assert kept == [
        ("shopkeeper", "shop", "completed", "shopkeeper.md"),
        ("shopkeeper", "shop", "completed", "shopkeeper-2.md"),
    ]
    assert {one["model"] for one in second["dispatches"]} == {"claude-opus-5-5"}
    assert journal(line, "shopkeeper.md")[-1] == "- Status: completed (claude-opus-5-5)"
    told = said(next(body for body in play.of("investigator") if FOLLOW_UP in said(body)))
    assert "A payment is tried again three times." in told
    assert "orders.py:3-4: The limit stands there." in told
    assert "calls read_file" in told
    assert "Your journal is shopkeeper-2.md." in told
    assert second["slug"] in link[0]


@pytest.mark.parametrize(
    "status", ["collecting", pytest.param("investigating", marks=pytest.mark.long), "pending-user"]
)
async def test_a_kill_between_the_save_and_task_json_is_mended_at_the_next_start(line: Line, status: str) -> None:
    """The file then says what the document says, and the journal has its status once."""
    async with dying(line, "after", status) as bot:
        await line.ana.say(QUESTION)
        await died_of(bot)
    dispatches = document(line)["dispatches"]
    assert len(dispatches) == (status != "collecting")
    async with living(line):
        await line.olu.card(QUESTION, '"approve"')
        made = task(line)
    (one,) = made["dispatches"]
    assert (made["slug"], one["status"]) == (document(line)["task"], "completed")
    assert [row for row in journal(line) if row.startswith("- Status:")] == ["- Status: completed (keyword)"]


PING_PONG = (*(calls(("read_file", {"path": "orders.py", "first": turn % 2 + 1})) for turn in range(9)), found())
LOOPS = {
    "repeats": (always(READ), "the same call 5 times in a row"),
    "ping-pong": (PING_PONG, "the same two calls in turn, 8 in a row"),
    "same-error": (always(calls(("rm", {"path": "/"}))), "the same error twice"),
}


@pytest.mark.parametrize("why", LOOPS)
async def test_a_run_that_goes_in_circles_says_so_to_people(line: Line, why: str) -> None:
    """A sentence on the card, a line in the journal, a status in the task."""
    turns, sentence = LOOPS[why]
    async with agents(line, bad_first("investigator", turns)):
        await line.ana.say(QUESTION)
        await line.olu.card("Without the model", sentence, '"redraft"')
    assert logged(line, "[triage] Without the model: the investigator ended without an answer: the model went in")
    assert logged(line, sentence)
    ends = [(one["model"], one["status"]) for one in task(line)["dispatches"]]
    assert ends == [("claude-opus-5-5", f"aborted: {why}"), ("keyword", "completed")]


async def test_a_silent_model_is_a_stall_beside_the_keyword_engines_draft(line: Line) -> None:
    """By the category's inactivity time; the run on the model keeps its status, the engine that stepped in has one."""
    async with agents(line, bad_first("investigator", always(hang)), more=routed(line, 0.02)):
        await line.ana.say(QUESTION)
        card = await line.olu.card("Without the model", "there was no progress for 1.2 seconds", '"approve"')
        await line.olu.evidence(card, "Drafted by the keyword engine")
    assert logged(line, "[triage] Without the model: there was no progress for 1.2 seconds", "shopkeeper.md")
    ends = [(one["model"], one["status"]) for one in task(line)["dispatches"]]
    assert ends == [("claude-opus-5-5", "aborted: stalled"), ("keyword", "completed")]
