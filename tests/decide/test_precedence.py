"""An outage and the other questions of its thread, by table: the outage comes first, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.models.alert import Alert
from bot.models.incident_event import AlertResolved
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Deleted,
    Dismiss,
    DoubtfulPost,
    Due,
    Edited,
    Mute,
    NotFound,
    Overheard,
    Posted,
    PostFailed,
    TakeOver,
    WasPosted,
)
from tests.builders import added, at, found, fresh, moved, step, validated
from tests.decide.test_workflow import press
from tests.decide.unhealthy import BOT, TIERS, failed, investigating, pending, recovered, result

HERE: dict[str, Any] = {"root": "100.000001"}
ASKED = "300.000001"


def _over() -> Thread:
    """The first outage is over."""
    return moved(pending(), recovered())


def _decided() -> Thread:
    """A degraded service, dismissed."""
    thread = investigating(checks=(result(status="degraded", error="slow"),))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    return moved(thread, press(Dismiss, thread))


def _collecting(thread: Thread) -> Thread:
    return moved(thread, added("why was it down?", ts=ASKED, sender="U0BEN", seconds=40, **HERE))


def _investigating(thread: Thread) -> Thread:
    return moved(_collecting(thread), Due(at=at(42), fresh=fresh()))


def _escalated(thread: Thread) -> Thread:
    asked = moved(thread, added("why was it down?", ts=ASKED, sender="U0BEN", seconds=40, **HERE))
    return moved(asked, Due(at=at(42), fresh=fresh()), TIERS)


def _awaiting(thread: Thread) -> Thread:
    thread = _investigating(thread)
    return moved(thread, found(thread))


def _pending(thread: Thread) -> Thread:
    thread = _awaiting(thread)
    return moved(thread, validated(thread))


def _stale(thread: Thread) -> Thread:
    thread = _pending(thread)
    heard = added("it was the disk", ts="310.000001", sender="U0CAT", seconds=45, **HERE)
    return moved(thread, Overheard(at=heard.at, fresh=fresh(), message=heard.message))


def _approved(thread: Thread) -> Thread:
    thread = _pending(thread)
    return moved(thread, press(Approve, thread))


def _in_doubt(thread: Thread) -> Thread:
    thread = moved(_approved(thread), DoubtfulPost(at=at(46), fresh=fresh(), settle_at=at(47)))
    return moved(moved(thread, Due(at=at(47), fresh=fresh())), NotFound(at=at(48), fresh=fresh(), is_unread=True))


OPEN = (_collecting, _investigating, _escalated, _awaiting, _pending, _stale)


def _asked_about(thread: Thread) -> tuple[str, bool, str]:
    return thread.status, thread.is_about_incident, thread.question


@pytest.mark.parametrize("before", [_over, _decided], ids=["failed again", "went down"])
@pytest.mark.parametrize("story", OPEN)
def test_a_new_outage_comes_before_the_open_question_of_a_person(
    story: Callable[[Thread], Thread], before: Callable[[], Thread]
) -> None:
    """Its card is asked for at once; the card of the question is removed, and the question is the next one."""
    thread = story(before())
    assert not thread.is_about_incident
    after = moved(thread, failed(seconds=50))
    assert _asked_about(after) == ("collecting", True, "payments is down")
    assert (after.original_sender_id, after.run_id, after.draft_pending, after.stale) == (BOT, None, None, None)
    assert thread.card in after.replaced
    assert after.earlier == thread.earlier
    again = moved(moved(after, recovered(60)), Due(at=at(60), fresh=fresh()))
    assert _asked_about(again)[:2] == ("collecting", False)
    assert again.question.startswith("why was it down?")
    assert (again.anchor, again.original_sender_id, again.set_aside) == (ASKED, "U0BEN", None)


@pytest.mark.parametrize("end", [Dismiss, Approve])
def test_the_question_is_taken_up_after_any_decision_on_the_outage(end: Any) -> None:
    """Not after a take-over or a mute, until somebody mentions the bot."""
    thread = _pending(_over())
    thread = moved(moved(thread, failed(seconds=50)), Due(at=at(52), fresh=fresh()))
    thread = moved(thread, found(thread))
    card = moved(thread, validated(thread))
    assert _asked_about(card)[:2] == ("pending-user", True)
    closed = moved(card, press(end, card))
    closed = moved(closed, Posted(at=at(60), fresh=fresh(), ts="400.000001")) if end is Approve else closed
    assert closed.due_at is not None
    assert moved(closed, Due(at=closed.due_at, fresh=fresh())).question == "why was it down?"
    for silent in (press(TakeOver, card), Mute(at=at(60), fresh=fresh())):
        quiet = moved(card, silent)
        assert (quiet.status, quiet.due_at) == ("closed", None)
        mention = added("and now?", ts="500.000001", sender="U0BEN", mentioned=True, seconds=70, **HERE)
        assert moved(quiet, mention).question == "why was it down?\nand now?"


@pytest.mark.parametrize("before", [_over, _decided], ids=["failed again", "went down"])
def test_a_reply_that_is_on_its_way_comes_before_the_outage(before: Callable[[], Thread]) -> None:
    """The outage begins as soon as that question is closed, or has its card back."""
    for story, end in (
        (_approved, lambda _: Posted(at=at(60), fresh=fresh(), ts="400.000001")),
        (_in_doubt, lambda thread: press(WasPosted, thread)),
    ):
        thread = moved(story(before()), failed(seconds=50))
        assert thread.status in ("approved", "in-doubt")
        closed = moved(thread, end(thread))
        assert (closed.status, closed.due_at is not None) == ("closed", True)
        begun = moved(closed, Due(at=at(70), fresh=fresh()))
        assert _asked_about(begun) == ("collecting", True, "payments is down")
        assert begun.set_aside is None
        over = moved(thread, recovered(55))
        assert moved(over, end(over)).due_at is None
    back = moved(moved(_approved(before()), failed(seconds=50)), PostFailed(at=at(60), fresh=fresh(), reason="no"))
    assert _asked_about(back) == ("collecting", True, "payments is down")
    assert back.set_aside
    assert back.set_aside.messages == (ASKED,)


def test_a_reply_about_the_outage_before_hides_no_new_one() -> None:
    """It is posted, and the thread goes on; one that cannot be posted is stale, with a new card."""
    own = pending()
    approved = moved(moved(own, press(Approve, own)), recovered())
    thread = moved(approved, failed(seconds=40))
    begun = moved(moved(thread, Posted(at=at(60), fresh=fresh(), ts="400.000001")), Due(at=at(60), fresh=fresh()))
    assert (begun.status, begun.question_round, begun.is_about_incident) == ("collecting", 2, True)
    failed_post = moved(thread, PostFailed(at=at(60), fresh=fresh(), reason="no"))
    assert failed_post.status == "pending-user"
    assert failed_post.stale == "payments failed again, or went down, since this draft was begun. no"


def test_a_withdrawn_question_of_a_person_hides_no_outage() -> None:
    """Only the message of the incident itself does, below which nobody would see it."""
    thread = moved(_pending(_over()), Deleted(at=at(45), fresh=fresh(), message_id=ASKED))
    assert thread.outcome == "withdrawn"
    assert _asked_about(moved(thread, failed(seconds=50)))[:2] == ("collecting", True)


def test_what_waits_may_be_edited_and_deleted() -> None:
    """A message that is gone, or says nothing any more, asks nothing."""
    thread = moved(_pending(_over()), failed(seconds=50))
    edit = added("why is it down so often?", ts=ASKED, sender="U0BEN", seconds=52, **HERE)
    edited = moved(thread, Edited(at=at(52), fresh=fresh(), message=edit.message))
    over = moved(moved(edited, recovered(60)), Due(at=at(60), fresh=fresh()))
    assert over.question == "why is it down so often?"
    for gone in (
        Deleted(at=at(52), fresh=fresh(), message_id=ASKED),
        Edited(at=at(52), fresh=fresh(), message=edit.message.evolve(content="~why was it down?~")),
        Edited(at=at(52), fresh=fresh(), message=edit.message, is_empty=True),
    ):
        left = moved(thread, gone)
        assert left.set_aside is None
        assert moved(left, recovered(60)).due_at is None


def test_several_questions_wait_over_several_outages() -> None:
    """Those of before, and those that people ask during the outage."""
    thread = moved(_pending(_over()), failed(seconds=50))
    thread = moved(thread, added("since when?", ts="500.000001", sender="U0CAT", seconds=55, **HERE))
    thread = moved(moved(thread, recovered(60)), failed(seconds=61))
    assert thread.set_aside
    assert thread.set_aside.messages == (ASKED, "500.000001")
    last = moved(moved(thread, recovered(70)), Due(at=at(70), fresh=fresh()))
    assert (last.question, last.original_sender_id) == ("why was it down?\nsince when?", "U0BEN")
    heard = added("solved, thanks", ts="600.000001", sender=BOT, seconds=71, **HERE)
    known = step(moved(thread, recovered(70)), Overheard(at=heard.at, fresh=fresh(), message=heard.message))
    assert known.thread is None or known.thread.due_at == at(70)


def test_an_alert_waits_too_unless_it_is_resolved_meanwhile() -> None:
    """Another program's reply in the thread hides no outage; once taken up, its end closes it again."""
    alert = Alert(
        source="grafana", state="firing", title="disk full", fingerprint="a1", group="disk", words="disk full"
    )
    told = added("disk full", ts=ASKED, sender="B0GRAF", sender_type="bot", seconds=40, **HERE)
    message = told.message.evolve(alert=alert)
    thread = moved(_over(), replace(told, message=message))
    assert thread.is_about_alert
    outage = moved(thread, failed(seconds=50))
    assert outage.is_about_incident
    again = moved(moved(outage, recovered(60)), Due(at=at(60), fresh=fresh()))
    assert (again.status, again.is_about_alert) == ("collecting", True)
    end = AlertResolved(at=at(55), fresh=fresh(), message_id="310.000001")
    assert moved(again, end).outcome == "recovered"
    assert moved(outage, end).set_aside is None


@pytest.mark.parametrize("again", [recovered(30), None], ids=["failed again", "went down"])
def test_a_new_outage_notifies_although_the_draft_was_stale_already(again: Any) -> None:
    """A remark of somebody had made it stale; the card of before is replaced once more."""
    thread = investigating(checks=(result(status="degraded", error="slow"),))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    heard = added("looking", ts="210.000001", sender="U0CAT", seconds=20, **HERE)
    thread = moved(thread, Overheard(at=heard.at, fresh=fresh(), message=heard.message))
    after = moved(thread, failed(seconds=40))
    assert after.card.number == thread.card.number + 1


def _several(*down: str, healthy: tuple[str, ...] = ()) -> dict[str, Any]:
    checks = [result(name, error="no answer within 10 s") for name in down]
    return {"checks": (*checks, *(result(name, "healthy") for name in healthy))}


@pytest.mark.parametrize("is_decided", [False, True], ids=["card", "dismissed"])
def test_what_is_left_of_many_groups_is_asked_about_again(is_decided: bool) -> None:
    """Its cause is not that of all; said once, and not while most are failing."""
    names = ("a", "b", "c", "d", "lo")
    thread = investigating(group="several groups", services=names, **_several(*names))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    thread = moved(thread, press(Dismiss, thread)) if is_decided else thread
    most = moved(thread, failed(*names, seconds=40, **_several("c", "d", "lo", healthy=("a", "b"))))
    assert (most.status, most.stale, most.card) == (thread.status, None, thread.card)
    left = moved(most, failed(*names, seconds=50, **_several("lo", healthy=("a", "b", "c", "d"))))
    assert left.incident
    assert left.incident.is_narrowed
    if is_decided:
        assert _asked_about(left)[:2] == ("collecting", True)
        return
    assert left.stale == "most services are healthy again, and only lo not, since this draft was begun"
    assert left.card.number == thread.card.number + 1
