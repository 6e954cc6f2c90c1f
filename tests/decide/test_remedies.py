"""Runbooks, by table: who may start one, what its end leads to, and how a proposal ends that nobody decides on."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from bot.decide.escalation import EscalationPolicy
from bot.decide.health.proposals import find_withheld, judge_proposal
from bot.decide.workflow import advance, resume, resume_runbook
from bot.decide.workflow.remedies import TWICE
from bot.models.effect import Escalate, Investigate, RunRunbook
from bot.models.incident import ProposedRunbook
from bot.models.surface_event import OperatorLost
from bot.models.thread import Thread
from bot.models.thread_event import (
    AnswerQuestion,
    Approve,
    Bounce,
    Delegate,
    Deleted,
    DigDeeper,
    Dismiss,
    Due,
    Mute,
    Posted,
    PostFailed,
    Redraft,
    RunRunbookPressed,
    Settle,
    Stop,
    TakeOver,
)
from tests.builders import LIMITS, OPERATOR, added, at, found, fresh, moved, step, validated
from tests.decide import test_workflow as questions
from tests.decide.test_workflow import press
from tests.decide.unhealthy import (
    TIERS,
    approved,
    approver,
    awaiting,
    collecting,
    ended,
    escalated,
    failed,
    in_doubt,
    incident,
    investigating,
    pending,
    proposed,
    proposed_by_tier_2,
    proposing,
    recovered,
    remedy,
    replied,
    result,
    running,
)
from tests.runbooks import RESTART

BEN = "U0BEN"
TWO = replace(LIMITS, second_approver=True)
DRY = replace(LIMITS, escalation=EscalationPolicy(enabled=True, dry_run=True, may_start=frozenset({2, 3})))


def last(thread: Thread) -> Any:
    """The newest remedy."""
    assert thread.incident
    return thread.incident.remedies[-1]


@pytest.mark.parametrize(
    ("story", "is_taken"),
    [
        (collecting, False),
        (investigating, False),
        (escalated, False),
        (awaiting, False),
        (pending, False),
        (proposed, True),
        (running, False),
        (approved, False),
        (in_doubt, False),
        (replied, False),
        (questions.pending, False),
    ],
)
def test_a_runbook_starts_by_a_press_on_its_proposal_alone(story: Callable[[], Thread], is_taken: bool) -> None:
    """In each other status the press has no effect; the run's id is the press's."""
    thread = story()
    after = step(thread, approver(thread, fresh="run9"))
    assert after.accepted is is_taken
    assert after.effect == (RunRunbook(run_id="run9") if is_taken else None)
    if is_taken:
        assert after.thread
        assert (after.thread.status, resume(after.thread)) == ("pending-user", None)
        assert resume_runbook(after.thread) == RunRunbook(run_id="run9")
        assert (last(after.thread).decided_by, last(after.thread).decided_at) == (OPERATOR, at(10))
        assert not step(after.thread, approver(after.thread)).accepted
    else:
        assert (resume_runbook(thread) is not None) is (story is running)


def test_the_message_in_the_channel_is_updated_for_an_approved_runbook_alone() -> None:
    """At its approval and at its end; a proposal and its refusal are not in that message."""
    threads = (proposed(), _dismissed(proposed()), running(), moved(running(), ended(None)))
    assert [each.incident.revision for each in threads if each.incident] == [1, 1, 2, 3]
    thread = proposed()
    first = moved(thread, approver(thread, second=BEN), TWO)
    assert first.incident
    assert first.incident.revision == 1


def _dismissed(thread: Thread) -> Thread:
    return moved(thread, press(Dismiss, thread))


def test_a_press_on_a_card_of_before_runs_nothing() -> None:
    """Another draft, or another nonce of the same one."""
    thread = proposed()
    assert not step(thread, approver(thread, nonce="before")).accepted
    stale = moved(thread, failed("orders"))
    assert not step(stale, approver(thread)).accepted
    assert step(stale, approver(stale)).accepted


def test_two_people_must_approve_a_runbook_where_two_must_approve_a_reply() -> None:
    """The first press asks the second person, and runs nothing."""
    thread = proposed()
    after = step(thread, approver(thread, second=BEN), TWO)
    assert after.thread
    assert (after.effect, after.thread.operator, last(after.thread).first_by) == (None, BEN, OPERATOR)
    assert after.thread.hand_overs[-1].for_second
    again = step(after.thread, approver(after.thread, second=BEN), TWO)
    assert (again.accepted, again.refusal) == (False, TWICE)
    assert isinstance(step(after.thread, approver(after.thread, by=BEN), TWO).effect, RunRunbook)
    alone = step(thread, approver(thread), TWO)
    assert alone.thread
    assert (alone.effect, alone.thread.operator, last(alone.thread).first_by) == (None, OPERATOR, OPERATOR)


def test_a_runbook_that_waits_for_a_second_person_never_returns_to_the_first() -> None:
    """If Slack rejects the second one, or if they let it wait: the first cannot approve it again."""
    timed = replace(TWO, hand_over=timedelta(hours=1), remind=None)
    thread = proposed()
    thread = moved(thread, approver(thread, second=BEN), timed)
    lost = OperatorLost(at=at(20), fresh=fresh(), user=BEN, operators=(OPERATOR, BEN, "U0CAT"))
    assert moved(thread, lost, timed).operator == "U0CAT"
    due = Due(at=at(20) + timedelta(hours=2), fresh=fresh(), operators=(OPERATOR, BEN, "U0CAT"))
    assert moved(thread, due, timed).operator == "U0CAT"


@pytest.mark.parametrize(
    ("story", "status", "outcome"),
    [
        (lambda thread: thread, "closed", "recovered"),
        (lambda thread: moved(thread, press(Approve, thread)), "approved", None),
        (lambda thread: moved(thread, press(Dismiss, thread)), "closed", "dismissed"),
        (lambda thread: moved(thread, press(Redraft, thread)), "closed", "recovered"),
    ],
    ids=["waiting", "approved", "dismissed", "redrafted"],
)
def test_a_runbook_that_helped_ends_the_incident(
    story: Callable[[Thread], Thread], status: str, outcome: str | None
) -> None:
    """In whatever status it is by then; nothing else starts."""
    thread = story(running())
    assert resume_runbook(thread) == RunRunbook(run_id="run1")
    after = step(thread, ended(), TIERS)
    assert after.thread
    assert after.thread.incident
    assert (after.effect, after.thread.status, after.thread.outcome) == (None, status, outcome)
    assert (after.thread.incident.recovered_at, resume_runbook(after.thread)) == (at(25), None)
    assert after.thread.incident.recovery
    assert (last(after.thread).state, last(after.thread).exit_code, last(after.thread).output) == ("ended", 0, "done")
    assert not step(after.thread, ended()).accepted


def test_a_runbook_that_did_not_help_starts_the_last_tier() -> None:
    """With the draft of before, which is stale now; the same end again changes nothing."""
    thread = running()
    after = step(thread, ended("down"), TIERS)
    assert isinstance(after.effect, Escalate)
    assert after.thread
    assert after.thread.escalation
    assert (after.thread.escalation.tier, after.thread.escalation.reason) == (3, "still not healthy: payments")
    assert after.thread.escalation.draft_stale == "a runbook was run since this draft was begun"
    assert (last(after.thread).is_healthy_after, after.thread.draft_pending) == (False, thread.draft_pending)
    assert not step(after.thread, ended("down"), TIERS).accepted


@pytest.mark.parametrize(
    ("limits", "problem"),
    [(LIMITS, None), (DRY, "`escalation.dry_run` is on; the reason for one: still not healthy: payments")],
)
def test_without_a_further_tier_a_person_has_to_look(limits: Any, problem: str | None) -> None:
    """The card says so; a dry run says what it would have started."""
    after = step(running(), ended("down"), limits)
    assert after.thread
    assert (after.effect, after.thread.status, after.thread.escalation_problem) == (None, "pending-user", problem)


def test_the_last_tier_starts_once() -> None:
    """A runbook proposed by itself does not start it again."""
    thread = moved(running(), ended("down"), TIERS)
    thread = moved(thread, proposing(thread, remedy(tier=3)), TIERS)
    thread = moved(thread, validated(thread), TIERS)
    thread = moved(thread, approver(thread, fresh="run2"), TIERS)
    after = step(thread, ended("down", run_id="run2"), TIERS)
    assert after.thread
    assert (after.effect, after.thread.status) == (None, "pending-user")


@pytest.mark.parametrize(
    "story",
    [
        lambda thread: moved(thread, press(Dismiss, thread)),
        lambda thread: moved(thread, press(TakeOver, thread)),
        lambda thread: moved(thread, press(Approve, thread)),
        lambda thread: moved(thread, press(Redraft, thread)),
    ],
    ids=["dismissed", "taken over", "approved", "redrafted"],
)
def test_no_tier_starts_where_the_card_is_decided_on(story: Callable[[Thread], Thread]) -> None:
    """The end of the runbook is recorded all the same."""
    thread = story(running())
    after = step(thread, ended("down"), TIERS)
    assert after.thread
    assert (after.effect, after.thread.status, last(after.thread).state) == (None, thread.status, "ended")


def test_an_end_without_checks_changes_no_health() -> None:
    """The card says so, and no tier starts."""
    after = step(running(), ended(None, outcome="unknown", exit_code=None), TIERS)
    assert after.thread
    assert after.thread.incident
    assert (after.effect, last(after.thread).is_healthy_after, after.thread.incident.is_over) == (None, None, False)
    assert after.thread.incident.checks == (result(),)


@pytest.mark.parametrize("status", ["healthy", "down", None])
def test_services_that_recover_while_a_runbook_runs_wait_for_its_end(status: str | None) -> None:
    """If they are not healthy after it, the recovery was none."""
    waits = moved(running(), recovered(22))
    assert (waits.status, resume_runbook(waits)) == ("pending-user", RunRunbook(run_id="run1"))
    after = moved(waits, ended(status))
    assert after.incident
    is_over = status != "down"
    assert after.incident.recovered_at == (at(22) if is_over else None)
    assert (after.outcome, bool(after.incident.recovery)) == (("recovered", True) if is_over else (None, False))


def test_the_end_of_another_run_is_not_recorded() -> None:
    """Nor is one in a thread without a runbook."""
    assert not step(running(), ended(run_id="before")).accepted
    assert not step(proposed(), ended()).accepted


@pytest.mark.parametrize(
    ("event", "state", "why"),
    [
        (lambda t: press(Bounce, t, feedback="no restart"), "refused", "an operator sent the draft back: no restart"),
        (lambda t: press(AnswerQuestion, t, text="yes"), "refused", "an operator asked for another draft"),
        (lambda t: press(Redraft, t), "refused", "an operator asked for another draft"),
        (lambda t: press(DigDeeper, t), "refused", "an operator asked for a longer run"),
        (lambda t: press(Dismiss, t), "refused", "an operator dismissed it"),
        (lambda t: press(Settle, t), "refused", "an operator settled the question"),
        (lambda t: press(TakeOver, t), "refused", "an operator took over"),
        (lambda t: recovered(), "expired", "the incident was over before anybody decided"),
        (lambda t: Due(at=at(4) + LIMITS.expiry, fresh=fresh()), "expired", "nobody decided in time"),
        (lambda t: Mute(at=at(9), fresh=fresh()), "expired", "the question was closed (muted)"),
    ],
)
def test_a_proposal_that_nobody_runs_is_recorded_with_its_reason(
    event: Callable[[Thread], Any], state: str, why: str
) -> None:
    """The person who refused it is named; the button of before runs nothing any more."""
    thread = proposed()
    after = moved(thread, event(thread), TIERS)
    assert (last(after).state, last(after).why) == (state, why)
    assert last(after).decided_by == (OPERATOR if state == "refused" else None)
    assert not step(after, approver(thread)).accepted


def test_a_proposal_ends_with_the_reply_that_is_posted_without_it() -> None:
    """While the reply is on its way, the proposal still stands: a post that fails brings the card back."""
    thread = proposed()
    sent = moved(thread, press(Approve, thread))
    assert last(sent).state == "proposed"
    back = moved(sent, PostFailed(at=at(11), fresh=fresh(), reason="not in the channel"))
    assert step(back, approver(back)).accepted
    posted = moved(sent, Posted(at=at(11), fresh=fresh(), ts="111.000001"))
    assert (last(posted).state, last(posted).why) == ("expired", "the reply was posted, and nobody ran it")


def test_a_proposal_of_a_run_that_missed_a_message_expires_at_once() -> None:
    """The next run reads it, and may propose it again."""
    thread = moved(investigating(), added("also orders", ts="200.000001", root="100.000001", sender=BEN))
    after = moved(thread, proposing(thread, remedy()))
    assert (after.status, last(after).state) == ("investigating", "expired")
    assert last(after).why == "another investigation began before anybody decided"


def test_a_refused_proposal_is_recorded_and_offers_nothing() -> None:
    """Code refused it."""
    thread = investigating()
    refused = remedy(state="refused", why="it was run in this outage already", decided_at=at(3))
    after = moved(thread, proposing(thread, refused))
    after = moved(after, validated(after))
    assert (last(after), after.incident and after.incident.proposal) == (refused, None)
    assert not step(after, approver(after)).accepted


def test_a_proposal_during_a_run_leaves_that_run_the_newest() -> None:
    """Its end is waited for; a further proposal of the same runbook is not recorded."""
    thread = running()
    thread = moved(thread, press(Redraft, thread))
    refused = remedy(runbook="other", state="refused", why="another runbook runs at the moment")
    own = moved(thread, proposing(thread, remedy()))
    thread = moved(thread, proposing(thread, refused))
    assert thread.incident
    assert [each.state for each in thread.incident.remedies] == ["refused", "approved"]
    assert step(thread, ended()).accepted
    assert own.incident
    assert [each.state for each in own.incident.remedies] == ["approved"]


def test_a_person_decides_on_a_runbook_before_the_tier_that_was_asked_for() -> None:
    """It starts with its own reason once the runbook has not helped."""
    thread = proposed_by_tier_2(next_tier=3, next_reason="the run before could not finish: the logs")
    assert thread.incident
    assert (thread.status, thread.incident.next_tier) == ("pending-user", 3)
    thread = moved(thread, approver(thread, fresh="run1"), TIERS)
    after = step(thread, ended("down"), TIERS)
    assert isinstance(after.effect, Escalate)
    assert after.thread
    assert after.thread.escalation
    assert after.thread.escalation.reason == "the run before could not finish: the logs"
    assert after.thread.incident
    assert after.thread.incident.next_tier is None


@pytest.mark.parametrize(
    ("event", "effect"),
    [
        (lambda t: press(Bounce, t, feedback="no restart"), Escalate),
        (lambda t: press(Redraft, t), Escalate),
        (lambda t: press(DigDeeper, t), Escalate),
        (lambda t: Due(at=at(100) + LIMITS.expiry, fresh=fresh()), Escalate),
        (lambda t: press(AnswerQuestion, t, text="yes"), Investigate),
        (lambda t: press(Dismiss, t), type(None)),
        (lambda t: press(TakeOver, t), type(None)),
    ],
)
def test_the_tier_that_was_asked_for_starts_after_a_refusal(event: Callable[[Thread], Any], effect: type) -> None:
    """Never by Dismiss, nor where an operator takes over or answers."""
    thread = proposed_by_tier_2(next_tier=3, next_reason="the logs")
    after = step(thread, event(thread), TIERS)
    assert isinstance(after.effect, effect)
    assert after.thread
    assert after.thread.incident
    assert (last(after.thread).state in ("refused", "expired"), after.thread.incident.next_tier) == (True, None)


@pytest.mark.parametrize(
    ("engine", "limits", "status"),
    [
        ("program", TIERS, "escalated"),
        ("claude", TIERS, "bounced-round-1"),
        ("program", LIMITS, "bounced-round-1"),
        ("program", DRY, "bounced-round-1"),
    ],
)
def test_a_program_answers_the_bounce_of_its_own_draft(engine: str, limits: Any, status: str) -> None:
    """Tier 1 has nothing better; the proposal may be made again, and the same program stays the one of the settings."""
    thread = proposed_by_tier_2().evolve(engine=engine)
    after = moved(thread, press(Bounce, thread, feedback="say since when"), limits)
    assert (after.status, after.feedback, last(after).state) == (status, "say since when", "refused")
    if status == "escalated":
        after = moved(after, proposing(after, remedy(tier=2)), TIERS)
        assert (last(after).state, after.escalation and after.escalation.tier) == ("proposed", 2)


@pytest.mark.parametrize("limits", [LIMITS, DRY])
def test_a_tier_that_may_not_start_any_more_is_not_started(limits: Any) -> None:
    """The operator gets what they asked for; the expired card closes."""
    thread = proposed_by_tier_2(next_tier=3, next_reason="the logs")
    assert moved(thread, Due(at=at(100) + LIMITS.expiry, fresh=fresh()), limits).outcome == "expired"
    if limits is LIMITS:
        assert moved(thread, press(Redraft, thread), limits).status == "investigating"


def test_an_expired_proposal_starts_the_last_tier_once() -> None:
    """A card without one just expires."""
    late = Due(at=at(100) + LIMITS.expiry, fresh=fresh())
    assert isinstance(step(proposed(), late, TIERS).effect, Escalate)
    assert moved(pending(), late, TIERS).outcome == "expired"


def test_a_card_does_not_expire_while_its_runbook_runs() -> None:
    """The end of the run comes first."""
    late = Due(at=at(100) + LIMITS.expiry, fresh=fresh())
    after = moved(running(), late, TIERS)
    assert (after.status, after.expires_at) == ("pending-user", late.at + LIMITS.expiry)


def test_findings_without_a_proposal_take_back_the_tier_that_was_asked_for() -> None:
    """Only the newest run counts."""
    thread = proposed_by_tier_2(next_tier=3, next_reason="the logs")
    thread = moved(thread, press(AnswerQuestion, thread, text="yes"), TIERS)
    thread = moved(thread, found(thread), TIERS)
    assert thread.incident
    assert (thread.incident.next_tier, thread.incident.proposal) == (None, None)


def test_findings_after_a_runbook_without_checks_take_back_that_tier_too() -> None:
    """It was still wanted: the end of the runbook said nothing about the services."""
    thread = proposed_by_tier_2(next_tier=3, next_reason="the logs")
    thread = moved(thread, approver(thread, fresh="run1"), TIERS)
    thread = moved(thread, ended(None), TIERS)
    thread = moved(thread, press(AnswerQuestion, thread, text="yes"), TIERS)
    assert thread.incident
    assert thread.incident.next_tier == 3
    thread = moved(thread, found(thread), TIERS)
    assert thread.incident
    assert thread.incident.next_tier is None


@pytest.mark.parametrize(
    ("about", "offered", "why"),
    [
        ({}, (RESTART,), ""),
        ({}, (), "the settings give tier 2 no such runbook for services that are failing at the moment"),
        ({"recovered_at": at(9)}, (RESTART,), "the incident is over"),
        ({"remedies": (remedy(state="approved", run_id="r"),)}, (RESTART,), "it runs at the moment"),
        (
            {"remedies": (remedy(runbook="other", state="approved", run_id="r"),)},
            (RESTART,),
            "another runbook runs at the moment",
        ),
        ({"remedies": (remedy(state="ended", run_id="r"),)}, (RESTART,), "it was run in this outage already"),
        ({"remedies": (remedy(state="ended", run_id="r", outcome="not-started"),)}, (RESTART,), ""),
        ({"remedies": (remedy(state="ended", run_id="r", proposed_at=at(-90)),)}, (RESTART,), ""),
        ({"remedies": (remedy(state="refused"),)}, (RESTART,), ""),
        ({"remedies": (remedy(runbook="other", state="ended", run_id="r"),)}, (RESTART,), ""),
    ],
)
def test_code_judges_each_proposal(about: dict[str, Any], offered: Any, why: str) -> None:
    """The program is that of the settings, whatever the agent says."""
    wish = ProposedRunbook(name="restart-payments", reason="it hangs")
    judged = judge_proposal(incident(**about), wish, tier=2, offered=offered, at=at(10))
    assert (judged.why, judged.state) == (why, "refused" if why else "proposed")
    assert judged.argv == (RESTART.argv if offered else ())
    assert (judged.tier, judged.reason, judged.decided_at) == (2, "it hangs", at(10) if why else None)


@pytest.mark.parametrize(
    ("about", "offered", "withheld", "why"),
    [
        ({}, (), ((RESTART, "it rests"),), "it rests"),
        ({}, (RESTART,), ((RESTART, "it rests"),), None),
        ({"recovered_at": at(9)}, (), ((RESTART, "it rests"),), None),
        ({"remedies": (remedy(state="approved", run_id="r"),)}, (), ((RESTART, "it rests"),), None),
        ({"remedies": (remedy(state="ended", run_id="r"),)}, (RESTART,), (), "it was run in this outage already"),
        (
            {"remedies": (remedy(state="ended", run_id="r"),)},
            (),
            ((RESTART, "it rests"),),
            "it was run in this outage ",
        ),
        ({}, (), (), None),
    ],
    ids=["rests", "one is offered", "is over", "one runs", "was run", "was run, and rests", "there is none"],
)
def test_a_run_that_could_propose_nothing_says_why(about: Any, offered: Any, withheld: Any, why: str | None) -> None:
    """With any engine, by the first runbook that the settings name for the services."""
    found = find_withheld(incident(**about), tier=1, offered=offered, withheld=withheld, at=at(10))
    assert (found.why.startswith(why) if why else False) if found else why is None
    assert found is None or (found.state, found.runbook, found.decided_by) == ("refused", "restart-payments", None)


def test_the_last_reason_alone_is_kept() -> None:
    """Several drafts without the same runbook leave one line on the card."""
    thread = investigating()
    thread = moved(thread, proposing(thread, remedy(state="refused", why="it rests")))
    thread = moved(thread, validated(thread))
    thread = moved(thread, press(Redraft, thread))
    thread = moved(thread, proposing(thread, remedy(state="refused", why="it rests until later")))
    assert thread.incident
    assert [each.why for each in thread.incident.remedies] == ["it rests until later"]


@pytest.mark.parametrize("after", ["down", None], ids=["not healthy", "not checked"])
def test_a_runbook_that_did_not_help_asks_with_a_new_card(after: str | None) -> None:
    """A card that is only edited notifies nobody. A recovery, or a tier that goes on, asks nobody."""
    thread = running()
    told = moved(thread, ended(after))
    assert (told.card.number, told.card.asks, len(told.replaced)) == (thread.card.number + 1, True, 1)
    assert moved(thread, ended()).card.number == thread.card.number
    assert moved(thread, ended("down"), TIERS).card.number == thread.card.number


WALKS, STEPS = 80, 30


def _choose(thread: Thread, chance: random.Random, number: int) -> Any:
    """One of all that may happen to a thread of an incident, early and late."""
    live, seconds = thread.run_id or "none", 20 + number
    approved_run = next((r.run_id for r in (thread.incident.remedies if thread.incident else ()) if r.run_id), "none")
    kinds = (Approve, Bounce, DigDeeper, Dismiss, Redraft, Stop, TakeOver, RunRunbookPressed, RunRunbookPressed)
    ends: list[Callable[[], Any]] = [
        lambda: replace(found(thread, seconds=seconds), run_id=live),
        lambda: replace(found(thread), run_id=live, remedy=remedy(), read_messages=thread.inbox),
        lambda: replace(found(thread), run_id=live, remedy=remedy(), next_tier=3, next_reason="more"),
        lambda: replace(validated(thread), run_id=live),
    ]
    others: list[Callable[[], Any]] = [
        lambda: failed(chance.choice(["payments", "orders"]), seconds=seconds),
        lambda: recovered(seconds),
        lambda: ended(chance.choice(["healthy", "down", None]), run_id=approved_run, seconds=seconds),
        lambda: ended(chance.choice(["healthy", "down"]), run_id="other", seconds=seconds),
        lambda: Due(at=at(seconds + chance.choice([3, 400_000])), fresh=fresh()),
        lambda: Posted(at=at(seconds), fresh=fresh(), ts="900.1"),
        lambda: Mute(at=at(seconds), fresh=fresh()),
        lambda: Deleted(at=at(seconds), fresh=fresh(), message_id="100.000001"),
        lambda: press(Delegate, thread, to=BEN),
    ]
    presses: list[Callable[[], Any]] = [partial(press, kind, thread) for kind in kinds]
    weights = [8] * len(ends) + [3] * len(presses) + [3, 3, 4, 1, 2, 2, 0.2, 0.1, 1]
    return chance.choices([*ends, *presses, *others], weights)[0]()


@pytest.mark.parametrize("seed", range(2))
def test_a_runbook_never_starts_without_its_one_press(seed: int) -> None:
    """Whatever happens when; after the recovery nothing waits, and no tier starts by Dismiss."""
    chance = random.Random(seed)  # a walk, no secret
    started: set[str] = set()
    runs = 0
    for _ in range(WALKS):
        thread = chance.choice([collecting, escalated, proposed, proposed_by_tier_2])()
        for number in range(STEPS):
            event = _choose(thread, chance, number)
            after = advance(thread, event, TIERS)
            assert after.thread
            if not after.accepted:
                continue
            if isinstance(after.effect, RunRunbook):
                assert isinstance(event, RunRunbookPressed)
                assert event.by == OPERATOR
                assert after.effect.run_id not in started
                started.add(after.effect.run_id)
                runs += 1
            assert not isinstance(event, Dismiss) or after.effect is None
            _check(after.thread)
            again = advance(after.thread, event, TIERS)
            assert not isinstance(again.effect, RunRunbook)
            thread = after.thread
    assert runs > WALKS / 8


def _check(thread: Thread) -> None:
    """What holds after each step."""
    assert Thread.model_validate(thread.model_dump()) == thread
    about = thread.incident
    assert about
    assert sum(each.state in ("proposed", "approved") for each in about.remedies) <= 1
    assert (about.is_remedied, about.is_remedied) == (resume_runbook(thread) is not None,) * 2
    if about.is_over and not about.is_remedied and thread.is_about_incident:
        assert thread.status in ("approved", "closed")
    if thread.status == "closed":
        assert about.proposal is None or about.is_remedied
    if thread.status in ("investigating", "escalated", "bounced-round-1"):
        assert about.proposal is None or about.is_remedied


def test_a_run_after_which_the_checks_say_the_same_is_no_change_of_them() -> None:
    """The message shows the end of the run, and the time of the last change stays."""
    thread = running()
    assert thread.incident
    checks = tuple(check.evolve(response_time_ms=777) for check in thread.incident.checks)
    after = moved(thread, replace(ended(), checks=checks))
    assert after.incident
    assert (after.incident.checked_at, after.incident.checks) == (thread.incident.checked_at, thread.incident.checks)
    assert last(after).is_healthy_after is False
