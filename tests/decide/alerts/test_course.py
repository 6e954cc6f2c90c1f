"""Course of an alert in its thread's document: repeated, acknowledged, resolved, and fired again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.alerts import read_alert
from bot.models.alert import Alert
from bot.models.presses import Approve, Dismiss, TakeOver
from bot.models.thread import Thread
from bot.models.thread_event import AlertAcknowledged, AlertResolved, Due, MessageAdded, Mute, Posted
from tests.builders import LIMITS, added, at, found, fresh, moved, step, validated
from tests.decide.alerts.programs import Json, alertmanager

FIRING = alertmanager("[FIRING:1] HighErrorRate shop (critical web-1)")
GROWN = alertmanager("[FIRING:2] HighErrorRate shop (critical)", text="service: search")
BOT = "B0ALERTS"


def alert(payload: Json) -> Alert:
    """The alert of a message."""
    found_alert = read_alert(payload)
    assert found_alert
    return found_alert


def fires(seconds: float = 0, payload: Json = FIRING, **changes: Any) -> MessageAdded:
    """A message that the alert is firing, `seconds` after the first one."""
    written = {"ts": f"{100 + seconds:.6f}", "create_time": at(seconds), "sender": BOT, "sender_type": "bot"}
    event = added("HighErrorRate", seconds=seconds, **(written | changes))
    told = event.message.evolve(alert=alert(payload))
    return MessageAdded(
        at=event.at,
        fresh=event.fresh,
        message=told,
        mode="live",
        operator=event.operator,
        mentioned=False,
        replayed=event.replayed,
    )


def resolves(seconds: float, ts: float | None = None) -> AlertResolved:
    """The end of the alert, by a message of its own."""
    return AlertResolved(at=at(seconds), fresh=fresh(), message_id=f"{ts or 100 + seconds:.6f}")


def opened() -> Thread:
    """The thread of an alert, still collecting."""
    return moved(None, fires())


def working() -> Thread:
    """The same, while it is investigated."""
    return moved(opened(), Due(at=at(2), fresh=fresh()))


def pending() -> Thread:
    """The same, with a draft."""
    thread = working()
    thread = moved(thread, found(thread))
    return moved(thread, validated(thread))


def press(kind: Any, thread: Thread, seconds: float = 10, **more: Any) -> Any:
    """A press on the card."""
    draft = thread.draft_pending
    assert draft
    return kind(at=at(seconds), fresh=fresh(), by="U0OPS", draft_id=draft.draft_id, nonce=draft.nonce, **more)


def approved() -> Thread:
    """The same, with its reply on its way."""
    thread = pending()
    return moved(thread, press(Approve, thread))


@pytest.mark.parametrize("thread", [opened(), working(), pending(), approved()], ids=lambda each: each.status)
def test_a_repeated_alert_is_counted_and_changes_nothing_else(thread: Thread) -> None:
    """No second run, no stale draft, no new card, no timer again."""
    after = step(thread, fires(60))
    assert after.effect is None
    assert after.thread
    record = after.thread.alert
    assert record
    assert (record.fired, record.last_fired_at) == (2, at(60))
    told = {"alert", "revision", "last_event_at", "version"}
    assert after.thread.model_dump(exclude=told) == thread.model_dump(exclude=told)


def test_five_hundred_repetitions_leave_a_small_document() -> None:
    """They are counted; the last ones are kept."""
    thread = pending()
    for number in range(500):
        thread = moved(thread, fires(20 + number))
    assert thread.alert
    assert (thread.alert.fired, len(thread.alert.changes), len(thread.messages)) == (501, 20, 1)


def test_something_new_after_the_pause_is_read() -> None:
    """Another service joins the question as a message, and the draft is stale."""
    thread = pending()
    soon, later = moved(thread, fires(60, GROWN)), moved(thread, fires(660, GROWN))
    assert (soon.stale, len(soon.messages)) == (None, 1)
    assert later.stale
    assert len(later.messages) == 2
    assert later.alert
    assert later.alert.fired == 2


def test_something_new_before_the_question_is_complete_belongs_to_it() -> None:
    """Without a pause: nothing was investigated yet."""
    thread = moved(opened(), fires(1, GROWN))
    assert (thread.status, len(thread.messages), thread.due_at) == ("collecting", 2, opened().due_at)


def test_something_new_while_the_reply_is_on_its_way_is_only_counted() -> None:
    """By a further bot; the alert's own takes its question on."""
    thread = moved(approved(), fires(660, GROWN, sender="B0OTHER"))
    assert (thread.status, len(thread.messages), thread.alert and thread.alert.fired) == ("approved", 1, 2)


def test_one_message_counts_once() -> None:
    """However often it is delivered, also after a restart."""
    thread = moved(pending(), fires(60))
    assert not step(thread, fires(60)).accepted
    assert not step(thread, fires(30, replayed=True)).accepted
    assert step(thread, fires(30)).accepted


@pytest.mark.parametrize("thread", [opened(), working(), pending()], ids=lambda each: each.status)
def test_the_end_closes_what_waits(thread: Thread) -> None:
    """The run is given up, and nothing is said to anybody."""
    after = step(thread, resolves(60))
    assert after.effect is None
    assert after.thread
    assert (after.thread.status, after.thread.outcome, after.thread.run_id) == ("closed", "recovered", None)
    assert after.thread.asker_line is None
    assert after.thread.alert
    assert after.thread.alert.recovered_at == at(60)


def test_the_end_takes_no_approved_reply_back() -> None:
    """It is posted, and its thread is closed as replied."""
    thread = moved(approved(), resolves(60))
    assert thread.status == "approved"
    closed = moved(thread, Posted(at=at(61), fresh=fresh(), ts="161.000001"))
    assert (closed.status, closed.outcome) == ("closed", "replied")


def test_an_end_older_than_the_last_message_is_late() -> None:
    """The alert fired again since."""
    thread = moved(pending(), fires(60))
    assert not step(thread, resolves(70, ts=130)).accepted
    assert step(thread, resolves(70)).accepted


def test_an_edit_of_the_same_message_ends_it() -> None:
    """Some programs update their message in place."""
    assert moved(pending(), resolves(70, ts=100)).outcome == "recovered"


def test_an_edit_back_counts_from_the_edit() -> None:
    """The message is as old as the first outage."""
    thread = moved(moved(pending(), resolves(70, ts=100)), fires(300, ts="100.000000", create_time=at(0)))
    assert thread.alert
    assert (thread.alert.fired, thread.alert.last_fired_at, thread.alert.recovered_at) == (2, at(300), None)


def test_a_second_end_changes_nothing() -> None:
    """Nor does an acknowledgement after it."""
    thread = moved(pending(), resolves(60))
    assert not step(thread, resolves(61)).accepted
    assert not step(thread, AlertAcknowledged(at=at(62), fresh=fresh(), message_id="162.000000")).accepted


def test_the_question_of_a_person_in_the_thread_is_not_closed() -> None:
    """They asked something else after the reply."""
    replied = moved(approved(), Posted(at=at(20), fresh=fresh(), ts="120.000001"))
    asked = moved(replied, added("how is the limit raised?", ts="130.000001", root="100.000000", mentioned=True))
    after = moved(asked, resolves(60))
    assert (after.status, after.original_sender_id) == ("collecting", "U0ANA")
    assert after.alert
    assert after.alert.recovered_at


def closed_by(kind: Any, **more: Any) -> Thread:
    """The same, closed by a press on its card."""
    thread = pending()
    return moved(thread, press(kind, thread, **more))


@pytest.mark.parametrize(
    "thread",
    [
        moved(pending(), resolves(60)),
        moved(approved(), Posted(at=at(20), fresh=fresh(), ts="120.000001")),
        closed_by(Dismiss),
    ],
    ids=lambda each: each.outcome,
)
def test_the_question_of_any_member_below_an_alert_that_is_over_is_the_next_one(thread: Thread) -> None:
    """Its author is a program, so nobody else would ask there; the next member may do so, too."""
    question = added("why did the limit fail?", ts="170.000001", root="100.000000", sender="U0BEN", seconds=70)
    asked = moved(thread, question)
    assert (asked.status, asked.original_sender_id, asked.is_about_alert) == ("collecting", "U0BEN", False)
    answered = asked.evolve(status="closed", outcome="dismissed", closed_at=at(80))
    other = added("how is it raised?", ts="190.000001", root="100.000000", sender="U0ANA", seconds=90)
    assert moved(answered, other).original_sender_id == "U0ANA"


def test_a_question_while_the_reply_to_an_alert_is_on_its_way_comes_next() -> None:
    """It is not dropped."""
    question = added("why did it fail?", ts="130.000001", root="100.000000", sender="U0BEN", seconds=30)
    assert moved(approved(), question).inbox == ("130.000001",)


def test_a_remark_below_an_alert_that_is_over_opens_nothing() -> None:
    """Nor does another program's message."""
    thread = moved(pending(), resolves(60))
    remark = added("thanks", ts="170.000001", root="100.000000", sender="U0BEN", seconds=70)
    assert not step(thread, replace(remark, asks=False)).accepted
    program = added("where?", ts="171.000001", root="100.000000", sender="B0OTHER", sender_type="bot", seconds=71)
    assert not step(thread, program).accepted


def test_an_alert_that_had_recovered_continues_its_thread() -> None:
    """As its next question, investigated anew."""
    after = moved(moved(pending(), resolves(60)), fires(120))
    assert (after.status, after.question_round, after.outcome) == ("collecting", 2, None)
    assert [m.message_id for m in after.question_messages] == ["220.000000"]
    assert after.alert
    assert (after.alert.fired, after.alert.recovered_at) == (2, None)
    assert moved(after, resolves(180)).outcome == "recovered"


def test_a_message_edited_back_fires_again() -> None:
    """The same message, resolved in place and then firing in place."""
    after = moved(moved(pending(), resolves(60, ts=100)), fires(0))
    assert (after.status, [m.message_id for m in after.question_messages]) == ("collecting", ["100.000000"])


def test_a_dismissed_alert_stays_dismissed_until_it_has_recovered() -> None:
    """A repetition is counted; the next outage is a question."""
    thread = pending()
    dismissed = moved(thread, press(Dismiss, thread))
    repeated = moved(dismissed, fires(60))
    assert (repeated.status, repeated.outcome) == ("closed", "dismissed")
    again = moved(moved(repeated, resolves(70)), fires(80))
    assert again.status == "collecting"


@pytest.mark.parametrize("has_recovered", [True, False])
def test_an_alert_in_a_muted_thread_opens_nothing_until_it_is_unmuted(*, has_recovered: bool) -> None:
    """Somebody asked for silence, and then for the bot to listen again."""
    ended = moved(pending(), Mute(at=at(50), fresh=fresh()))
    ended = moved(ended, resolves(60)) if has_recovered else ended
    muted = moved(ended, replace(fires(70), muted=True))
    assert (muted.status, muted.outcome) == ("closed", "muted")
    unmuted = moved(muted, fires(80))
    assert (unmuted.status, unmuted.outcome, unmuted.is_about_alert) == ("collecting", None, True)


def test_a_mute_by_a_member_hides_no_alert() -> None:
    """The card of the alert stays, and its next outage gets its own; an operator's mute lasts until it is lifted."""
    thread = pending()
    assert not step(thread, Mute(at=at(50), fresh=fresh(), by_operator=False)).accepted
    ended = moved(thread, resolves(60))
    again = moved(ended, replace(fires(70), muted=True))
    assert (again.status, again.is_about_alert) == ("collecting", True)
    muted = step(ended, Mute(at=at(65), fresh=fresh())).thread
    assert moved(muted, replace(fires(70), muted=True)).status == "closed"
    assert moved(muted, fires(70)).status == "collecting"


@pytest.mark.parametrize("has_recovered", [True, False])
def test_an_alert_in_a_thread_that_was_taken_over_is_only_counted(*, has_recovered: bool) -> None:
    """An operator answers there; a mention asks the bot again."""
    thread = closed_by(TakeOver)
    thread = moved(thread, resolves(60)) if has_recovered else thread
    again = moved(thread, fires(80))
    assert (again.status, again.outcome) == ("closed", "taken-over")
    assert again.alert
    assert again.alert.fired == 2
    asked = added("and now?", ts="190.000001", root="100.000000", sender="U0BEN", mentioned=True, seconds=90)
    assert moved(again, asked).status == "collecting"


def test_an_acknowledgement_is_noted() -> None:
    """The card says it, and the work goes on."""
    after = moved(pending(), AlertAcknowledged(at=at(60), fresh=fresh(), message_id="160.000000"))
    assert after.status == "pending-user"
    assert after.alert
    assert after.alert.acknowledged_at == at(60)


def test_late_messages_of_an_alert_that_is_over_open_nothing() -> None:
    """A message written before the end, delivered after it."""
    thread = moved(pending(), resolves(60))
    assert not step(thread, fires(50)).accepted


def test_an_end_without_an_alert_closes_a_thread_of_a_program() -> None:
    """A document of before alerts were recognised."""
    thread = moved(None, added("checkout fails, what now?", sender=BOT, sender_type="bot"))
    assert thread.alert is None
    assert moved(thread, resolves(60)).outcome == "recovered"


def test_the_pause_comes_from_the_settings() -> None:
    """A shorter one reads something new sooner."""
    limits = replace(LIMITS, alert_pause=timedelta(seconds=30))
    assert moved(pending(), fires(60, GROWN), limits).stale
