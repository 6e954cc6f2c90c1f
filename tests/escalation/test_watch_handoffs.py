"""Handoffs about services that are not healthy (spec 3): their content, and what came of a proposed runbook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.agents.long_run import LongRunOutput
from bot.decide.escalation import EscalationPolicy, judge_handoff
from bot.escalation.handoff_content import build_handoff as build_own
from bot.escalation.handoffs import build_handoff
from bot.escalation.starter import _find_parent, _with_remediation
from bot.models.check_result import CheckResult
from bot.models.escalation import HeadlessReturn
from bot.models.findings import EngineReport
from bot.models.handoff import WatchHandoff
from bot.models.incident import ProposedRunbook
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss, Redraft
from tests.builders import findings, moved, ran, reference
from tests.decide.test_workflow import press
from tests.decide.unhealthy import (
    SESSION,
    TIERS,
    collecting,
    ended,
    escalated,
    incident,
    pending,
    proposed,
    remedy,
    result,
    running,
)
from tests.escalation.builders import assignment, returned, task
from tests.escalation.life import Life
from tests.escalation.machine import machine
from tests.escalation.test_handoffs import begun
from tests.runbooks import RESTART

POLICY = EscalationPolicy(enabled=True, may_start=frozenset({2, 3}))


def handed(thread: Thread, tier: Any = 3) -> WatchHandoff:
    """The handoff that the bot's code builds."""
    handoff = build_handoff(thread, tier)
    assert isinstance(handoff, WatchHandoff)
    return handoff


def test_tier_1_writes_its_checks() -> None:
    """Scenario "Tier 1 writes handoff for Tier 2": the checks are tier 1, and code writes what they found.

    It has the affected services, every result and the cooldowns; its session is the parent of tier 2's.
    """
    checks = (result(), CheckResult(service="orders", check_type="dns", status="degraded", error="slow"))
    thread = escalated(services=("payments", "orders"), checks=checks, cooldown_state={"payments": "until 10:00"})
    handoff = handed(thread, 2)
    assert (handoff.schema_version, handoff.recommended_tier) == (1, 2)
    assert (handoff.services_affected, handoff.check_results) == (("payments", "orders"), checks)
    assert handoff.cooldown_state == {"payments": "until 10:00"}
    assert (handoff.investigation_findings, handoff.remediation_attempted) == (None, None)
    assert judge_handoff(handoff, 1, POLICY).start == 2
    assert _find_parent(thread) == SESSION
    assert _find_parent(thread.evolve(runs=(ran(),))) == ran().session_id
    assert _find_parent(thread.evolve(question_round=2)) is None


def test_tier_2_writes_what_it_found_and_what_was_tried() -> None:
    """Scenario "Tier 2 writes handoff for Tier 3": with the remediation that a person had run, and why it failed."""
    thread = moved(running(), ended("down", output="starting…\nfailed: port in use", exit_code=3, outcome="failed"))
    handoff = handed(thread)
    assert (handoff.recommended_tier, judge_handoff(handoff, 2, POLICY).start) == (3, 3)
    assert handoff.investigation_findings == "It is set in `bot/a.py:1`.\n\nReferences:\n- bot/a.py:1: It is set there."
    assert handoff.remediation_attempted == (
        "An operator had the runbook restart-payments (systemctl restart payments) run at 2026-01-05 09:00 UTC: it "
        "ended with exit code 3, and the services were still not healthy after it.\n"
        "The end of its output:\nstarting…\nfailed: port in use"
    )
    assert (handoff.check_results, handoff.services_affected) == ((result(),), ("payments",))


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        (pending, "Not attempted: no runbook was proposed."),
        (proposed, "is proposed, and a person decides on it."),
        (lambda: _after(Redraft), "since an operator asked for another draft."),
        (lambda: _after(Dismiss), "since an operator dismissed it."),
        (lambda: _ended(outcome="not-started", problem="The disk is full."), "and did not start. The disk is full."),
    ],
)
def test_a_remedy_that_was_not_run_is_written_as_not_attempted(thread: Any, words: str) -> None:
    """With the reason."""
    attempted = handed(thread()).remediation_attempted
    assert attempted
    assert attempted.startswith("Not attempted: ")
    assert attempted.endswith(words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"outcome": "timed-out", "exit_code": None}, "it was ended at its time limit of 60 s, and the services were"),
        ({"outcome": "unknown", "exit_code": None, "problem": "It is gone."}, "its end is not known (It is gone), and"),
        ({"status": None}, "it ended with exit code 0, and no checks followed."),
        ({"status": "healthy"}, "and the services were healthy after it."),
    ],
)
def test_each_end_of_a_runbook_has_its_words(changes: dict[str, Any], words: str) -> None:
    """The next tier knows what may have changed."""
    assert words in (handed(_ended(**changes)).remediation_attempted or "")


def test_only_the_remedies_of_this_outage_are_written() -> None:
    """One that runs is written, too."""
    earlier = remedy(runbook="before", state="refused", why="no", proposed_at=incident().since.replace(year=2025))
    thread = running()
    assert thread.incident
    thread = thread.evolve(incident=thread.incident.evolve(remedies=(earlier, *thread.incident.remedies)))
    attempted = handed(thread).remediation_attempted or ""
    assert ("before" in attempted, "it runs, and no checks followed" in attempted) == (False, True)


def test_tier_3_needs_findings() -> None:
    """Without any the handoff says so."""
    assert handed(collecting()).investigation_findings == "The run before ended without findings."


def _answer(**changes: Any) -> LongRunOutput:
    """The answer of an agent that asks for the last tier."""
    values: dict[str, Any] = {
        "confidence": "low",
        "confidence_reason": "half of it",
        "summary_for_orchestrator": "The pool is full.",
        "draft_reply": "The pool is full.",
        "draft_language": "en",
        "evidence_refs": (reference().model_dump(),),
        "research_notes": "Since the deploy.",
        "escalation_requested": True,
        "tried": ("the logs of today",),
        "missing": "the cause",
    }
    return LongRunOutput.model_validate(values | changes)


def _own(answer: LongRunOutput | None, **changes: Any) -> WatchHandoff | None:
    """The handoff that the process of tier 2 writes."""
    handoff = handed(escalated(), 2)
    report = EngineReport(project="shop", engine="claude", findings=findings(**changes))
    about = assignment().evolve(services=("payments",), runbooks=(RESTART,))
    own = build_own(task(tier=2, handoff=handoff, assignment=about), returned(report=report), answer)
    assert own is None or isinstance(own, WatchHandoff)
    return own


def test_the_run_of_tier_2_hands_over_what_it_found_and_attempts_nothing() -> None:
    """The results of the checks stand in it as they were; only a person has anything run."""
    own = _own(_answer())
    assert own
    assert (own.recommended_tier, own.check_results, judge_handoff(own, 2, POLICY).start) == (3, (result(),), 3)
    assert own.investigation_findings == (
        "Tier 2: The pool is full.\n\nSince the deploy.\n\nReferences:\n- bot/a.py:1: It is set there.\n\n"
        "Tried:\n- the logs of today\n\nMissing: the cause"
    )
    assert own.remediation_attempted == "Not attempted: no runbook was proposed."
    foreign = _own(_answer(), proposed_runbook=ProposedRunbook(name="reboot", reason="it hangs"))
    assert foreign
    assert foreign.remediation_attempted == "Not attempted: no runbook was proposed."
    wish = ProposedRunbook(name="restart-payments", reason="it hangs")
    proposing = _own(_answer(), proposed_runbook=wish)
    assert proposing
    assert proposing.remediation_attempted == (
        "Not attempted: the runbook restart-payments is proposed, and a person decides on it."
    )


def test_a_tier_2_that_resolves_the_issue_writes_no_handoff() -> None:
    """Scenario "Handoff file not written when Tier 2 resolves the issue": its answer asks for nothing more.

    Nor does the bot build one where the runbook has helped: the incident is closed, and no tier starts.
    """
    assert _own(_answer(escalation_requested=False)) is None
    after = moved(running(), ended("healthy"), TIERS)
    assert (after.status, after.outcome, after.escalation) == ("closed", "recovered", None)


def test_a_run_at_its_limit_hands_over_its_notes() -> None:
    """As for a question."""
    end = HeadlessReturn(
        session_id="20260105T090000-first", outcome="limit", reason="80 turns", unchecked_notes="a " * 12
    )
    own = build_own(task(tier=2, handoff=handed(escalated(), 2)), end, None, ["search_text {}"])
    assert isinstance(own, WatchHandoff)
    assert "search_text {}" in (own.investigation_findings or "")
    assert "The tier ended at a limit" in (own.investigation_findings or "")


def test_the_saved_task_of_tier_3_gets_what_came_of_the_runbook() -> None:
    """It was written before a person decided; the findings of tier 2 stay."""
    own = _own(_answer())
    saved = task(tier=3, handoff=own, assignment=assignment())
    thread = moved(running(), ended("down"))
    fresh = _with_remediation(saved, thread).handoff
    assert isinstance(fresh, WatchHandoff)
    assert own
    assert fresh.investigation_findings == own.investigation_findings
    assert "An operator had the runbook" in (fresh.remediation_attempted or "")
    question = task(tier=3)
    assert _with_remediation(question, thread.evolve(question_round=2)) is question
    assert Path(question.home)


async def test_the_last_tier_starts_with_what_was_attempted_on_disk(tmp_path: Path) -> None:
    """Its task follows the check run, where no investigation ran in between."""
    with machine(tmp_path / "home") as made:
        life = await Life(made).start()
        life.put(moved(running(), ended("down", outcome="failed", exit_code=3)))
        begins, record = await begun(life, tier=3, run_id="run3")
        saved = json.loads((life.machine.folder().path / "task.json").read_text())["handoff"]
        assert (saved["kind"], saved["recommended_tier"], saved["services_affected"]) == ("watch", 3, ["payments"])
        assert saved["remediation_attempted"].startswith("An operator had the runbook restart-payments")
        assert (begins.parent_session_id, record.parent_session_id) == (SESSION, SESSION)
        await life.kill()


def _after(kind: Any) -> Thread:
    thread = proposed()
    return moved(thread, press(kind, thread))


def _ended(status: str | None = "down", **changes: Any) -> Thread:
    return moved(running(), ended(status, **changes))
