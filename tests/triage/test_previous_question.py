"""The question before in a thread, and the places of its replies that did not serve."""

from __future__ import annotations

import pytest

from bot.models.settlement import Denial
from bot.models.task import DENIED, EarlierQuestion
from bot.models.thread_message import ThreadMessage
from bot.triage.previous_question import find_denied_places, find_previous_question
from tests.builders import ASKER, added, at, moved, reference

TEXTS = ("where is the limit set?", "no, that is not it", "still not it")


@pytest.mark.parametrize(
    ("denied", "question"), [((1, 2), "\n".join(TEXTS[:2])), ((2,), TEXTS[1]), ((), TEXTS[1])], ids=str
)
def test_a_denial_stands_with_the_question_that_it_goes_on(denied: tuple[int, ...], question: str) -> None:
    """Below the second wrong reply it is still the first question that is asked."""
    messages = tuple(
        ThreadMessage(message_id=f"10{n}.000001", sender_id=ASKER, content=text, asks=text, by_bot=False, round=n)
        for n, text in enumerate(TEXTS, start=1)
    )
    words = tuple(Denial(at=at(), by=ASKER, message_id="102.000001", question_round=each) for each in denied)
    thread = moved(None, added()).evolve(messages=messages, question_round=3, denied=words)
    assert find_previous_question(thread) == question


@pytest.mark.parametrize(
    ("outcome", "places"), [(DENIED, ("bot/a.py:1",)), ("replied", ())], ids=["denied", "another question"]
)
def test_the_places_shown_in_a_reply_that_did_not_serve_are_known(outcome: str, places: tuple[str, ...]) -> None:
    """What only its evidence lists was not shown, and may be the right one."""
    refs = (reference(), reference(ref="bot/b.py:2"))
    one = EarlierQuestion(question="?", summary="", refs=refs, said="It is set in `bot/a.py:1`.", outcome=outcome)
    assert find_denied_places(moved(None, added()).evolve(earlier=(one,))) == places
