"""The engine that is always there: which failures it answers, and that it says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.agents.fallback import FallbackEngine
from bot.errors import NoKey, OverCap, Refused, TriageError, Unreachable
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


@pytest.mark.parametrize("problem", [Unreachable("no answer (529)"), OverCap("$5.00 a day"), NoKey("there is no key")])
async def test_the_keyword_engine_answers_once_and_the_report_says_why(problem: TriageError) -> None:
    """Where the model is unreachable, over its cap or without a key."""
    second = Plain("keyword")
    report = await FallbackEngine(first=Plain("claude", problem), second=second).investigate(ASSIGNMENT)
    assert (report.engine, report.fallback, second.asked) == ("keyword", str(problem), 1)


@pytest.mark.parametrize(
    "problem", [Refused("too long", code="400"), TriageError("went in a circle"), RuntimeError("x")]
)
async def test_other_failures_are_the_runs_own(problem: Exception) -> None:
    """A run that ended with a reason is not hidden behind another engine's draft."""
    second = Plain("keyword")
    with pytest.raises(type(problem)) as raised:
        await FallbackEngine(first=Plain("claude", problem), second=second).investigate(ASSIGNMENT)
    assert raised.value is problem
    assert second.asked == 0


async def test_when_neither_answers_both_reasons_are_said() -> None:
    """The operator learns what to mend."""
    engine = FallbackEngine(
        first=Plain("claude", Unreachable("overloaded")), second=Plain("keyword", TriageError("no ripgrep"))
    )
    with pytest.raises(TriageError, match="overloaded; the keyword engine has no answer either: no ripgrep"):
        await engine.investigate(ASSIGNMENT)
