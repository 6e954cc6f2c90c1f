"""The journal of a run: one safe line for each thing that an agent does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.adapters.tasks import TaskFolders
from bot.agents.journal import MAX_LINE, RunJournal, sanitize_line
from bot.decide.redaction.redactor import Redactor
from bot.models.turn import Call, Result, Turn, Usage
from tests.fakes import HandClock

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\n- 09:00 — [triage] two", "one - 09:00 — [triage] two"),
        ("\x1b[2J\x1b]0;title\x07done", "[2J ]0;title done"),
        (f"key {TOKEN} is set", "key [redacted] is set"),
        ("x" * (MAX_LINE + 1), "x" * (MAX_LINE - 1) + "…"),
        (f"{'x' * (MAX_LINE - 10)} {TOKEN}", f"{'x' * (MAX_LINE - 10)} [redacte…"),
    ],
)
def test_a_line_is_one_line_without_secrets_or_commands_to_a_terminal(text: str, expected: str) -> None:
    """Whatever a model or a tool says; a secret is taken out before the line is cut."""
    assert sanitize_line(Redactor(), text) == expected


async def test_turns_and_calls_are_told_as_they_happen(tmp_path: Path) -> None:
    """What the model said, what it called with which input, what came of it; the answer itself is no line."""
    tasks = TaskFolders(tmp_path)
    journal = RunJournal(tasks=tasks, redactor=Redactor(), clock=HandClock(), task="fix-it", name="a.md")
    calls = (Call(call_id="1", tool="read_file", input={"path": "a"}), Call(call_id="2", tool="search", input={}))
    await journal.record_turn(Turn(text="I look.", calls=calls, stop="calls", usage=Usage(), content=()))
    results = (Result(call_id="1", text="1234"), Result(call_id="2", text="no text", failed=True))
    await journal.record_results(calls, results)
    await journal.record_results(calls[:1], (Result(call_id="1", text="not run: no room", was_run=False),))
    await journal.record_turn(Turn(text='{"answer": 1}', calls=(), stop="answered", usage=Usage(), content=()))
    await journal.record_end("answered", "")
    assert (tmp_path / "fix-it/a.md").read_text().splitlines() == [
        "- 09:00 — [agent] I look.",
        '- 09:00 — [agent] calls read_file {"path": "a"}',
        "- 09:00 — [agent] calls search {}",
        "- 09:00 — [agent] read_file answers, 4 characters",
        "- 09:00 — [agent] search failed: no text",
        "- 09:00 — [agent] read_file: not run: no room",
        "- 09:00 — [agent] answered",
    ]


async def test_a_disk_that_fails_loses_no_answer(tmp_path: Path) -> None:
    """The line is lost, and the log says so."""
    (tmp_path / "fix-it").write_text("no folder")
    await RunJournal(
        tasks=TaskFolders(tmp_path), redactor=Redactor(), clock=HandClock(), task="fix-it", name="a.md"
    ).say("one")
    assert (tmp_path / "fix-it").read_text() == "no folder"
