"""Operators whom Slack rejects every card for: who gets their question, by table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.workflow import WorkflowLimits
from bot.models.decision import FirstApproval
from bot.models.surface_event import OperatorLost
from bot.models.thread import Thread
from bot.models.thread_event import Approve
from tests.builders import ASKER, LIMITS, OPERATOR, at, fresh, moved, step
from tests.decide.test_workflow import approved, in_doubt, pending, press, replied

NOT_THE_ASKER = replace(LIMITS, asker_may_approve=False)


def lost(*operators: str, user: str = OPERATOR) -> OperatorLost:
    """The loss of an operator, with the others in their order."""
    return OperatorLost(at=at(20), fresh=fresh(), user=user, operators=operators)


def approved_first(thread: Thread, by: str) -> Thread:
    """The draft with the first of two approvals."""
    assert thread.draft_pending
    first = FirstApproval(by=by, at=at(10), draft_id=thread.draft_pending.draft_id, stale=None)
    return thread.evolve(first_approval=first)


@pytest.mark.parametrize(
    ("thread", "limits", "operators", "to"),
    [
        pytest.param(pending(), LIMITS, (OPERATOR, "U0BEN", "U0CAT"), "U0BEN", id="the first who is not the lost one"),
        pytest.param(pending(), LIMITS, (ASKER, "U0BEN"), ASKER, id="the asker, who may approve"),
        pytest.param(pending(), NOT_THE_ASKER, (ASKER, "U0BEN"), "U0BEN", id="the asker may not approve"),
        pytest.param(
            approved_first(pending(), "U0BEN"), LIMITS, ("U0BEN", "U0CAT"), "U0CAT", id="a second person must approve"
        ),
    ],
)
def test_a_question_goes_to_the_next_who_may_decide(
    thread: Thread, limits: WorkflowLimits, operators: tuple[str, ...], to: str
) -> None:
    """A new card with a fresh nonce; nothing is to be said on a card that was never shown."""
    after = moved(thread, lost(*operators), limits)
    assert (after.operator, after.to_retire) == (to, ())
    assert after.card.number == thread.card.number + 1
    assert not step(after, press(Approve, thread, by=to)).accepted
    assert step(after, press(Approve, after, by=to)).accepted
    line = after.hand_overs[-1]
    assert (line.before, line.to, line.by, line.is_lost) == (OPERATOR, to, None, True)


def test_a_reply_in_doubt_keeps_the_nonce_it_is_looked_up_by() -> None:
    """It may stand in the thread already."""
    before = in_doubt()
    after = moved(before, lost("U0BEN"))
    assert (after.operator, after.draft_pending) == ("U0BEN", before.draft_pending)


@pytest.mark.parametrize(
    ("thread", "event"),
    [
        pytest.param(pending(), lost("U0CAT", user="U0BEN"), id="somebody else has the question by now"),
        pytest.param(pending(), lost(), id="there is no other operator"),
        pytest.param(pending(), lost(OPERATOR), id="the only other one is the lost one"),
        pytest.param(approved(), lost("U0BEN"), id="the reply is being posted"),
        pytest.param(replied(), lost("U0BEN"), id="the question is closed"),
    ],
)
def test_otherwise_the_question_stays_where_it_is(thread: Thread, event: Any) -> None:
    """Nothing is changed, so the loss is tried again with the next card."""
    assert not step(thread, event).accepted
