"""Threads of incidents, by table: how they begin, what recovery closes, and what another failure opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.escalation import DRY_RUN, EscalationPolicy
from bot.models.effect import Escalate, Investigate
from bot.models.incident_event import AlertResolved, IncidentShown
from bot.models.status_reaction import ReactionNames
from bot.models.thread import Thread
from bot.models.thread_event import (
    Deleted,
    Dismiss,
    Due,
    Mute,
    Overheard,
    PostFailed,
    RecoveryShown,
    Restarted,
    RunFailed,
    SettledMark,
    TakeOver,
)
from tests.builders import LIMITS, OPERATOR, added, at, found, fresh, moved, step, validated
from tests.decide import test_workflow as questions
from tests.decide.test_settled import WORDS as SETTLING
from tests.decide.test_workflow import press
from tests.decide.unhealthy import (
    BOT,
    SESSION,
    TIERS,
    approved,
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
    recovered,
    replied,
    result,
    running,
)

ALL = (collecting, investigating, escalated, awaiting, pending, proposed, running, approved, in_doubt, replied)


def test_a_thread_that_a_reply_has_opened_takes_the_incident() -> None:
    """A person was faster than the bot after a crash; the question is about the services, and ends with them."""
    asked = moved(None, added("is payments down again?", ts="100.000002", root="100.000001"))
    event = replace(added("payments is down", sender=BOT, sender_type="bot", seconds=1), incident=incident())
    taken = moved(asked, event)
    assert taken.is_about_incident
    assert taken.messages == asked.messages
    assert moved(taken, recovered()).outcome == "recovered"
    known = collecting()
    again = replace(added("payments is down", sender=BOT, sender_type="bot", seconds=1), incident=incident())
    assert step(known, again).thread is known


def test_an_incident_begins_with_tier_2_where_the_policy_starts_it() -> None:
    """The checks were its tier 1; its reason names the services."""
    after = step(collecting(), Due(at=at(2), fresh=fresh()), TIERS)
    assert isinstance(after.effect, Escalate)
    assert after.thread
    assert after.thread.escalation
    assert (after.thread.escalation.tier, after.thread.escalation.reason) == (2, "not healthy: payments")


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (EscalationPolicy(), None),
        (EscalationPolicy(enabled=True, max_tier=1, may_start=frozenset({2, 3})), None),
        (EscalationPolicy(enabled=True, dry_run=True, may_start=frozenset({2, 3})), DRY_RUN),
    ],
)
def test_an_incident_is_else_investigated_in_the_bot(policy: EscalationPolicy, problem: str | None) -> None:
    """A dry run says what it would have started."""
    after = step(collecting(), Due(at=at(2), fresh=fresh()), replace(LIMITS, escalation=policy))
    assert isinstance(after.effect, Investigate)
    assert after.thread
    expected = problem and f"{problem}; the reason for one: not healthy: payments"
    assert after.thread.escalation_problem == expected


def test_nobody_is_the_asker_of_an_incident() -> None:
    """Its failure and its expiry are said to nobody, and a reaction of the bot settles nothing."""
    thread = investigating()
    lost = moved(thread, RunFailed(at=at(3), fresh=fresh(), run_id=thread.run_id or "", reason="it failed"))
    assert (lost.status, lost.asker_line) == ("pending-user", None)
    expired = moved(lost, Due(at=at(3) + LIMITS.expiry, fresh=fresh()))
    assert (expired.outcome, expired.asker_line) == ("expired", None)
    mark = SettledMark(at=at(5), fresh=fresh(), by=BOT, message_id=thread.original_message_id, emoji="white_check_mark")
    assert not step(thread, mark, SETTLING).accepted


def test_a_person_may_only_propose_that_an_incident_is_settled() -> None:
    """As below the message of any program."""
    thread = pending()
    after = moved(thread, added("it is fixed now", ts="200.000001", root="100.000001", sender="U0BEN"), SETTLING)
    assert (after.status, after.settled_word and after.settled_word.by) == ("pending-user", "U0BEN")


def test_a_draft_of_low_confidence_about_an_incident_is_not_held() -> None:
    """Somebody has to know of the outage."""
    holding = replace(LIMITS, hold_low=True)
    thread = investigating()
    thread = moved(moved(thread, found(thread, confidence="low"), holding), validated(thread), holding)
    assert not thread.held_low


@pytest.mark.parametrize("story", ALL)
def test_after_recovery_nothing_waits(story: Callable[[], Thread]) -> None:
    """Only an approved reply goes its way, and a runbook that runs is waited for."""
    after = step(story(), recovered())
    assert after.accepted
    assert after.effect is None
    assert after.thread
    assert after.thread.incident
    assert after.thread.incident.is_over
    waits = {approved: ("approved", None), replied: ("closed", "replied"), running: ("pending-user", None)}
    expected = waits.get(story, ("closed", "recovered"))
    assert (after.thread.status, after.thread.outcome) == expected
    assert (after.thread.run_id, after.thread.due_at if story is not running else None) == (None, None)
    assert (after.thread.incident.recovery is None) == (story is running)
    assert not step(after.thread, recovered(31)).accepted


def test_a_reply_that_cannot_be_posted_after_the_recovery_waits_for_nobody() -> None:
    """It was about an outage that is over."""
    thread = moved(approved(), recovered())
    after = moved(thread, PostFailed(at=at(31), fresh=fresh(), reason="the channel is archived"))
    assert (after.status, after.outcome) == ("closed", "recovered")


def test_recovery_is_said_once_for_each_outage() -> None:
    """Also in a closed thread; begun before Slack is asked, and done only once."""
    thread = moved(replied(), recovered())
    assert thread.incident
    line = thread.incident.recovery
    assert line
    assert (line.at, line.failures, line.is_begun, line.is_done) == (at(30), 1, False, False)
    begun = RecoveryShown(at=at(31), fresh=fresh(), failures=1, is_done=False)
    done = replace(begun, is_done=True)
    thread = moved(thread, begun)
    assert thread.has_line_to_say
    assert not step(thread, begun).accepted
    assert not step(thread, replace(done, failures=2)).accepted
    thread = moved(thread, done)
    assert not thread.has_line_to_say
    assert not step(thread, begun).accepted
    assert not step(thread, done).accepted
    again = moved(moved(thread, failed(seconds=40)), recovered(50))
    assert again.incident
    assert again.incident.recovery
    assert (again.incident.recovery.failures, again.incident.recovery.is_begun) == (2, False)
    assert again.has_line_to_say


@pytest.mark.parametrize("story", [questions.pending, pending])
def test_no_line_is_recorded_where_none_is_wanted(story: Callable[[], Thread]) -> None:
    """Nor in a thread without an incident."""
    assert not step(story(), RecoveryShown(at=at(31), fresh=fresh(), failures=1, is_done=True)).accepted


@pytest.mark.parametrize(
    "silent",
    [
        lambda: moved(pending(), Mute(at=at(8), fresh=fresh())),
        lambda: moved(pending(), Deleted(at=at(8), fresh=fresh(), message_id="100.000001")),
        lambda: moved(collecting(mode="preview"), Due(at=at(2), fresh=fresh())),
    ],
    ids=["muted", "deleted", "practice"],
)
def test_recovery_is_not_said_in_a_silent_thread(silent: Callable[[], Thread]) -> None:
    """It is only recorded; another failure opens nothing where the message is gone, and hides from no operator."""
    thread = moved(silent(), recovered())
    assert thread.incident
    assert (thread.incident.is_over, thread.incident.recovery) == (True, None)
    again = moved(thread, failed(seconds=40))
    assert again.status == ("closed" if thread.outcome == "withdrawn" else "collecting")


@pytest.mark.parametrize(
    "story", [collecting, investigating, escalated, awaiting, pending, proposed, running, approved]
)
def test_a_mute_by_a_member_leaves_the_outage_with_its_operator(story: Callable[[], Thread]) -> None:
    """Nothing of the work changes; once the outage is over, or the question is a person's, the mute ends the work."""
    thread = story()
    by_member = Mute(at=at(12), fresh=fresh(), by_operator=False)
    muted = step(thread, by_member)
    assert (muted.thread, muted.accepted) == (thread, False)
    own = moved(replied(), added("and orders?", ts="190.000001", root="100.000001", mentioned=True, seconds=90))
    assert moved(own, by_member).outcome == "muted"


@pytest.mark.parametrize(
    "end",
    [
        lambda thread: recovered(),
        lambda thread: press(Dismiss, thread),
        lambda thread: press(TakeOver, thread),
    ],
    ids=["recovered", "dismissed", "taken over"],
)
def test_another_failure_after_the_recovery_reopens_the_thread(end: Callable[[Thread], Any]) -> None:
    """As the next question of the same document, with its first message; the bot is its sender again."""
    thread = pending()
    thread = moved(thread, end(thread))
    thread = thread if thread.incident and thread.incident.is_over else moved(thread, recovered())
    after = moved(thread, failed("payments", "orders", seconds=60, session_id="20260105T091000-checks"))
    assert (after.status, after.question_round, after.due_at) == ("collecting", 2, at(62))
    assert after.incident
    assert (after.incident.failures, after.incident.question_round, after.incident.since) == (2, 2, at(60))
    assert (after.incident.services, after.incident.recovered_at) == (("payments", "orders"), None)
    assert after.incident.session_id == "20260105T091000-checks"
    gone = replace(recovered(), unchecked=("orders",))
    assert moved(moved(pending(), gone), failed(seconds=60)).incident.unchecked == ()  # type: ignore[union-attr]  # it has one
    assert (after.question, after.original_sender_id) == ("payments is down", BOT)
    assert after.is_about_incident


@pytest.mark.parametrize("story", [collecting, investigating, escalated, awaiting, pending, proposed, running])
def test_a_question_of_a_person_outlives_the_recovery(story: Callable[[], Thread]) -> None:
    """It becomes the next question of the thread, with its author as the asker; a remark ends with the incident."""
    here: dict[str, Any] = {"root": "100.000001", "seconds": 20}
    thread = moved(story(), added("which port does shop use?", ts="200.000001", sender="U0BEN", **here))
    heard = added("I restarted it", ts="210.000001", sender="U0CAT", **here)
    thread = step(thread, Overheard(at=heard.at, fresh=fresh(), message=heard.message)).thread or thread
    over = moved(thread, ended(seconds=30) if story is running else recovered())
    assert (over.status, over.outcome, over.due_at) == ("closed", "recovered", at(30))
    after = moved(over, Due(at=at(30), fresh=fresh()))
    assert (after.status, after.question, after.anchor) == ("collecting", "which port does shop use?", "200.000001")
    assert (after.original_sender_id, after.is_about_incident) == ("U0BEN", False)
    again = moved(over, failed(seconds=31))
    assert (again.question, again.set_aside and again.set_aside.messages) == ("payments is down", ("200.000001",))


def test_a_report_of_a_person_outlives_the_recovery() -> None:
    """A fault that somebody has is no remark, even if the rules take it for no question."""
    heard = added("nothing prints here either", ts="200.000001", root="100.000001", sender="U0BEN", seconds=20)
    thread = moved(pending(), Overheard(at=heard.at, fresh=fresh(), message=heard.message, is_report=True))
    over = moved(thread, recovered())
    assert (over.status, over.inbox) == ("closed", ("200.000001",))


def test_a_remark_ends_with_the_incident() -> None:
    """Nobody asked anything."""
    heard = added("looking", ts="200.000001", root="100.000001", sender="U0BEN", seconds=20)
    thread = moved(pending(), Overheard(at=heard.at, fresh=fresh(), message=heard.message))
    over = moved(thread, recovered())
    assert (over.status, over.inbox, over.due_at) == ("closed", (), None)


def test_nothing_is_reopened_below_a_message_that_was_deleted() -> None:
    """Only the facts are recorded."""
    thread = moved(pending(), added("on it", ts="200.000001", root="100.000001", sender="U0BEN"))
    thread = moved(thread, Deleted(at=at(12), fresh=fresh(), message_id="100.000001"))
    thread = moved(thread, recovered())
    after = moved(thread, failed(seconds=60))
    assert (after.status, after.outcome, after.incident and after.incident.failures) == ("closed", "recovered", 2)


def test_a_further_service_makes_a_draft_stale() -> None:
    """A press on the card of before has no effect; in the other statuses only the facts change."""
    for story in ALL:
        thread = story()
        after = step(thread, failed("orders"))
        assert after.accepted
        assert after.thread
        assert after.thread.incident
        assert after.thread.incident.services == ("payments", "orders")
        assert after.thread.status == thread.status
        is_open = thread.is_worked_on or thread.status == "pending-user"
        assert (after.thread.stale == "orders failed too, since this draft was begun") == is_open
        if thread.draft_pending and is_open:
            assert after.thread.draft_pending
            assert after.thread.draft_pending.nonce != thread.draft_pending.nonce


def _degraded(*services: str) -> dict[str, Any]:
    return {"checks": tuple(result(name, "degraded", error="slow") for name in services or ("payments",))}


def test_a_service_that_goes_down_is_news_where_all_was_degraded() -> None:
    """A card about a certificate that expires in two weeks must not hide an outage; that is said once."""
    thread = investigating(**_degraded())
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    joined = moved(thread, failed("payments", "orders", **_degraded("payments", "orders")))
    assert joined.stale == "payments, orders failed too, since this draft was begun"
    after = moved(thread, failed("payments", "orders", checks=(result(), result("orders", "degraded"))))
    assert after.stale == "payments went down since this draft was begun"
    assert (after.card.number, len(after.replaced)) == (thread.card.number + 1, 1)
    back = moved(after, failed(seconds=30, **_degraded()))
    assert moved(back, failed(seconds=40)).card == back.card


@pytest.mark.parametrize("end", [Dismiss, TakeOver])
def test_a_decided_incident_is_asked_again_once_it_is_down(end: Any) -> None:
    """Not where it was down before: then somebody has decided on that."""
    thread = investigating(**_degraded())
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    closed = moved(thread, press(end, thread))
    assert moved(closed, failed("orders", **_degraded("payments", "orders"))).status == "closed"
    after = moved(closed, failed(seconds=30))
    assert (after.status, after.question_round, after.is_about_incident) == ("collecting", 2, True)
    assert after.incident
    assert (after.incident.failures, after.incident.since) == (1, at(-60))
    known = moved(pending(), failed(**_degraded()))
    known = moved(known, press(end, known))
    assert moved(known, failed(seconds=40)).status == "closed"
    muted = moved(thread, Mute(at=at(12), fresh=fresh()))
    assert moved(muted, failed(seconds=30)).status == "collecting"


def test_a_runbook_that_left_a_service_degraded_does_not_hide_that_it_was_down() -> None:
    """Down once more is what people know already."""
    thread = moved(running(), ended("degraded"))
    assert thread.incident
    assert thread.incident.has_been_down
    assert moved(thread, failed(seconds=40)).stale is None


def test_a_changed_error_changes_the_facts_alone() -> None:
    """The draft stays as it is; the same results again change nothing."""
    thread = pending()
    event = failed(checks=(result(error="no answer within 10 s"),))
    after = moved(thread, event)
    assert after.incident
    assert thread.incident
    assert (after.stale, after.draft_pending, after.revision) == (None, thread.draft_pending, thread.revision)
    assert after.incident.revision == thread.incident.revision + 1
    assert after.incident.session_id == SESSION
    assert not step(after, event).accepted


def test_a_dismissed_incident_may_be_restarted_until_it_is_over() -> None:
    """It is about the incident again."""
    thread = pending()
    closed = moved(thread, press(Dismiss, thread))
    restart = Restarted(at=at(20), fresh=fresh(), by=OPERATOR, mode="live", operator=OPERATOR)
    assert moved(closed, restart).is_about_incident
    assert not step(moved(closed, recovered()), restart).accepted


def test_the_message_of_an_incident_shows_a_revision_once() -> None:
    """An older one is not recorded."""
    shown = IncidentShown(at=at(5), fresh=fresh(), revision=1)
    thread = moved(pending(), shown)
    assert thread.incident
    assert thread.incident.shown == 1
    assert not step(thread, shown).accepted


def test_recovery_marks_the_message_as_done() -> None:
    """With the reaction of success."""
    names = ReactionNames(names={"received": "eyes", "success": "white_check_mark"})
    limits = replace(LIMITS, marks=names)
    thread = moved(collecting(), recovered(), limits)
    assert [mark.name for mark in thread.marks if mark.wanted] == ["white_check_mark"]


@pytest.mark.parametrize("story", [questions.pending, questions.collecting, questions.investigating])
def test_a_resolved_alert_closes_what_waits(story: Callable[[], Thread]) -> None:
    """Other events of incidents change nothing in a thread without one."""
    resolved = AlertResolved(at=at(30), fresh=fresh(), message_id="200.000001")
    after = moved(story(), resolved)
    assert (after.status, after.outcome) == ("closed", "recovered")
    assert not step(after, resolved).accepted
    assert not step(questions.approved(), resolved).accepted
    assert not step(story(), recovered()).accepted


def test_a_reminder_of_an_incident_comes_as_of_any_card() -> None:
    """Its timers are those of any question."""
    limits = replace(LIMITS, remind=timedelta(hours=1))
    thread = pending()
    after = moved(thread, failed("orders"), limits)
    assert after.remind_at == at(20 + 3_600)
