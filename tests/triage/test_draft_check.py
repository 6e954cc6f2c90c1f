"""Checking: what the validator is given, when it is asked at all, and what becomes of its failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.errors import TriageError, Unreachable
from bot.models.project import Project
from bot.models.thread_event import EvidenceFailed, RunFailed, Validated
from bot.models.verdict import Review, ValidatorReturn
from bot.triage.draft_check import DraftChecker
from bot.triage.evidence_recheck import EvidenceRecheck
from tests.builders import ran, validator
from tests.decide.test_workflow import awaiting
from tests.fakes import HandClock, NothingMissed, projects


class Judge:
    """A validator that does one thing, and keeps what it was given."""

    def __init__(self, problem: Exception | None = None, **said: Any) -> None:
        self.problem, self.said = problem, said
        self.reviews: list[Review] = []

    async def validate(self, review: Review) -> ValidatorReturn:
        """Raise or judge."""
        self.reviews.append(review)
        if self.problem:
            raise self.problem
        return validator(**self.said)


def checking(root: Path, judge: Judge, *, line: str = "limit = 3", **changes: Any) -> DraftChecker:
    """A checking of the drafts of the keyword engine, over a project with one file."""
    (root / "bot").mkdir()
    (root / "bot" / "a.py").write_text(f"{line}\n")
    roots = projects(Project(name="triage", root=root))
    values: dict[str, Any] = {"seconds": 30, "validator": judge, "drafts_of": "keyword"}
    return DraftChecker(
        evidence=EvidenceRecheck(projects=roots),
        clock=HandClock(),
        catch_up=NothingMissed(),  # type: ignore[arg-type]  # the fake has what is called
        **(values | changes),
    )


async def test_the_validator_gets_draft_checks_and_what_no_cited_text_carries(tmp_path: Path) -> None:
    """A number of the draft that stands in neither the question nor the cited line."""
    judge, waiting = Judge(), awaiting()
    assert waiting.investigator_return is not None
    claimed = waiting.investigator_return.evolve(draft_reply="It is 42 and set in `bot/a.py:1`.")
    thread = waiting.evolve(runs=(ran(), ran(2, "validator")), investigator_return=claimed)
    made = await checking(tmp_path, judge).check(thread, "run")
    assert isinstance(made, Validated)
    assert (made.unsupported, made.unvalidated) == (("42",), None)
    (review,) = judge.reviews
    assert (review.unsupported, review.parent_session_id) == (("42",), ran().session_id)
    assert [check.result for check in review.checks] == ["ok"]
    assert (review.others, review.thread_id) == ((), thread.thread_id)


async def test_a_reference_that_does_not_stand_never_reaches_the_validator(tmp_path: Path) -> None:
    """Nor does one whose lines nobody opened."""
    judge = Judge()
    made = await checking(tmp_path, judge, line="limit = 4").check(awaiting(), "run")
    assert isinstance(made, EvidenceFailed)
    (tmp_path / "bot" / "a.py").write_text("limit = 3\n")
    (tmp_path / "second").mkdir()
    unopened = awaiting().evolve(unopened=("bot/a.py:1",))
    made = await checking(tmp_path / "second", judge).check(unopened, "run")
    assert isinstance(made, EvidenceFailed)
    assert made.checks[0].reason == "the investigator did not open it in its run"
    assert judge.reviews == []


async def test_the_drafts_of_another_engine_are_checked_by_code_alone(tmp_path: Path) -> None:
    """As those that the keyword engine made in the model's place."""
    judge = Judge()
    made = await checking(tmp_path, judge, drafts_of="claude").check(awaiting(), "run")
    assert isinstance(made, Validated)
    assert (made.validator_return, made.unvalidated, judge.reviews) == (None, None, [])


@pytest.mark.parametrize("problem", [Unreachable("overloaded (529)"), TriageError("it is empty, 2 times")])
async def test_a_failure_of_the_validator_is_said_and_keeps_no_draft_back(tmp_path: Path, problem: TriageError) -> None:
    """The operator decides, and knows why there is no verdict."""
    made = await checking(tmp_path, Judge(problem)).check(awaiting(), "run")
    assert isinstance(made, Validated)
    assert (made.validator_return, made.unvalidated) == (None, str(problem))


async def test_no_secret_of_a_verdict_is_saved(tmp_path: Path) -> None:
    """A validator may quote what it read."""
    token = "".join(("gh", "p_", "a1B2c3D4" * 5))
    made = await checking(tmp_path, Judge(reasons=(f"It shows {token}.",))).check(awaiting(), "run")
    assert isinstance(made, Validated)
    assert made.validator_return
    assert made.validator_return.reasons == ("It shows [redacted].",)


async def test_a_draft_is_checked_against_what_its_investigation_read(tmp_path: Path) -> None:
    """Its project may have been edited or deleted since; of another project it is no use."""
    judge = Judge()
    (tmp_path / "read").mkdir()
    (tmp_path / "now").mkdir()
    read = checking(tmp_path / "read", judge).evidence.projects.list_all()[0]
    changed = checking(tmp_path / "now", judge, line="limit = 4")
    assert isinstance(await changed.check(awaiting(), "run"), EvidenceFailed)
    assert isinstance(await changed.check(awaiting(), "run", read), Validated)
    assert isinstance(await changed.check(awaiting(), "run", read.evolve(name="other")), EvidenceFailed)


async def test_a_draft_without_any_project_fails_with_that_reason(tmp_path: Path) -> None:
    """The reason names no project that nobody has configured."""
    made = await checking(tmp_path, Judge()).check(awaiting().evolve(project=""), "run")
    assert isinstance(made, RunFailed)
    assert made.reason == "there was no project to search"
