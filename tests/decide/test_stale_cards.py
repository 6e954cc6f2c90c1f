"""Stale cards, by table: which news takes the buttons of a shown card away, and which event comes too late."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.workflow import Transition
from bot.models.effect import Investigate
from bot.models.external import External
from bot.models.staleness import (
    EvidenceChanged,
    HintsWithdrawn,
    ReadersChanged,
    ReadersGone,
    SpokenMeanwhile,
    ThreadUnread,
)
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Bounce,
    Deleted,
    Dismiss,
    Due,
    Edited,
    EvidenceFailed,
    FoundReplied,
    NoteKept,
    NotFound,
    Overheard,
    Postponed,
    StateChanged,
    Stop,
    TakeOver,
    Validated,
)
from bot.models.waiting import Waiting
from tests.builders import added, at, check, fresh, message, moved, step
from tests.decide.test_workflow import (
    approved,
    awaiting,
    collecting,
    in_doubt,
    investigating,
    pending,
    press,
    replied,
)
from tests.tables import each_row

Story = Callable[[], Thread]
OUTSIDERS = External(asker=False, channel=True)


def replied_to(ts: str = "100.000002", text: str = "it is 3 in staging", **changes: Any) -> Any:
    """A message of the asker in the thread."""
    return added(text, ts=ts, root="100.000001", **changes)


def overheard(ts: str = "100.000002") -> Overheard:
    """A colleague's message in the thread that asks nothing."""
    said = message("it is 3 in staging", ts=ts, root="100.000001", sender="U0BEN")
    return Overheard(at=at(20), fresh=fresh(), message=said)


def edited(text: str, ts: str = "100.000001", *, asks: bool = False) -> Edited:
    """An edit of a message of the thread."""
    return Edited(at=at(20), fresh=fresh(), message=message(text, ts=ts), asks=asks)


def deleted(ts: str) -> Deleted:
    """A deletion in the thread."""
    return Deleted(at=at(21), fresh=fresh(), message_id=ts)


NEWS: dict[str, Callable[[], Any]] = {
    "a message of the asker": replied_to,
    "a colleague's message": overheard,
    "an edit": lambda: edited("where is the limit set, please?"),
    "changed lines": lambda: EvidenceChanged(at=at(20), fresh=fresh(), checks=(check("failed"),), why="gone"),
    "hints withdrawn": lambda: HintsWithdrawn(at=at(20), fresh=fresh(), thread_ids=("T-C-1.1", "T-C-2.2")),
    "external readers": lambda: ReadersChanged(at=at(20), fresh=fresh(), external=OUTSIDERS, is_kept_back=False),
    "an unread thread": lambda: ThreadUnread(at=at(20), fresh=fresh()),
    "an answer of the bot": lambda: SpokenMeanwhile(at=at(20), fresh=fresh(), ts="105.000001"),
}


@each_row("second", NEWS)
@each_row("first", NEWS)
def test_each_further_news_takes_post_anyway_from_the_card_before(first: str, second: str) -> None:
    """The press was made without sight of the second piece of news; on the card that shows both it counts."""
    once = moved(pending(), NEWS[first]())
    twice = moved(once, _second(second))
    assert not step(twice, press(Approve, once, anyway=True)).accepted, "the older card still posts"
    assert moved(twice, press(Approve, twice, anyway=True)).status == "approved"


def _second(name: str) -> Any:
    """Another piece of news of a kind, so that it is not taken for one that is known."""
    again: dict[str, Any] = {
        "a message of the asker": replied_to(ts="100.000003", text="and 4 in production"),
        "a colleague's message": overheard("100.000004"),
        "an edit": edited("where is the limit set now?"),
    }
    return again.get(name) or NEWS[name]()


def test_each_news_says_why_the_draft_is_stale() -> None:
    """The operator sees which questions the draft rests on; an answer of the bot is kept with its message."""
    hinted = moved(pending(), NEWS["hints withdrawn"]())
    other = "This draft used other open questions that this channel may no longer know of"
    assert hinted.stale == f"{other}: T-C-1.1, T-C-2.2"
    unread = moved(pending(), NEWS["an unread thread"]())
    assert unread.stale == "Triage could not read the thread again; please check it"
    answered = moved(pending(), NEWS["an answer of the bot"]())
    answer = "Triage itself has answered in this thread since this draft was made; please check it"
    assert (answered.stale, answered.own_ts) == (answer, "105.000001")


def test_a_deleted_part_of_the_question_makes_its_draft_stale() -> None:
    """The card says what is gone, and the press on the card before it counts no more."""
    two = moved(pending(), replied_to())
    gone = moved(two, deleted("100.000002"))
    assert gone.stale == "Deleted since this draft was made: it is 3 in staging"
    assert [m.message_id for m in gone.messages] == ["100.000001"]
    assert not step(gone, press(Approve, two, anyway=True)).accepted


def test_the_card_calls_people_by_their_names_in_what_was_deleted() -> None:
    """Not by their ids."""
    two = moved(pending(), replied_to(text="ask @U0BEN", names={"U0BEN": "Ben"}))
    assert moved(two, deleted("100.000002")).stale == "Deleted since this draft was made: ask @Ben"


def test_a_draft_that_is_made_again_for_more_readers_has_no_feedback() -> None:
    """It was about the draft of before; where the draft stands, the card says why it is stale."""
    before = pending().evolve(feedback="look elsewhere", bounced_as="tone")
    event = ReadersChanged(at=at(20), fresh=fresh(), external=OUTSIDERS, is_kept_back=True)
    again = moved(before, event)
    assert (again.status, again.feedback, again.bounced_as) == ("investigating", None, None)
    stale = moved(before, NEWS["external readers"]()).stale
    assert stale == "People of another company read this channel since this draft was made"


def test_a_deleted_part_of_a_question_that_is_collected_changes_nothing_else() -> None:
    """No run is started, and the window stays."""
    two = moved(collecting(), replied_to())
    made = step(two, deleted("100.000002"))
    assert made.thread
    assert (made.thread.status, made.effect, made.thread.due_at) == ("collecting", None, two.due_at)
    assert [m.message_id for m in made.thread.messages] == ["100.000001"]


def test_what_was_lost_of_the_readers_leaves_the_draft_as_it_is() -> None:
    """Fewer people read it: no card is replaced; with nobody lost nothing happens."""
    shared = pending().evolve(external=OUTSIDERS)
    after = moved(shared, ReadersGone(at=at(20), fresh=fresh()))
    assert after.external == OUTSIDERS.evolve(channel=False, is_cut=True)
    assert step(after, press(Approve, shared, confirmed=press(Approve, after).confirmed)).accepted
    assert not step(after, ReadersGone(at=at(21), fresh=fresh())).accepted


def test_an_operator_stops_a_run() -> None:
    """The question waits for a decision without a draft, and what the run brings later is dropped."""
    running = awaiting()
    stopped = moved(running, press(Stop, running))
    assert (stopped.status, stopped.run_id, stopped.draft_pending) == ("pending-user", None, None)
    assert stopped.failure == "an operator stopped the investigation"
    assert stopped.dispatches[-1].status == "aborted: stopped"
    late = Validated(at=at(30), fresh=fresh(), run_id=running.run_id or "", checks=(), validator_return=None)
    assert not step(stopped, late).accepted


def test_a_draft_that_never_was_leaves_no_round() -> None:
    """A bounce after a failed run tells the next run what was said, and sends nothing back."""
    running = investigating()
    stopped = moved(running, press(Stop, running))
    after = moved(stopped, press(Bounce, stopped, feedback="look into orders.py"))
    assert (after.rounds, after.feedback) == ((), "look into orders.py")


@pytest.mark.parametrize(
    ("story", "event"),
    [
        pytest.param(pending, lambda _: edited("where?", ts="999.000001"), id="edit of a message that is not known"),
        pytest.param(pending, lambda _: edited("where is the limit set?"), id="edit that changes no word"),
        pytest.param(approved, lambda _: edited("where?", ts="999.000001"), id="late edit of an unknown message"),
        pytest.param(pending, lambda _: deleted("999.000001"), id="deletion of an unknown message"),
        pytest.param(investigating, lambda _: NEWS["changed lines"](), id="changed lines before any draft"),
        pytest.param(pending, lambda _: FoundReplied(at=at(20), fresh=fresh(), ts="101.000001"), id="found too late"),
        pytest.param(approved, lambda _: NoteKept(at=at(20), fresh=fresh(), path="a.md"), id="a note not asked for"),
        pytest.param(in_doubt, lambda _: Due(at=at(99), fresh=fresh()), id="the timer of a doubt is over"),
        pytest.param(replied, lambda _: Due(at=at(99), fresh=fresh()), id="the timer of a closed question"),
        pytest.param(
            investigating,
            lambda thread: EvidenceFailed(at=at(20), fresh=fresh(), run_id=thread.run_id or "", checks=()),
            id="a check without findings",
        ),
        pytest.param(pending, lambda _: StateChanged(at=at(20), fresh=fresh()), id="no run that a stop could touch"),
    ],
)
def test_what_comes_too_late_changes_nothing(story: Story, event: Callable[[Thread], Any]) -> None:
    """The same document is returned, without an effect."""
    thread = story().evolve(due_at=story().due_at or at(50))
    assert step(thread, event(thread)) == Transition(thread, accepted=False)


@pytest.mark.parametrize("story", [approved, in_doubt])
def test_a_colleagues_question_during_the_post_is_noted_as_left_out(story: Story) -> None:
    """It neither joins the answered question nor waits to be the next one."""
    made = step(story(), replied_to(sender="U0BEN"))
    assert made.thread
    assert (made.accepted, made.thread.left_out, made.thread.inbox) == (False, ("100.000002",), ())
    assert [m.message_id for m in made.thread.messages] == ["100.000001"]


def test_a_waiting_question_without_a_timer_waits() -> None:
    """Nothing but an event moves it on."""
    thread = pending().evolve(due_at=None)
    assert not step(thread, Due(at=at(10**7), fresh=fresh())).accepted


def test_a_reply_found_in_the_thread_ends_a_question_that_was_just_asked() -> None:
    """Nothing is investigated."""
    made = step(collecting(), FoundReplied(at=at(3), fresh=fresh(), ts="101.000001"))
    assert made.thread
    assert (made.thread.status, made.thread.outcome, made.effect) == ("closed", "replied", None)
    assert made.thread.posted_message_id == "101.000001"


def test_an_edit_of_a_queued_question_is_what_is_asked_next() -> None:
    """It came while the reply was being posted; no second place in the queue is taken."""
    queued = moved(approved(), replied_to(text="and for refunds?"))
    after = moved(queued, edited("and for returns?", ts="100.000002"))
    assert (after.inbox, after.reworded) == (("100.000002",), ())
    assert [m.content for m in after.messages] == ["where is the limit set?", "and for returns?"]


def test_an_asker_who_edits_an_answered_question_into_another_is_answered_again() -> None:
    """In the same thread, as its next question; the words of before are the earlier one."""
    after = moved(replied(), edited("how long is a session kept?", asks=True))
    assert (after.status, after.question, after.question_round) == ("collecting", "how long is a session kept?", 2)
    assert after.due_at == at(22)
    assert isinstance(step(after, Due(at=at(22), fresh=fresh())).effect, Investigate)


def test_a_waiting_question_can_be_postponed() -> None:
    """Others come first; it keeps the reason for the wait."""
    until = at(60)
    after = moved(
        collecting(), Postponed(at=at(2), fresh=fresh(), until=until, waiting=Waiting(level="channel", ahead=3))
    )
    assert (after.due_at, after.status) == (until, "collecting")
    assert until - at(2) == timedelta(seconds=58)


def test_a_reply_that_is_looked_for_in_a_thread_that_was_muted_is_closed() -> None:
    """It is not there, and nobody wants it any more."""
    held = approved().evolve(held_back="mute")
    after = moved(held, NotFound(at=at(20), fresh=fresh()))
    assert (after.status, after.outcome) == ("closed", "muted")


def test_names_that_are_known_already_are_not_kept_again() -> None:
    """A person who is renamed is called by the new name from then on."""
    named = moved(None, added(names={"U0ANA": "Ana"}))
    assert (named.names, named.original_sender_name) == ({"U0ANA": "Ana"}, "Ana")
    again = moved(named, replied_to(names={"U0ANA": "Ana"}))
    assert again.names == named.names
    renamed = moved(again, replied_to(ts="100.000003", names={"U0ANA": "Ana B"}))
    assert renamed.original_sender_name == "Ana B"


@pytest.mark.parametrize("story", [collecting, investigating, awaiting])
@pytest.mark.parametrize("kind", [TakeOver, Dismiss, Stop])
def test_a_card_before_the_draft_is_pressed_with_its_own_nonce(story: Story, kind: Any) -> None:
    """The button of an earlier card of the thread decides nothing."""
    thread = story()
    shown = {"draft_id": f"{thread.thread_id}/0", "nonce": thread.card.nonce}
    assert not step(thread, press(kind, thread, **shown | {"nonce": "older"})).accepted
    assert step(thread, press(kind, thread, **shown)).accepted
