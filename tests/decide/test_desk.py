"""Handing a question over: who has it, which card shows it, and that the old one settles nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.decide.workflow.desk import hand_over_question
from bot.models.thread import Thread
from bot.models.thread_event import Approve, CardRetired, Due
from tests.builders import OPERATOR, at, fresh, moved, step
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


def passed_on(thread: Thread, to: str = "U0BEN") -> Thread:
    """The document after a hand-over that must be possible."""
    made = hand_over_question(thread, Due(at=at(20), fresh=fresh()), to=to, by=OPERATOR)
    assert made is not None
    assert made.thread is not None
    return made.thread


@pytest.mark.parametrize("story", [collecting, investigating, awaiting, pending])
def test_the_question_is_somebody_elses_from_then_on(story: Callable[[], Thread]) -> None:
    """A card of its own, in the same status; the run that is alive goes on."""
    before = story()
    after = passed_on(before)
    assert (after.operator, after.status, after.run_id) == ("U0BEN", before.status, before.run_id)
    assert after.card.nonce != before.card.nonce
    assert (after.card.ts, after.card.drawn == after.revision) == (None, False)
    (line,) = after.to_retire
    assert (line.before, line.to, line.by, line.card) == (OPERATOR, "U0BEN", OPERATOR, before.card)


def test_a_press_on_the_card_of_before_settles_nothing() -> None:
    """Its buttons name a draft as it was drawn for somebody else."""
    before = pending()
    after = passed_on(before)
    assert not step(after, press(Approve, before)).accepted
    assert step(after, press(Approve, after, by="U0BEN")).accepted


@pytest.mark.parametrize("story", [approved, in_doubt, replied])
def test_what_is_settled_is_not_handed_over(story: Callable[[], Thread]) -> None:
    """The nonce of a draft on its way is what its reply is found by."""
    assert hand_over_question(story(), Due(at=at(20), fresh=fresh()), to="U0BEN") is None


def test_nobody_is_handed_what_is_theirs() -> None:
    """There is nothing to change."""
    assert hand_over_question(pending(), Due(at=at(20), fresh=fresh()), to=OPERATOR) is None


def test_the_card_of_before_is_told_of_once() -> None:
    """Each card by its nonce; another one's changes nothing."""
    twice = passed_on(passed_on(pending()), to="U0CAT")
    first, second = twice.to_retire
    once = moved(twice, CardRetired(at=at(21), fresh=fresh(), nonce=first.card.nonce))
    assert once.to_retire == (second,)
    assert not step(once, CardRetired(at=at(22), fresh=fresh(), nonce=first.card.nonce)).accepted
    assert not step(once, CardRetired(at=at(22), fresh=fresh(), nonce="other")).accepted
