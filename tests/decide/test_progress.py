"""Progress: when a run has taken long, and that it is said once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.decide.workflow import advance
from bot.decide.working_hours import WorkingHours
from bot.models.thread import Thread
from bot.models.thread_event import Bounce, Due, Mute, ProgressRendered
from tests.builders import LIMITS, added, at, found, fresh, moved, step, validated
from tests.decide import test_workflow as story

LONG = replace(LIMITS, progress=timedelta(minutes=5))


def begun() -> Thread:
    """A question whose investigation begins at the second second."""
    return moved(story.collecting(), Due(at=at(2), fresh=fresh()), LONG)


def test_a_run_is_due_once_it_has_taken_long() -> None:
    """The check of its draft counts with it; then the message is to stand, and nothing else is due."""
    thread = begun()
    assert thread.due_at == at(302)
    thread = moved(thread, found(thread), LONG)
    assert (thread.status, thread.due_at) == ("awaiting-validation", at(302))
    assert not step(thread, Due(at=at(301), fresh=fresh()), LONG).accepted
    told = moved(thread, Due(at=at(302), fresh=fresh()), LONG)
    assert told.progress is not None
    assert (told.progress.asks, told.due_at, told.status) == (True, None, "awaiting-validation")
    assert not told.waits_briefly
    assert told.progress.nonce == told.card.nonce  # its question's; Slack's metadata tell them apart


def test_another_round_of_the_same_work_keeps_its_time() -> None:
    """A message came meanwhile; a run that is ended has no time."""
    asked = moved(begun(), added("on staging", seconds=3, ts="103.000001", root="100.000001"), LONG)
    again = moved(asked, found(asked), LONG)
    assert (again.status, again.due_at) == ("investigating", at(302))
    assert moved(again, Mute(at=at(5), fresh=fresh()), LONG).due_at is None


def test_it_is_said_once() -> None:
    """What is drawn is noted once; another round of the same question says nothing."""
    told = moved(begun(), Due(at=at(302), fresh=fresh()), LONG)
    assert told.progress
    drawn = ProgressRendered(
        at=at(303), fresh=fresh(), nonce=told.progress.nonce, channel="D0OPS", ts="9.1", revision=told.revision
    )
    stands = moved(told, drawn, LONG)
    assert stands.progress
    assert (stands.progress.channel, stands.progress.ts) == ("D0OPS", "9.1")
    assert not advance(begun(), drawn, LONG).accepted
    assert not advance(stands, drawn, LONG).accepted
    ready = moved(stands, found(stands, seconds=310), LONG)
    ready = moved(ready, validated(ready, seconds=311), LONG)
    again = moved(ready, story.press(Bounce, ready, feedback="no"), LONG)
    assert again.due_at is None


def test_a_card_that_stands_says_it_anyway() -> None:
    """After Bounce it shows that another draft is made."""
    pending = story.pending()
    assert moved(pending, story.press(Bounce, pending, feedback="no"), LONG).due_at is None


def test_nobody_is_told_while_nothing_runs_or_nobody_works() -> None:
    """It is looked at again later."""
    held = moved(begun(), Due(at=at(302), fresh=fresh(), is_held=True), LONG)
    assert (held.progress, held.due_at) == (None, at(602))
    night = replace(LONG, hours=WorkingHours(days=frozenset({"tue"}), opens=0, closes=60, zone="UTC"))
    asleep = moved(begun(), Due(at=at(302), fresh=fresh()), night)
    assert (asleep.progress, asleep.due_at) == (None, at(15 * 3_600))


def test_without_the_setting_no_run_takes_long() -> None:
    """Nor one that was begun with it."""
    assert story.investigating().due_at is None
    assert moved(begun(), Due(at=at(302), fresh=fresh()), LIMITS).due_at is None
