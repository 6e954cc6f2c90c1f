"""Suppressed runs: each is an event of the system log, once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.models.thread_event import Due
from bot.triage.suppressed_runs import record_suppressed
from tests.builders import at, fresh, moved, ran
from tests.decide.test_escalating import DRY, begun, do, lost
from tests.decide.test_escalation import wished
from tests.decide.test_workflow import investigating
from tests.decide.unhealthy import collecting, ended, running

if TYPE_CHECKING:
    import pytest


def test_a_dry_run_is_recorded_once(caplog: pytest.LogCaptureFixture) -> None:
    """In the words of the specification, with the session that asked; a later change says nothing."""
    caplog.set_level(logging.INFO)
    before = investigating().evolve(runs=(ran(),))
    after = do(before, wished(before), DRY)
    record_suppressed(before, after)
    record_suppressed(after, after)
    (record,) = caplog.records
    expected = f"Escalation suppressed (dry run): would have escalated to tier 2 for: {after.task}"
    assert (record.levelname, record.getMessage()) == ("INFO", expected)
    assert record.__dict__["session"] == after.runs[-1].session_id


def test_the_end_of_a_process_has_an_event_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    """The supervisor records it."""
    caplog.set_level(logging.INFO)
    before = begun()
    record_suppressed(before, do(before, lost(before)))
    record_suppressed(None, before)
    assert not caplog.records


def test_a_question_without_runs_names_no_session(caplog: pytest.LogCaptureFixture) -> None:
    """It was suppressed before its start."""
    caplog.set_level(logging.INFO)
    record_suppressed(None, investigating().evolve(escalation_problem="`escalation.dry_run` is on"))
    assert caplog.records[0].__dict__["session"] is None


def test_a_dry_run_about_services_names_them(caplog: pytest.LogCaptureFixture) -> None:
    """Scenario "Info event when dry-run suppresses escalation": with the tier that would have been started."""
    caplog.set_level(logging.INFO)
    before = collecting()
    record_suppressed(before, moved(before, Due(at=at(2), fresh=fresh()), DRY))
    after = running()
    record_suppressed(after, moved(after, ended("down"), DRY))
    said = "Escalation suppressed (dry run): would have escalated to tier"
    assert [record.getMessage() for record in caplog.records] == [f"{said} 2 for: payments", f"{said} 3 for: payments"]
