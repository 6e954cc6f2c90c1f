"""The investigator around its loop: what it asks for before the model, and what that leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.agents.investigator import LEAST_SECONDS, Investigator
from bot.agents.investigator_output import InvestigatorOutput
from bot.agents.run_artifacts import RunArtifacts
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError, Unreachable
from bot.models.findings import Assignment, EngineReport
from bot.models.project import Project
from bot.models.role import Category
from bot.tools.knowledge import Knowledge
from prompts.render import render
from tests.fakes import HandClock, MemoryJournal
from tests.tools.conftest import make_guard


class Silent:
    """A loop whose model cannot be reached; it keeps what it was asked."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.asked: list[Any] = []

    async def run(self, task: Any) -> Any:
        """Keep the task."""
        self.asked.append(task)
        raise Unreachable("no answer")


class Slow:
    """A scout that takes its time and finds nothing."""

    name = "keyword"

    def __init__(self, clock: HandClock, seconds: float) -> None:
        self.clock, self.seconds = clock, seconds

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Nothing, late."""
        await self.clock.move(self.seconds)
        raise TriageError("nothing")


def desk(tmp_path: Path, loop: Silent, *, before: float = 0, **limits: Any) -> Investigator:
    """An investigator whose scout takes `before` seconds."""
    return Investigator(
        loop=loop,  # type: ignore[arg-type]  # as far as it is used
        limits=RunLimits(**limits),
        guard=make_guard(),
        scout=Slow(loop.clock, before),
        knowledge=Knowledge(replies=MemoryJournal(), home=tmp_path),
        servers=(),
        artifacts=RunArtifacts(tasks=None, redactor=Redactor()),
    )


@pytest.mark.parametrize(("before", "left"), [(0, 270), (100, 170), (400, LEAST_SECONDS)])
async def test_what_comes_before_the_model_is_taken_from_its_time(tmp_path: Path, before: float, left: float) -> None:
    """Or a slow search and a silent model together would leave none for the keyword engine."""
    loop = Silent()
    investigator = desk(tmp_path, loop, before=before, seconds=270)
    with pytest.raises(Unreachable):
        await investigator.investigate(Assignment(question="where?", projects=(Project(name="triage", root=tmp_path),)))
    (task,) = loop.asked
    assert task.limits.seconds == left


@pytest.mark.parametrize(
    ("turns", "usd", "taken"), [(5, 0.5, (5, 0.5, 180)), (60, 2.0, (60, 2.0, 180)), (60, 9.0, (60, 2.5, 180))]
)
async def test_a_category_says_what_a_run_may_take(
    tmp_path: Path, turns: int, usd: float, taken: tuple[int, float, float]
) -> None:
    """As many turns and as little silence as it says; never more money than any run may cost."""
    loop = Silent()
    category = Category(inactivity_timeout_min=3, turns=turns, usd=usd)
    project = Project(name="triage", root=tmp_path)
    with pytest.raises(Unreachable):
        await desk(tmp_path, loop, usd=2.5).investigate(
            Assignment(question="where?", projects=(project,), allowed=category)
        )
    (task,) = loop.asked
    assert (task.limits.turns, task.limits.usd, task.limits.idle_seconds) == taken


async def test_a_small_model_gets_two_tools_and_a_short_prompt(tmp_path: Path) -> None:
    """No other tool is named to it; the form of its findings is that of any model."""
    loop = Silent()
    assignment = Assignment(question="where?", projects=(Project(name="triage", root=tmp_path, knowledge=(tmp_path,)),))
    for is_small in (False, True):
        with pytest.raises(Unreachable):
            await replace(desk(tmp_path, loop), is_small=is_small).investigate(assignment)
    full, small = loop.asked
    assert [tool.name for tool in small.tools] == ["read_file", "search"]
    assert len(small.tools) < len(full.tools)
    assert len(small.prompt) < len(full.prompt) / 2
    assert "search_knowledge" in full.question
    assert "search_knowledge" not in small.question + small.prompt
    assert small.form is full.form


def test_the_short_prompt_names_every_field_that_findings_need() -> None:
    """A model that leaves one out has its answer sent back."""
    needed = {name for name, field in InvestigatorOutput.model_fields.items() if field.is_required()}
    assert {name for name in needed if f"`{name}`" not in render("investigator_small")} == set()
