"""Announcements: each decision that is asked for has one new card, and nothing else has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.workflow import WorkflowLimits
from bot.decide.working_hours import WorkingHours
from bot.models.staleness import EvidenceChanged
from bot.models.thread import Thread
from bot.models.thread_event import (
    AnswerQuestion,
    Approve,
    Bounce,
    CardRendered,
    CardRetired,
    CardWanted,
    Delegate,
    Dismiss,
    Due,
    EditSubmitted,
    PostFailed,
    Redraft,
    RunFailed,
)
from tests.builders import LIMITS, added, at, check, draft_for, found, fresh, moved, step, validated
from tests.decide import test_workflow as story

HOUR = 3_600
NIGHT = replace(
    LIMITS,
    remind=timedelta(hours=1),
    hours=WorkingHours(days=frozenset({"mon", "tue"}), opens=9 * 60, closes=18 * 60, zone="UTC"),
)
"""Every story begins on a Monday at nine."""


def again(thread: Thread, press: Any, limits: WorkflowLimits = LIMITS, *, seconds: float = 30) -> Thread:
    """The document once the draft that `press` asks for is ready."""
    thread = moved(thread, press, limits)
    thread = moved(thread, found(thread, seconds=seconds), limits)
    return moved(thread, validated(thread, seconds=seconds), limits)


def run_failed(thread: Thread) -> Thread:
    """The run of a document ends without findings."""
    return moved(thread, RunFailed(at=at(30), fresh=fresh(), run_id=thread.run_id or "", reason="so it is"))


def stale(thread: Thread, number: int = 1) -> Thread:
    """Somebody has written in the thread since."""
    return moved(thread, added("so?", ts=f"10{number}.000001", root="100.000001", seconds=20 + number))


def drawn(thread: Thread) -> Thread:
    """The document once its card stands."""
    card = CardRendered(
        at=at(50),
        fresh=fresh(),
        nonce=thread.card.nonce,
        channel="D0OPS",
        ts=f"{thread.card.number}.1",
        revision=thread.revision,
    )
    return moved(thread, card)


@pytest.mark.parametrize("thread", [story.collecting, story.investigating, story.awaiting])
def test_nobody_is_asked_before_there_is_something_to_decide(thread: Callable[[], Thread]) -> None:
    """The card of the question waits in its document."""
    made = thread()
    assert (made.card.asks, made.card.number, made.replaced) == (False, 1, ())


@pytest.mark.parametrize("thread", [story.pending, story.failed])
def test_the_first_decision_has_the_first_card(thread: Callable[[], Thread]) -> None:
    """A draft, or a run that failed."""
    made = thread()
    assert (made.card.asks, made.card.number, made.replaced) == (True, 1, ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(story.pending, lambda t: again(t, story.press(Bounce, t, feedback="no")), id="second draft"),
        pytest.param(story.pending, lambda t: again(t, story.press(Redraft, t)), id="redraft"),
        pytest.param(story.pending, lambda t: again(t, story.press(AnswerQuestion, t, text="so")), id="answer"),
        pytest.param(
            story.pending, lambda t: run_failed(moved(t, story.press(Redraft, t))), id="second run that failed"
        ),
        pytest.param(story.pending, stale, id="stale"),
        pytest.param(
            story.pending,
            lambda t: moved(t, EvidenceChanged(at=at(20), fresh=fresh(), checks=(check("failed"),), why="gone")),
            id="cited lines changed",
        ),
        pytest.param(
            story.approved, lambda t: moved(t, PostFailed(at=at(20), fresh=fresh(), reason="archived")), id="not posted"
        ),
    ],
)
def test_each_further_decision_has_a_card_of_its_own(before: Any, after: Any) -> None:
    """The one before is to go, whether it is known to stand yet or not."""
    for ask in (before(), drawn(before())):
        made = after(ask)
        assert made.card.nonce != ask.card.nonce
        assert (made.card.number, made.card.asks, made.card.ts) == (2, True, None)
        assert [card.nonce for card in made.replaced] == [ask.card.nonce]
        gone = moved(made, CardRetired(at=at(60), fresh=fresh(), nonce=ask.card.nonce))
        assert (gone.replaced, gone.card) == ((), made.card)


def test_a_doubt_has_a_card_of_its_own() -> None:
    """Somebody must look."""
    assert (story.in_doubt().card.number, len(story.in_doubt().replaced)) == (2, 1)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda t: moved(t, story.press(EditSubmitted, t, draft=draft_for(t))), id="edit"),
        pytest.param(lambda t: moved(t, story.press(Bounce, t, feedback="no")), id="bounce"),
        pytest.param(lambda t: moved(t, story.press(Approve, t)), id="approve"),
        pytest.param(lambda t: moved(t, story.press(Dismiss, t)), id="dismiss"),
        pytest.param(lambda t: moved(t, Due(at=at(80 * HOUR), fresh=fresh())), id="expiry"),
    ],
)
def test_what_asks_nothing_new_is_drawn_on_the_card_that_stands(change: Any) -> None:
    """The operator has pressed, or there is nothing to press any more."""
    before = drawn(story.pending())
    after = change(before)
    assert after.revision > before.revision
    assert (after.card, after.replaced) == (before.card, ())


def test_news_on_a_draft_that_is_behind_already_asks_nothing_new() -> None:
    """The first message said so; the others are drawn."""
    once = stale(story.pending())
    assert stale(once, 2).card == once.card


def test_who_gets_the_question_from_a_colleague_is_asked() -> None:
    """By a card of their own; that of before is not one of theirs."""
    before = drawn(story.pending())
    after = moved(before, story.press(Delegate, before, to="U0EVE"))
    assert (after.card.asks, after.card.number, after.replaced) == (True, 2, ())
    assert [one.card.nonce for one in after.to_retire] == [before.card.nonce]


def test_the_cards_of_a_question_have_the_same_nonces_when_its_document_is_made_anew() -> None:
    """So that they are found again."""
    assert [stale(story.pending()).card.nonce for _ in range(2)] == [stale(story.pending()).card.nonce] * 2


def test_at_night_the_new_card_waits_until_work_begins() -> None:
    """The document says when; then it is asked for once, and its times begin."""
    evening = story.awaiting()
    evening = moved(evening, validated(evening, seconds=12 * HOUR), NIGHT)
    assert (evening.card.asks, evening.announce_at, evening.due_at) == (False, at(24 * HOUR), at(24 * HOUR))
    assert evening.expires_at == at(96 * HOUR)
    assert not step(evening, Due(at=at(23 * HOUR), fresh=fresh()), NIGHT).accepted
    morning = moved(evening, Due(at=at(24 * HOUR), fresh=fresh()), NIGHT)
    assert (morning.card.asks, morning.announce_at, morning.card.nonce) == (True, None, evening.card.nonce)
    assert (morning.remind_at, morning.expires_at) == (at(25 * HOUR), at(96 * HOUR))
    assert morning.revision > evening.revision


def test_a_card_that_stands_shows_a_second_draft_at_night_and_is_replaced_in_the_morning() -> None:
    """Whoever works late sees it where they left it."""
    before = drawn(story.pending())
    late = again(before, story.press(Bounce, before, feedback="no"), NIGHT, seconds=12 * HOUR)
    assert (late.status, late.card, late.announce_at) == ("pending-user", before.card, at(24 * HOUR))
    morning = moved(late, Due(at=at(24 * HOUR), fresh=fresh()), NIGHT)
    assert (morning.card.number, len(morning.replaced)) == (2, 1)


def test_a_bot_that_was_down_over_the_morning_wakes_nobody_in_the_next_night() -> None:
    """The word waits once more, and no longer than that."""
    evening = story.awaiting()
    evening = moved(evening, validated(evening, seconds=12 * HOUR), NIGHT)
    late = moved(evening, Due(at=at(35 * HOUR), fresh=fresh()), NIGHT)
    assert late.announce_at == at(7 * 24 * HOUR)  # nobody works before Monday
    assert late.expires_at == at(10 * 24 * HOUR)


def test_what_a_press_comes_to_is_told_at_any_hour() -> None:
    """Whoever has just approved is there."""
    back = moved(story.approved(), PostFailed(at=at(12 * HOUR), fresh=fresh(), reason="archived"), NIGHT)
    assert (back.card.number, back.announce_at) == (2, None)


def test_a_card_that_somebody_wants_to_see_comes_at_once() -> None:
    """Before there is a draft, at night, and once all is settled; its times stay as they were."""
    assert moved(story.investigating(), CardWanted(at=at(20), fresh=fresh())).card.wanted
    evening = story.awaiting()
    evening = moved(evening, validated(evening, seconds=12 * HOUR), NIGHT)
    seen = moved(evening, CardWanted(at=at(13 * HOUR), fresh=fresh()), NIGHT)
    assert (seen.card.wanted, seen.card.asks, seen.announce_at) == (True, True, None)
    assert (seen.expires_at, seen.due_at) == (evening.expires_at, evening.remind_at)
    settled = moved(drawn(story.replied()), CardWanted(at=at(20), fresh=fresh()))
    assert (settled.card.number, settled.card.wanted, settled.due_at) == (2, True, None)


def test_a_settled_question_is_announced_no_more() -> None:
    """Whatever was to be told in the morning."""
    evening = story.awaiting()
    evening = moved(evening, validated(evening, seconds=12 * HOUR), NIGHT)
    assert moved(evening, story.press(Approve, evening), NIGHT).announce_at is None


def test_a_document_of_before_has_its_card_replaced_by_the_first_decision() -> None:
    """It stands since the question came in, and has notified of nothing that is to be decided."""
    old = story.awaiting()
    old = old.evolve(card=old.card.evolve(channel="D0OPS", ts="9.9", drawn=2))
    made = moved(old, validated(old))
    assert (made.card.ts, [card.ts for card in made.replaced]) == (None, ["9.9"])
