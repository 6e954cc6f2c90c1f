"""A headless run by the investigator: from its task to return, handoff and transcript, on a scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.models.session import Session
from tests.escalation.bench import KEY, Bench, answer, gives, looks, unfinished
from tests.escalation.builders import FIRST, SECOND, handoff
from tests.model_server import Answer, Body, ModelServer, says, status
from tests.model_stream import slow_stream

NOTES = "I look where the limit is read, and at the changes of May, which may be the cause of it."


def settings(server: ModelServer, more: str = "") -> str:
    """Settings with this model."""
    return f"engine: claude\nmodel: {{base_url: '{server.url}'}}\n{more}"


def read_all(folder: Path) -> str:
    """Everything that stands in a folder."""
    return "\n".join(path.read_text(errors="replace") for path in sorted(folder.rglob("*")) if path.is_file())


async def test_an_answered_run_leaves_its_report_its_cost_and_a_readable_transcript(bench: Bench) -> None:
    """AC-07: the return is there before `.done`, and no file has the key that a model repeats."""
    async with ModelServer([looks(f"The key is {KEY}."), gives()]) as server:
        bench.begin(settings(server))
        assert await bench.run(KEY) == 0
    folder, returned = bench.folder, bench.returned
    assert (returned.outcome, returned.session_id, bench.handoff) == ("answered", FIRST, None)
    assert returned.report is not None
    assert (returned.report.engine, returned.report.project, returned.report.unopened) == ("claude", "shop", ())
    session = folder.read_session()
    assert session is not None
    assert (session.tier, session.outcome, session.num_turns, session.held_usd) == (2, "answered", 2, 0.0)
    assert session.spent_usd > 0
    assert folder.read_state() == "ended"
    lines = [line[10:] for line in bench.transcript.splitlines()]
    assert lines[0] == f"Tier 2 on thread {folder.thread_id}: session {FIRST}"
    assert lines[1] == "question: What is the retry limit?"
    assert "limits: claude-opus-5-5, 80 turns, 1 minutes, $1.00" in lines
    assert "turn 1, $0.0000 so far" in lines
    assert 'calls read_file {"path": "limits.py", "first": 1, "count": 1}' in lines
    assert any(line.startswith("read_file answers, ") and "RETRY_LIMIT = 5" in line for line in lines)
    assert lines[-1] == "Ended: answered"
    assert KEY not in read_all(bench.home)


async def test_an_agent_hands_over_by_its_answer(bench: Bench) -> None:
    """Scenario "Tier 2 writes handoff for Tier 3": code writes it, with the chain before it."""
    before = handoff(recommended_tier=2, findings="The limit is read twice.", tried=("docs",))
    async with ModelServer([says(json.dumps(unfinished()))]) as server:
        bench.begin(settings(server), handoff=before, parent_session_id=SECOND)
        assert await bench.run() == 0
    made = bench.handoff
    assert made is not None
    assert (made.recommended_tier, made.schema_version, made.missing) == (3, 1, "The change of May.")
    assert made.tried == ("docs", "git log of limits.py")
    assert made.findings.startswith("The limit is read twice.\n\nTier 2: Not settled yet.")
    assert bench.returned.report is not None
    asked = server.requests[0]["messages"][0]["content"][-1]["text"]
    assert "## Escalation Context\n" in asked
    assert "The limit is read twice." in asked.partition("## Escalation Context")[2]
    assert {tool["name"] for tool in server.requests[0]["tools"]}.isdisjoint({"Task", "task"})


async def test_the_last_tier_hands_nothing_over(bench: Bench) -> None:
    """Scenario "Escalation chain terminates at Tier 3": the transcript says so."""
    async with ModelServer([says(json.dumps(unfinished()))]) as server:
        bench.begin(settings(server), tier=3)
        assert await bench.run() == 0
    assert bench.handoff is None
    assert "Tier 3 is the last one: there is no handoff" in bench.transcript
    assert "No tier comes after this one" in server.requests[0]["system"][0]["text"]


@pytest.mark.parametrize(("tier", "hands"), [(2, True), pytest.param(3, False, marks=pytest.mark.long)])
async def test_the_time_limit_keeps_the_best_notes(bench: Bench, tier: int, hands: bool) -> None:
    """They are worth a handoff, where another tier comes; no findings are made of them."""
    async with ModelServer([looks(NOTES), slow_stream(says(f"{NOTES} " * 90), every=0.1)]) as server:
        bench.begin(settings(server), seconds=1.0, tier=tier)
        assert await bench.run() == (0 if hands else 1)
    returned, made = bench.returned, bench.handoff
    assert (returned.outcome, returned.report) == ("limit", None)
    assert returned.unchecked_notes.startswith(NOTES)
    assert (made is not None) == hands
    if made:
        assert made.findings.startswith(f"Tier 2: {NOTES}")
        assert made.missing.startswith("The tier ended at a limit before it was done: it took longer than 1 s;")
        assert made.tried == ('read_file {"path": "limits.py", "first": 1, "count": 1}',)


async def test_the_limit_of_turns_keeps_them_too(bench: Bench) -> None:
    """The limits are those of the tier."""
    async with ModelServer([looks(NOTES), looks(), looks()]) as server:
        bench.begin(settings(server, "tiers: {2: {max_turns: 2, model: claude-sonnet-5-5}}"))
        assert await bench.run() == 0
        assert {request["model"] for request in server.requests} == {"claude-sonnet-5-5"}
    assert (bench.returned.outcome, bench.returned.unchecked_notes) == ("limit", NOTES)
    assert bench.handoff is not None
    assert "The next turn is the last one: 2 turns" in bench.transcript


async def test_messages_of_the_thread_join_a_run_before_its_next_call(bench: Bench) -> None:
    """Each once, as text of others; a broken line is left out, and the transcript says so."""

    def script(body: Body) -> Answer:
        if len(server.requests) > 1:
            return gives()
        bench.folder.append_message("100.000002", "Ana", "It is about the ⟦night⟧ build.")
        with bench.folder.messages.open("a") as file:
            file.write('{"ts": broken\n{"ts": "100.000003", "by": "", "text": "still being wr')
        return looks()

    async with ModelServer(script) as server:
        bench.begin(settings(server))
        bench.folder.append_message("100.000001", "Ana", "Please hurry.")
        assert await bench.run() == 0
    first, second = (request["messages"][-1]["content"][-1]["text"] for request in server.requests)
    assert "Please hurry." in first
    assert 'author="Ana"⟧\nIt is about the [[night]] build.\n⟦end' in second
    assert bench.returned.read_messages == ("100.000001", "100.000002")
    assert "Ana writes in the thread: Please hurry." in bench.transcript
    assert "A message of the thread could not be read and is left out." in bench.transcript


async def test_waits_and_corrections_are_in_the_transcript(bench: Bench) -> None:
    """With the reason of each."""
    async with ModelServer([status(529), says("It is five."), looks(), gives()]) as server:
        bench.begin(settings(server))
        assert await bench.run() == 0
    assert "waits 2 s for the model's server and tries again" in bench.transcript
    assert "The answer goes back: it cannot be used: it has no JSON object" in bench.transcript


@pytest.mark.parametrize(
    ("text", "changes", "outcome", "reason"),
    [
        ("engine: claude", {}, "no_key", "there is no key for the model; set ANTHROPIC_API_KEY"),
        ("engine: keyword", {}, "failed", "no model may be asked"),
        ("engine: gpt", {}, "failed", "engine: expected 'claude' or 'keyword'"),
        ("engine: claude\ntiers: {2: {prompt: gone.md}}", {}, "failed", "tiers.2.prompt: "),
        (
            "engine: claude\nmcp: {servers: {a: {command: [a], tools: {b: read_only}, env: [GONE]}}}",
            {},
            "failed",
            "GONE",
        ),
        ("engine: claude", {"settings_file": Path("/nowhere/triage.yml")}, "failed", "/nowhere/triage.yml"),
    ],
)
async def test_a_run_that_cannot_begin_returns_the_reason(
    bench: Bench, text: str, changes: dict[str, Any], outcome: str, reason: str
) -> None:
    """Never without a return, and without a cost."""
    bench.begin(text, **changes)
    assert await bench.run() == 1
    assert (bench.returned.outcome, reason in bench.returned.reason) == (outcome, True)
    assert bench.folder.read_state() == "ended"
    session = bench.folder.read_session()
    assert session is None or session.spent_usd == 0


async def test_a_tree_that_is_gone_is_the_reason(bench: Bench) -> None:
    """The pinned tree of a repository may have been removed."""
    bench.begin("engine: claude")
    found = bench.folder.read_task()
    assert found is not None
    moved = found.assignment.projects[0].evolve(root=bench.path / "gone")
    bench.begin("engine: claude", assignment=found.assignment.evolve(projects=(moved,)))
    assert await bench.run() == 1
    assert bench.returned.reason.startswith("the code of shop as it was at the start is gone: ")


async def test_money_ends_a_run_before_it_is_spent(bench: Bench) -> None:
    """The sum of its task is its cap, whatever the settings allow."""
    async with ModelServer([looks()] * 9) as server:
        bench.begin(settings(server), usd=0.001)
        assert await bench.run() == 1
    assert bench.returned.outcome == "over_cap"
    assert "$0.00" in bench.returned.reason
    assert "/triage allow" not in bench.returned.reason


async def test_a_disk_that_takes_no_return_leaves_no_end(bench: Bench) -> None:
    """Its folder then looks like that of a process that died, which the bot tells."""
    async with ModelServer([looks(), gives()]) as server:
        bench.begin(settings(server))
        bench.folder.path.joinpath("return.json.tmp").mkdir()
        assert await bench.run() == 1
    assert bench.folder.read_state() == "died"
    assert "The result could not be written" in bench.transcript


async def test_a_disk_that_takes_no_session_ends_the_run(bench: Bench) -> None:
    """Nothing is asked that could not be accounted for."""
    async with ModelServer([]) as server:
        bench.begin(settings(server))
        bench.folder.path.joinpath("session.json.tmp").mkdir()
        assert await bench.run() == 1
        assert not server.requests
    assert "the session could not be saved" in bench.returned.reason


async def test_a_handoff_of_somebody_else_is_removed(bench: Bench) -> None:
    """Only code writes it, at the end of a run."""
    async with ModelServer([looks(), gives()]) as server:
        folder = bench.begin(settings(server))
        folder.handoff.write_text(handoff().model_dump_json())
        assert await bench.run() == 0
    assert bench.handoff is None
    assert Session.model_validate_json(folder.session.read_bytes()).outcome == "answered"
    assert answer()["draft_reply"] in folder.returned.read_text()
