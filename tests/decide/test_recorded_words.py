"""Messages that change no state, by table: noted in the document, and nothing else happens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.classify.settlement import SettlingWords
from bot.decide.workflow.acknowledging import MAX_LEFT_OUT
from bot.models.thread import Thread
from bot.models.thread_event import Deleted, MessageAdded, SettledMark
from tests.builders import ASKER, LIMITS, OPERATOR, at, fresh, message, step
from tests.decide.test_settled import ROOT, made

WORDS = replace(LIMITS, settling=SettlingWords(["en"]))


def said(text: str, *, ts: str = "160.000001", sender: str = ASKER, **changes: Any) -> MessageAdded:
    """A message below the question."""
    values: dict[str, Any] = {"mode": "live", "operator": OPERATOR, "mentioned": False} | changes
    written = message(text, ts=ts, root=ROOT, sender=sender)
    return MessageAdded(at=at(60), fresh=fresh(), message=written, **values)


def noted(thread: Thread, happening: Any) -> Thread:
    """The document after an event that changes no state, with something noted."""
    made = step(thread, happening, WORDS)
    assert (made.accepted, made.effect) == (False, None)
    assert made.thread
    assert made.thread != thread
    return made.thread


def test_an_acknowledgement_is_noted_once_with_its_place() -> None:
    """Said again it takes the last place; of very many the oldest go."""
    answered = made("replied")
    thanked = noted(answered, said("solved, thanks", asks=False, is_served=True))
    assert thanked.left_out == ("160.000001",)
    assert [(each.by, each.message_id) for each in thanked.acknowledged] == [(ASKER, "160.000001")]
    full = thanked.evolve(left_out=tuple(f"1.{number}" for number in range(MAX_LEFT_OUT)))
    more = noted(full, said("solved, thanks", ts="161.000001", asks=False, is_served=True))
    assert (len(more.left_out), more.left_out[0], more.left_out[-1]) == (MAX_LEFT_OUT, "1.1", "161.000001")
    assert len(more.acknowledged) == 2


@pytest.mark.parametrize("doubt", ["No", " :-1: ", "NOPE!", "x"])
def test_a_doubt_is_no_acknowledgement(doubt: str) -> None:
    """Whatever its case and the marks around it."""
    thread = step(made("replied"), said(doubt, asks=False), WORDS).thread
    assert thread
    assert thread.acknowledged == ()


@pytest.mark.parametrize(
    ("mark", "counts"),
    [
        ({}, True),
        ({"by": OPERATOR}, False),
        ({"emoji": "eyes"}, False),
        ({"message_id": "999.000001"}, False),
    ],
)
def test_only_the_askers_own_check_mark_after_the_reply_is_noted(mark: dict[str, Any], counts: bool) -> None:
    """On their own question, and after its reply."""
    values: dict[str, Any] = {"by": ASKER, "message_id": ROOT, "emoji": "white_check_mark"} | mark
    happening = SettledMark(at=at(10**9), fresh=fresh(), **values)
    thread = step(made("replied"), happening, WORDS).thread
    assert thread
    assert bool(thread.acknowledged) is counts


@pytest.mark.parametrize("status", ["collecting", "investigating", "pending-user", "approved", "replied"])
def test_a_message_in_a_muted_thread_is_left_out_whatever_it_says(status: str) -> None:
    """Neither thanks nor *solved* count there."""
    thread = made(status)
    for text in ("nvm, found it", "where is the other limit?"):
        after = noted(thread, said(text, muted=True))
        assert after == thread.evolve(left_out=("160.000001",))


def test_a_deleted_acknowledgement_is_taken_back() -> None:
    """Any other deletion below a closed question changes nothing."""
    thanked = noted(made("replied"), said("solved, thanks", asks=False, is_served=True))
    assert noted(thanked, Deleted(at=at(70), fresh=fresh(), message_id="160.000001")).acknowledged == ()
    other = step(thanked, Deleted(at=at(70), fresh=fresh(), message_id=ROOT), WORDS)
    assert (other.thread, other.accepted) == (thanked, False)


@pytest.mark.parametrize("status", ["approved", "in-doubt"])
@pytest.mark.parametrize("text", ["solved, thanks", "nvm, found it"])
def test_a_settling_message_during_the_post_queues_no_question(status: str, text: str) -> None:
    """It is shown to the operator, and the reply is posted all the same."""
    before = made(status).evolve(inbox=("150.000001",))
    after = step(before, said(text), WORDS).thread
    assert after
    assert (after.status, after.inbox) == (status, ("150.000001",))
    assert after.settled_word
    assert after.settled_word.text == text
