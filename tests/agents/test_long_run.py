"""A run of tier 2 or 3 inside the loop: its session, its prompt, its log, and messages that come in meanwhile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.adapters.claude import Server
from bot.agents.investigator import Investigator
from bot.agents.investigator_output import InvestigatorOutput
from bot.agents.long_run import LongRun, LongRunOutput
from bot.agents.loop import Loop
from bot.agents.run import Run
from bot.agents.run_artifacts import RunArtifacts
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.models.findings import Assignment
from bot.models.model_parameters import ModelParameters
from bot.models.project import Project
from bot.models.role import Category
from bot.models.session import Session
from bot.models.turn import Call, Result, Turn
from bot.tools.knowledge import Knowledge
from tests.agents.test_investigator import Slow
from tests.agents.test_ledger import ledger
from tests.fakes import LeapingClock, MemoryJournal
from tests.model_server import Body, ModelServer, calls, says
from tests.tools.conftest import make_guard

SESSION = "20260105T090000-long"
ANSWER: Body = {
    "confidence": "low",
    "confidence_reason": "Little was found.",
    "summary_for_orchestrator": "Nothing yet.",
    "draft_reply": "Not found yet.",
    "draft_language": "en",
    "evidence_refs": [],
    "research_notes": "Looked at the limits.",
    "escalation_requested": True,
    "tried": ["bot/limits.py"],
    "missing": "The history of the limit.",
}


class Log:
    """A `RunLog` that is a list."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def say(self, text: str) -> None:
        """Keep the line."""
        self.lines.append(text)

    async def record_turn(self, turn: Turn) -> None:
        """Keep the number of its calls."""
        self.lines.append(f"{len(turn.calls)} calls")

    async def record_results(self, wanted: Sequence[Call], results: Sequence[Result]) -> None:
        """Keep the number of results."""
        self.lines.append(f"{len(results)} results")

    async def record_end(self, outcome: str, reason: str) -> None:
        """Keep the outcome."""
        self.lines.append(outcome)


class Thread:
    """Messages that come in before a turn, by its number."""

    def __init__(self, **messages: str) -> None:
        self.messages = {int(turn.removeprefix("turn")): text for turn, text in messages.items()}
        self.seen: list[str] = []

    async def before_turn(self, session: Session) -> Sequence[str]:
        """The message of this turn, once."""
        self.seen.append(session.session_id)
        text = self.messages.pop(session.num_turns, None)
        return [text] if text else []


async def ran(
    tmp_path: Path, script: Sequence[Any], thread: Thread, **changes: Any
) -> tuple[Run[Any], Log, list[Body]]:
    """A long run about a folder with one file: its run as kept, its log, the requests."""
    (tmp_path / "limits.py").write_text("LIMIT = 3\n")
    log, clock = Log(), LeapingClock()
    kept: list[Run[Any]] = []

    async def keep(run: Run[InvestigatorOutput]) -> None:
        kept.append(run)

    long_run = LongRun(
        tier=2,
        session_id=SESSION,
        parent_session_id="20260105T085500-first",
        prompt="You may take long.",
        context="## Escalation Context\n\nThe first tier found nothing.",
        log=log,
        before_turn=thread.before_turn,
        keep=keep,
    )
    async with ModelServer(script) as server:
        there = Server(key=None, base_url=server.url, timeout=5)
        model = there.model("claude-opus-5-5", ModelParameters(max_tokens=1_000))
        investigator = Investigator(
            loop=Loop(model=model, ledger=ledger(cap=99.0)[0], clock=clock),
            limits=RunLimits(usd=9.0, turns=40),
            guard=make_guard(),
            scout=Slow(clock, 0),
            knowledge=Knowledge(replies=MemoryJournal(), home=tmp_path),
            servers=(),
            artifacts=RunArtifacts(tasks=None, redactor=Redactor()),
            long_run=long_run,
        )
        project = Project(name="triage", root=tmp_path)
        try:
            await investigator.investigate(Assignment(question="where?", projects=(project,), **changes))
        finally:
            await there.close()
        return kept[0], log, server.requests


async def test_a_long_run_has_the_session_and_the_form_of_its_tier(tmp_path: Path) -> None:
    """Its prompt goes on after that of every investigator, and the handoff stands behind the question."""
    run, log, asked = await ran(tmp_path, [says(json.dumps(ANSWER))], Thread())
    session = run.session
    assert (session.session_id, session.tier, session.parent_session_id) == (SESSION, 2, "20260105T085500-first")
    assert isinstance(run.answer, LongRunOutput)
    assert (run.answer.tried, run.answer.missing) == (("bot/limits.py",), "The history of the limit.")
    assert asked[0]["system"][0]["text"].endswith("You may take long.")
    assert "# The question, word for word" in (first := asked[0]["messages"][0]["content"][-1]["text"])
    assert first.endswith("The first tier found nothing.")
    assert log.lines == ["0 calls", "answered"]


async def test_messages_join_the_conversation_before_the_next_call(tmp_path: Path) -> None:
    """After the results of the calls before."""
    thread = Thread(turn1="It is about the night build.")
    look = calls(("read_file", {"path": "limits.py"}))
    _, log, asked = await ran(tmp_path, [look, says("prose"), says(json.dumps(ANSWER))], thread)
    assert [block["type"] for block in asked[1]["messages"][-1]["content"]] == ["tool_result", "text"]
    assert asked[1]["messages"][-1]["content"][-1]["text"] == "It is about the night build."
    assert set(thread.seen) == {SESSION}
    assert log.lines[:3] == ["1 calls", "1 results", "0 calls"]
    assert log.lines[3].startswith("The answer goes back: it cannot be used: ")


async def test_a_category_narrows_only_the_silence_of_a_long_run(tmp_path: Path) -> None:
    """Turns and money are those of its tier."""
    category = Category(turns=2, usd=0.01, inactivity_timeout_min=1)
    look = calls(("read_file", {"path": "limits.py"}))
    run, _, _ = await ran(tmp_path, [look, look, says(json.dumps(ANSWER))], Thread(), allowed=category)
    assert (run.session.outcome, run.session.num_turns) == ("answered", 3)
