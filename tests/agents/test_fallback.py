"""The engine that is always there: which failures it answers, and that it says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.agents.fallback import FallbackEngine
from bot.errors import NoKey, OverCap, Refused, Stopped, TriageError, Unreachable
from bot.models.findings import Assignment, EngineReport
from bot.models.project import Project
from tests.builders import findings

ASSIGNMENT = Assignment(question="where?", projects=(Project(name="triage", root=Path("/")),))


class Plain:
    """An engine that does one thing, and counts how often."""

    def __init__(self, name: str, problem: Exception | None = None) -> None:
        self.name = name
        self.problem = problem
        self.asked = 0

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Raise or answer."""
        self.asked += 1
        if self.problem:
            raise self.problem
        return EngineReport(project="triage", engine=self.name, findings=findings())


async def test_an_engine_that_works_answers_alone() -> None:
    """The second one is not asked."""
    second = Plain("keyword")
    report = await FallbackEngine(first=Plain("claude"), second=second).investigate(ASSIGNMENT)
    assert (report.engine, report.fallback, second.asked) == ("claude", None, 0)


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (Unreachable("no answer (529)"), "unreachable"),
        (OverCap("$5.00 a day"), "over-cap"),
        (NoKey("there is no key"), "no-key"),
        (Stopped("it went in a circle", why="repeats"), "repeats"),
        (Refused("too long", code="400"), None),
        (TriageError("the answer never fits"), None),
    ],
)
async def test_the_keyword_engine_answers_once_and_the_report_says_why(problem: TriageError, why: str | None) -> None:
    """Whatever ended the run; its text comes along, and is no part of the draft."""
    second = Plain("keyword")
    problem.unchecked_notes = "Perhaps three."
    report = await FallbackEngine(first=Plain("claude", problem), second=second).investigate(ASSIGNMENT)
    assert (report.engine, report.fallback, second.asked) == ("keyword", str(problem), 1)
    assert (report.fallback_why, report.unchecked_notes) == (why, "Perhaps three.")
    assert "Perhaps" not in report.findings.model_dump_json()


async def test_a_fault_of_the_program_is_no_reason_for_another_engine() -> None:
    """It is logged, and the run fails."""
    second = Plain("keyword")
    with pytest.raises(RuntimeError):
        await FallbackEngine(first=Plain("claude", RuntimeError("x")), second=second).investigate(ASSIGNMENT)
    assert second.asked == 0


async def test_when_neither_answers_both_reasons_are_said() -> None:
    """The operator learns what to mend."""
    away = Unreachable("overloaded")
    away.unchecked_notes = "Perhaps three."
    engine = FallbackEngine(first=Plain("claude", away), second=Plain("keyword", TriageError("no ripgrep")))
    with pytest.raises(TriageError, match="overloaded; the keyword engine has no answer either: no ripgrep") as raised:
        await engine.investigate(ASSIGNMENT)
    assert raised.value.unchecked_notes == "Perhaps three."
