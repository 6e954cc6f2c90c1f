"""Random walks through the state machine with longer runs: whatever happens when, a thread is never stuck or torn."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from bot.decide.escalation import EscalationPolicy
from bot.decide.workflow import advance, resume
from bot.models.effect import CheckFindings, Escalate, Investigate
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Bounce,
    Deleted,
    DigDeeper,
    Dismiss,
    Due,
    Edited,
    Mute,
    Overheard,
    Posted,
    Redraft,
    Stop,
    TakeOver,
)
from tests.builders import LIMITS, added, at, found, fresh, message, moved, validated
from tests.decide.test_escalating import QUESTION, lost, progress
from tests.decide.test_escalation import fell_back, wished
from tests.decide.test_workflow import press

POLICY = EscalationPolicy(enabled=True, may_start=frozenset({2, 3}))
WALKS, STEPS = 60, 25
RUNNING = {"investigating": Investigate, "bounced-round-1": Investigate, "escalated": Escalate}


def choose(thread: Thread, chance: random.Random, at_step: int) -> Any:
    """One of all that may happen to a thread now, early and late."""
    seconds, ts = 20 + at_step, f"{200 + at_step}.000001"
    live = thread.run_id or "none"
    known = chance.choice(thread.messages).message_id
    words = "word " * 20
    ends: list[Callable[[], Any]] = [
        lambda: replace(found(thread, seconds=seconds), run_id=live),
        lambda: replace(wished(thread), run_id=live),
        lambda: replace(fell_back(thread), run_id=live, read_messages=thread.inbox),
        lambda: lost(thread, run_id=live, is_started=chance.random() < 0.5),
        lambda: lost(thread, run_id=live, next_tier=3, next_reason="more", why="limit", unchecked_notes=words),
        lambda: replace(found(thread), run_id=live, next_tier=3, next_reason="more", read_messages=thread.inbox),
        lambda: replace(validated(thread), run_id=live),
        lambda: progress(thread, run_id=live, turns=at_step),
    ]
    late: list[Callable[[], Any]] = [partial(lambda end: replace(end(), run_id="before"), end) for end in ends]
    kinds = (Approve, Bounce, DigDeeper, DigDeeper, Dismiss, Redraft, Stop, TakeOver)
    presses: list[Callable[[], Any]] = [partial(press, kind, thread) for kind in kinds]
    heard = message("hm", ts=ts, root="100.000001")
    others: list[Callable[[], Any]] = [
        lambda: added("and on staging?", seconds=seconds, ts=ts, root="100.000001"),
        lambda: Overheard(at=at(seconds), fresh=fresh(), message=heard),
        lambda: Edited(at=at(seconds), fresh=fresh(), message=message(f"{QUESTION} {at_step}", ts=known)),
        lambda: Deleted(at=at(seconds), fresh=fresh(), message_id=known),
        lambda: Due(at=at(seconds + 100), fresh=fresh()),
        lambda: Posted(at=at(seconds), fresh=fresh(), ts="900.1"),
        lambda: Mute(at=at(seconds), fresh=fresh()),
    ]
    return chance.choice([*ends, *ends, *ends, *late, *presses, *others])()


def check(before: Thread, after: Thread) -> None:
    """What holds after each step."""
    assert Thread.model_validate(after.model_dump()) == after
    running = RUNNING.get(after.status)
    effect = resume(after)
    if running:
        assert type(effect) is running
    assert (after.run_id is not None) == after.is_worked_on
    if after.status == "escalated":
        assert after.escalation
        assert after.is_escalated
    if after.status == "awaiting-validation":
        assert isinstance(effect, CheckFindings)
        assert after.draft_pending
    if after.status == "pending-user":
        assert after.failure or after.draft_pending
        assert after.draft_pending is None or after.verdict or after.opening
    if after.escalation and before.escalation and before.question_round == after.question_round:
        is_new = after.escalation.decided_at != before.escalation.decided_at
        is_chain = before.status == "escalated"
        assert not is_new or is_chain or after.escalation.decided_by or before.escalation_problem is None


@pytest.mark.parametrize("seed", range(2))
def test_a_thread_is_never_stuck_or_torn(seed: int) -> None:
    """Each accepted step keeps what a restart and a card need; each event twice changes nothing more."""
    chance = random.Random(seed)  # a walk, no secret
    limits = replace(LIMITS, escalation=POLICY)
    reached: set[str] = set()
    for _ in range(WALKS):
        thread = moved(None, added(chance.choice([QUESTION, "where is the limit set?"])), limits)
        for at_step in range(STEPS):
            event = choose(thread, chance, at_step)
            step = advance(thread, event, limits)
            assert step.thread
            if not step.accepted:
                continue
            check(thread, step.thread)
            if thread.status == "escalated" != step.thread.status and not hasattr(event, "run_id"):
                assert step.thread.run_id != thread.run_id  # its process must end
            again = advance(step.thread, event, limits)
            assert again.thread
            if hasattr(event, "run_id") and not hasattr(event, "turns"):
                assert not again.accepted or step.thread.run_id == event.run_id
            thread = step.thread
            reached.add(thread.status)
    assert {"escalated", "awaiting-validation", "pending-user", "investigating", "closed"} <= reached
