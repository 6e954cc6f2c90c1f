"""Longer runs as an effect: the assignment goes to the port, and its end becomes the event of any run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import Unreachable
from bot.models.effect import Escalate
from bot.models.escalation import HeadlessReturn, TierEnd
from bot.models.findings import Assignment, EngineReport
from bot.models.project import Project
from bot.models.thread import Thread
from bot.models.thread_event import Findings, RunFailed
from bot.triage.assignments import PreparedRun
from bot.triage.effects import Effects
from bot.triage.repeated_questions import EarlierAnswers
from bot.triage.run_results import RunResults
from tests.builders import findings
from tests.decide.test_escalating import begun, deeper
from tests.fakes import HandClock

KEY = "xoxb-" + "1" * 12 + "-abcdefghijkl"
REPORT = EngineReport(project="shop", engine="claude", findings=findings())


class Unread:
    """Names and files are as they are."""

    async def thread(self, thread: Thread) -> Thread:
        """The thread itself."""
        return thread


class Fetched:
    """Code that is up to date."""

    def old_since(self, name: str) -> None:
        """Never old."""


@dataclass
class Processes:
    """`Escalations` that end as a test says; keeps what it was given."""

    end: TierEnd | Exception
    given: list[tuple[Thread, str, Assignment]] = field(default_factory=list)

    async def run(self, thread: Thread, run_id: str, assignment: Assignment) -> TierEnd:
        """The end of the test."""
        self.given.append((thread, run_id, assignment))
        if isinstance(self.end, Exception):
            raise self.end
        return self.end


@dataclass
class Prepares:
    """One project, two trees of which were fetched one after the other."""

    root: Path

    async def prepare(self, thread: Thread, *, reads_hints: bool) -> PreparedRun:
        """The newest tree."""
        project = Project(name="shop", root=self.root / "new")
        return PreparedRun(
            assignment=Assignment(question=thread.question, projects=(project,)), projects=(project,), kept_back=()
        )


@dataclass
class Answered:
    """Repeated questions with one answer, or none."""

    report: EngineReport | None

    async def look(self, thread: Thread) -> EarlierAnswers:
        """The answer."""
        return EarlierAnswers(report=self.report)


def effects(root: Path, processes: Processes | None, **changes: Any) -> Effects:
    """Effects of which only those of longer runs work."""
    nothing: Any = None
    clock, redactor = HandClock(), Redactor()
    engine: Any = type("Engine", (), {"name": "claude"})
    values: dict[str, Any] = {
        "engine": engine,
        "assignments": Prepares(root),
        "results": RunResults(clock=clock, fetches=Fetched(), redactor=redactor),  # type: ignore[arg-type]  # part of it
        "delivery": nothing,
        "notes": nothing,
        "checking": nothing,
        "edits": nothing,
        "naming": Unread(),
        "clock": clock,
        "deadline": 0.001,
        "seats": asyncio.Semaphore(0),
        "views": nothing,
        "escalations": processes,
    }
    return Effects(**(values | changes))


def returned(**changes: Any) -> HeadlessReturn:
    """What the process left."""
    return HeadlessReturn(**({"session_id": "20260105T090003-tier2", "outcome": "answered"} | changes))


async def run(made: Effects, thread: Thread) -> Any:
    """The event of the thread's longer run."""
    return await made.run(thread, Escalate(run_id=thread.run_id or ""))


async def test_a_report_becomes_findings_as_of_any_run(tmp_path: Path) -> None:
    """Neither the investigator's deadline nor its seats apply; the check reads the tree that the process has read."""
    old = Project(name="shop", root=tmp_path / "old")
    hidden = Project(name="secret", root=tmp_path / "secret")
    said = REPORT.evolve(findings=findings(research_notes=f"The key is {KEY}."))
    end = TierEnd(
        returned=returned(report=said, read_messages=("103.1",)),
        next_tier=3,
        next_reason=f"it needs {KEY}",
        refusal="none",
        assignment=Assignment(question="?", projects=(old, hidden)),
    )
    processes, thread = Processes(end), begun()
    made = effects(tmp_path, processes)
    event = await run(made, thread)
    assert isinstance(event, Findings)
    assert (event.run_id, event.read_messages, event.next_tier, event.problem) == (thread.run_id, ("103.1",), 3, "none")
    assert KEY not in event.report.findings.research_notes
    assert KEY not in event.next_reason
    assert event.draft.draft_id
    ((given, run_id, assignment),) = processes.given
    assert (given.thread_id, run_id) == (thread.thread_id, thread.run_id)
    assert assignment.question == thread.question
    assert made.results.take(event.run_id) == (old, None)
    assert made.results.take(event.run_id) == (None, None)


@pytest.mark.parametrize(("outcome", "why"), [("limit", "limit"), ("cancelled", "stopped"), ("died", None)])
async def test_a_return_without_a_report_is_a_failure_with_its_reason(
    tmp_path: Path, outcome: str, why: str | None
) -> None:
    """And with its best text, both without secrets."""
    end = TierEnd(
        returned=returned(outcome=outcome, reason=f"it met {KEY}", unchecked_notes=f"Perhaps {KEY}."), is_started=False
    )
    event = await run(effects(tmp_path, Processes(end)), begun())
    assert isinstance(event, RunFailed)
    assert (event.why, event.is_started, KEY in event.reason, KEY in event.unchecked_notes) == (
        why,
        False,
        False,
        False,
    )
    assert event.reason.startswith("it met ")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(Unreachable("the folder is gone"), "the folder is gone"), (ValueError("x"), "the investigation failed")],
)
async def test_an_error_ends_the_run_with_its_reason(tmp_path: Path, error: Exception, reason: str) -> None:
    """A thread never waits for a run that nobody watches."""
    event = await run(effects(tmp_path, Processes(error)), begun())
    assert isinstance(event, RunFailed)
    assert event.reason.startswith(reason)


async def test_without_processes_a_tier_is_not_started(tmp_path: Path) -> None:
    """Its question goes back to where it was."""
    event = await run(effects(tmp_path, None), begun())
    assert (event.reason, event.is_started) == ("nothing starts longer runs here", False)


@pytest.mark.parametrize(("story", "given"), [(begun, 0), (deeper, 1)])
async def test_an_earlier_answer_is_reused_before_a_longer_run(tmp_path: Path, story: Any, given: int) -> None:
    """But not where the operator asked for more, nor once the process runs."""
    processes = Processes(TierEnd(returned=returned(report=REPORT)))
    made = effects(tmp_path, processes, repeated_questions=Answered(REPORT))
    event = await run(made, story())
    assert (len(processes.given), event.is_started) == (given, bool(given))
    started = begun()
    assert started.escalation
    running = started.evolve(escalation=started.escalation.evolve(session_id="20260105T090003-tier2"))
    assert (await run(made, running)).is_started
