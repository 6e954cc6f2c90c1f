"""Decisions for longer runs, by table: before the start, after tier 1, by the operator, and on a handoff."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from bot.decide.escalation import (
    DRY_RUN,
    EscalationPolicy,
    choose_after_run,
    choose_before_start,
    choose_deeper,
    judge_handoff,
    reject_handoff,
)
from bot.decide.turn_plan import RUN_CAP
from bot.models.check_result import CheckResult
from bot.models.escalation import Escalation
from bot.models.handoff import QuestionHandoff, WatchHandoff
from bot.models.thread import Thread
from bot.models.thread_event import Findings, RunFailed
from tests.builders import at, found, fresh
from tests.decide.test_workflow import awaiting, investigating, pending
from tests.tables import each_row

POLICY = EscalationPolicy(enabled=True, may_start=frozenset({2, 3}))
OFF = [
    EscalationPolicy(),
    replace(POLICY, enabled=False),
    replace(POLICY, max_tier=1),
    replace(POLICY, may_start=frozenset()),
]
LONG = "compare the logs of the last two weeks"
NOTES = "The queue is read in three places; two of them were opened, and the third one was not yet."
BEFORE = Escalation(tier=2, reason="it is long", decided_at=at())
DONE = BEFORE.evolve(has_result=True)
HANDOFF = QuestionHandoff(
    kind="question",
    schema_version=1,
    recommended_tier=3,
    thread_id="T0SANDBOX-C0HELP-100.000001",
    question="why does the queue grow?",
    rubric="a technical question",
    findings="It grows at night.",
    missing="The consumer's repository.",
)
WATCH = WatchHandoff(
    schema_version=1,
    recommended_tier=3,
    services_affected=("caddy", "jellyfin"),
    check_results=(CheckResult(service="caddy", check_type="http", status="down", error="502"),),
    cooldown_state={},
    investigation_findings="A full disk.",
    remediation_attempted="A restart, without effect.",
)


def wished(thread: Thread, **changes: Any) -> Findings:
    """Findings of tier 1 whose investigator asks for a longer run."""
    wish: dict[str, Any] = {"escalation_requested": True, "escalation_reason": "It needs\nthe logs."}
    return found(thread, **(wish | changes))


def fell_back(thread: Thread, why: str | None = "limit", notes: str = NOTES) -> Findings:
    """Findings of the keyword engine after a run of tier 1 without an answer."""
    event = found(thread, fallback="the run used its 20 turns.")
    return replace(event, report=event.report.evolve(fallback_why=why, unchecked_notes=notes))


def failed(thread: Thread, why: str | None = "time", notes: str = NOTES) -> RunFailed:
    """A run of tier 1 without findings."""
    reason = "it took longer than 5 minutes"
    return RunFailed(at=at(4), fresh=fresh(), run_id=thread.run_id or "", reason=reason, why=why, unchecked_notes=notes)


@pytest.mark.parametrize("policy", OFF)
def test_nothing_is_chosen_where_nothing_may_start(policy: EscalationPolicy) -> None:
    """Neither before the start, nor after a run, nor by the operator."""
    thread = investigating()
    assert choose_before_start(LONG, "other", (), policy) is None
    assert choose_after_run(thread, wished(thread), policy) is None
    assert choose_deeper(pending(), policy) is None


def test_a_dry_run_chooses_and_starts_nothing() -> None:
    """The operator's button is not offered."""
    dry = replace(POLICY, dry_run=True)
    thread = investigating()
    before, after = choose_before_start(LONG, "other", (), dry), choose_after_run(thread, wished(thread), dry)
    assert before
    assert after
    assert (before.refusal, after.refusal, choose_deeper(pending(), dry)) == (DRY_RUN, DRY_RUN, None)


@pytest.mark.parametrize(
    ("question", "threshold", "reason"),
    [
        (LONG, 60, 'it needs the logs of a long time ("logs", "weeks")'),
        ("is it so in all repos?", 60, 'it concerns several repositories ("all repos")'),
        ("does shop call billing?", 60, "it names several repositories (shop, billing)"),
        ("a deep dive into locks", 10, 'it takes about 11 minutes: it asks for a thorough investigation ("deep dive")'),
        ("a deep dive into locks", 11, None),
        ("hm", 1, "it takes about 2 minutes: such a question does"),
        ("a? b? c? d? e?", 5, "it takes about 6 minutes: it asks 5 questions"),
    ],
)
def test_a_question_has_its_reason(question: str, threshold: float, reason: str | None) -> None:
    """Logs and repositories count whatever the threshold is."""
    policy = replace(POLICY, threshold_min=threshold)
    choice = choose_before_start(question, "other", ("shop", "billing", "api"), policy)
    assert (choice and (choice.tier, choice.reason, choice.refusal)) == (reason and (2, reason, ""))


@each_row(
    ("make", "reason"),
    [
        (wished, "its investigator asks for a longer run: It needs the logs"),
        (lambda thread: wished(thread, escalation_reason=None), "its investigator asks for a longer run: it gives no"),
        (lambda thread: wished(thread, escalation_reason="x" * 999), "its investigator asks for a longer run: xxx"),
        (lambda thread: wished(thread, fallback="no key"), None),
        (found, None),
        (fell_back, "tier 1 reached its limit and has notes worth keeping: the run used its 20 turns"),
        (lambda thread: fell_back(thread, "time"), "tier 1 reached its limit"),
        (lambda thread: fell_back(thread, "unreachable"), None),
        (lambda thread: fell_back(thread, "over-cap"), None),
        (lambda thread: replace(failed(thread, "over-cap"), reason=f"{RUN_CAP} $1.00; all is spent"), "tier 1 reached"),
        (lambda thread: fell_back(thread, notes="Hm."), None),
        (lambda thread: fell_back(thread, notes="word " * 11), None),
        (lambda thread: fell_back(thread, notes="word " * 12), "tier 1 reached its limit"),
        (failed, "tier 1 reached its limit and has notes worth keeping: it took longer than 5 minutes"),
        (lambda thread: failed(thread, "stopped"), None),
        (lambda thread: failed(thread, None), None),
        (lambda thread: failed(thread, notes=""), None),
    ],
)
def test_a_run_of_tier_1_leads_on(make: Any, reason: str | None) -> None:
    """By its wish, or at a limit with notes; the wish of a fallback's findings is none.

    Scenario "Handoff file not written when all services healthy": without a wish there is no handoff.
    """
    thread = investigating()
    choice = choose_after_run(thread, make(thread), POLICY)
    assert (choice is None) == (reason is None)
    assert choice is None or (choice.tier == 2 and choice.reason.startswith(reason or "?") and len(choice.reason) < 400)


@pytest.mark.parametrize(
    "thread",
    [
        awaiting(),
        investigating().evolve(escalation=BEFORE),
        investigating().evolve(escalation_problem="a dry run"),
        investigating().evolve(status="escalated", escalation=BEFORE),
    ],
)
def test_a_chain_begins_once_for_each_question(thread: Thread) -> None:
    """A second wish goes to the operator, as does one of a check."""
    assert choose_after_run(thread, wished(thread), POLICY) is None
    assert choose_after_run(thread, failed(thread), POLICY) is None


@pytest.mark.parametrize(
    ("changes", "policy", "tier"),
    [
        ({}, POLICY, 2),
        ({"escalation": DONE}, POLICY, 3),
        ({"escalation": BEFORE}, POLICY, 2),
        ({"escalation": DONE}, replace(POLICY, max_tier=2), 2),
        ({"escalation": BEFORE.evolve(tier=3)}, POLICY, 3),
        ({}, replace(POLICY, may_start=frozenset({3})), None),
        ({"escalation": DONE}, replace(POLICY, may_start=frozenset({3})), 3),
        ({"escalation": BEFORE}, replace(POLICY, may_start=frozenset({3})), None),
    ],
)
def test_dig_deeper_starts_the_next_tier(changes: Any, policy: EscalationPolicy, tier: int | None) -> None:
    """The same one again after a run without a result."""
    choice = choose_deeper(pending().evolve(**changes), policy)
    assert (choice and choice.tier) == tier


@pytest.mark.parametrize(
    ("handoff", "from_tier", "policy", "start", "message", "level"),
    [
        (HANDOFF, 2, POLICY, 3, "", "info"),
        (HANDOFF.evolve(recommended_tier=2), 1, POLICY, 2, "", "info"),
        (WATCH, 2, POLICY, 3, "", "info"),
        (
            HANDOFF,
            1,
            POLICY,
            None,
            "Escalation blocked: invalid handoff from tier 1 — it recommends tier 3 after tier 1",
            "critical",
        ),
        (
            WATCH.evolve(remediation_attempted=None),
            2,
            POLICY,
            None,
            "Escalation blocked: invalid handoff from tier 2 — missing for tier 3: remediation_attempted",
            "critical",
        ),
        (
            HANDOFF,
            2,
            replace(POLICY, max_tier=2),
            None,
            "Escalation blocked: tier 3 is above `escalation.max_tier: 2`",
            "warning",
        ),
        (
            HANDOFF,
            2,
            replace(POLICY, enabled=False),
            None,
            "Escalation blocked: nothing may be started as tier 3",
            "warning",
        ),
        (
            WATCH,
            2,
            replace(POLICY, dry_run=True),
            None,
            "Escalation suppressed (dry run): would have escalated to tier 3 for: caddy, jellyfin",
            "info",
        ),
        (
            HANDOFF,
            2,
            replace(POLICY, dry_run=True),
            None,
            "Escalation suppressed (dry run): would have escalated to tier 3 for: why does the queue grow?",
            "info",
        ),
        (
            HANDOFF,
            3,
            POLICY,
            None,
            "Escalation ended: tier 3 is the last one, and asks for more; a person has to look",
            "warning",
        ),
    ],
)
def test_code_judges_a_handoff(  # a row of the table
    handoff: Any, from_tier: Literal[1, 2, 3], policy: EscalationPolicy, start: int | None, message: str, level: str
) -> None:
    """It starts a tier, or an event says why none starts, with the reason for the operator."""
    decision = judge_handoff(handoff, from_tier, policy)
    assert (decision.start, decision.message, decision.level, bool(decision.refusal)) == (
        start,
        message,
        level,
        start is None,
    )


def test_a_handoff_that_cannot_be_read_is_blocked() -> None:
    """In the words of the specification."""
    decision = reject_handoff(2, "no JSON", is_unreadable=True)
    assert (decision.start, decision.level) == (None, "critical")
    assert decision.message == "Escalation blocked: could not read handoff from tier 2 — no JSON"
    assert decision.refusal == "could not read handoff from tier 2: no JSON"
