"""Presses on a proposed runbook, at the operator's desk: judged by the settings as they are now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from blocks.remedy import RUN
from bot.approval.answers import FIRST_TO_RUN, RUNBOOK_CHANGED, RUNBOOK_RESTS, RUNBOOK_UNNEEDED, RUNS_STOPPED
from bot.decide.workflow.remedies import TWICE
from bot.models.effect import RunRunbook
from bot.models.thread import Thread
from bot.triage.controls import Controls
from tests.approval.test_actions import BEN, Office
from tests.builders import OPERATOR, at, validated
from tests.decide.unhealthy import collecting as incident_of
from tests.decide.unhealthy import proposing, remedy
from tests.fakes import MemoryKept, settle
from tests.runbooks import RESTART


async def with_proposal(office: Office) -> Thread:
    """A card with a runbook."""
    thread_id = await office.open("1.1")
    about = incident_of().incident
    office.store.saved[thread_id] = office.store.saved[thread_id].evolve(incident=about)
    await office.orchestrator.submit(thread_id, proposing(office.store.saved[thread_id], remedy()))
    await office.orchestrator.submit(thread_id, validated(office.store.saved[thread_id]))
    return office.store.saved[thread_id]


def runs(office: Office) -> list[Any]:
    """The runbooks that were started."""
    return [effect for _, effect in office.effects.started if isinstance(effect, RunRunbook)]


def last(office: Office, thread: Thread) -> Any:
    """The runbook of the saved thread."""
    about = office.store.saved[thread.thread_id].incident
    assert about
    return about.remedies[-1]


async def test_a_press_runs_the_proposal_once_and_is_in_the_audit_log() -> None:
    """A second press learns who was first."""
    office = Office()
    thread = await with_proposal(office)
    await office.approval.handle_press(office.press(thread, RUN))
    await office.approval.handle_press(office.press(thread, RUN, user_id=BEN))
    await settle()
    assert len(runs(office)) == 1
    assert (last(office, thread).state, last(office, thread).decided_by) == ("approved", OPERATOR)
    assert [(entry["action"], entry["user_id"]) for entry in office.audit.kept] == [(RUN, OPERATOR), (RUN, BEN)]
    assert office.audit.kept[0]["result"] == "done"
    assert f"<@{OPERATOR}> has approved the runbook" in office.chat.notices[0]
    await office.orchestrator.stop()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ((), "The settings no longer have the runbook `restart-payments`."),
        ((RESTART.evolve(name="other"),), "The settings no longer have the runbook `restart-payments`."),
        ((RESTART.evolve(argv=("reboot",)),), "`restart-payments` is another program now."),
        ((RESTART.evolve(timeout_s=3),), "the time limit of `restart-payments` is 3 s, not 60 s."),
        ((RESTART.evolve(services=("orders",)),), "The settings no longer name `restart-payments` for payments."),
    ],
)
async def test_a_runbook_whose_settings_changed_is_not_run(changed: Any, why: str) -> None:
    """The answer names the change and the next step, and the proposal stays as it was."""
    office = Office()
    thread = await with_proposal(office)
    office.runbooks.offered = changed
    await office.approval.handle_press(office.press(thread, RUN))
    assert (runs(office), last(office, thread).state) == ([], "proposed")
    (notice,) = office.chat.notices
    assert notice.endswith(f"{why} {RUNBOOK_CHANGED}")
    await office.orchestrator.stop()


async def test_a_runbook_that_rests_is_not_run() -> None:
    """It may be pressed again later."""
    office = Office()
    thread = await with_proposal(office)
    office.runbooks.rest = "It was started at 2026-01-05 09:00 UTC."
    await office.approval.handle_press(office.press(thread, RUN))
    time = "<!date^1767603600^{date_short_pretty} {time}|2026-01-05 09:00 UTC>"
    assert (office.chat.notices, runs(office)) == ([f"It was started at {time}. {RUNBOOK_RESTS}"], [])
    await office.orchestrator.stop()


async def test_a_runbook_of_healthy_services_is_not_run() -> None:
    """Although its incident goes on with others; if they fail again, the same button runs it."""
    office = Office()
    thread = await with_proposal(office)
    office.runbooks.healthy = {"payments"}
    await office.approval.handle_press(office.press(thread, RUN))
    words = f"By their last checks, payments is not failing at the moment. {RUNBOOK_UNNEEDED}"
    assert (office.chat.notices, runs(office), last(office, thread).state) == ([words], [], "proposed")
    office.runbooks.healthy = set()
    await office.approval.handle_press(office.press(thread, RUN))
    assert len(runs(office)) == 1
    await office.orchestrator.stop()


async def test_nobody_but_an_operator_runs_a_runbook() -> None:
    """As for Approve."""
    office = Office()
    thread = await with_proposal(office)
    await office.approval.handle_press(office.press(thread, RUN, user_id="U0STRANGER"))
    assert (runs(office), last(office, thread).state) == ([], "proposed")
    await office.orchestrator.stop()


async def test_a_runbook_needs_two_where_a_reply_does() -> None:
    """The first press asks the second person; the same person twice is one."""
    office = Office()
    thread = await with_proposal(office)
    office.orchestrator.limits = _two(office)
    await office.approval.handle_press(office.press(thread, RUN))
    thread = office.store.saved[thread.thread_id]
    assert (office.chat.notices, runs(office), thread.operator) == ([FIRST_TO_RUN], [], BEN)
    await office.approval.handle_press(office.press(thread, RUN))
    assert office.chat.notices[-1] == TWICE
    await office.approval.handle_press(office.press(thread, RUN, user_id=BEN))
    await settle()
    assert len(runs(office)) == 1
    await office.orchestrator.stop()


def _two(office: Office) -> Any:
    return replace(office.orchestrator.limits, second_approver=True)


async def test_nothing_is_run_while_triage_is_stopped() -> None:
    """During a pause the press counts, and the runbook waits; one that was started is waited for."""
    office = Office()
    thread = await with_proposal(office)
    controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
    office.orchestrator.controls = controls
    await controls.set_state("stopped", at(9))
    await office.approval.handle_press(office.press(thread, RUN))
    assert (office.chat.notices, runs(office), last(office, thread).state) == ([RUNS_STOPPED], [], "proposed")
    await controls.set_state("paused", at(9))
    await office.approval.handle_press(office.press(thread, RUN))
    await settle()
    assert (runs(office), last(office, thread).state) == ([], "approved")
    assert "paused" in (office.orchestrator.why_held(office.store.saved[thread.thread_id]) or "")
    await controls.set_state("running", at(10))
    await office.orchestrator.release()
    await settle()
    assert runs(office) == [RunRunbook(run_id=last(office, thread).run_id)]
    await office.orchestrator.stop()
