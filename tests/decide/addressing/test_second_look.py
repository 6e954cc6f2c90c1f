"""What the projects hold of a message's words, by table: whether to look, and what follows."""

from __future__ import annotations

import pytest

from bot.decide.addressing.addressee import NO_QUESTION, QUESTION_REASONS, UNSURE, Addressee
from bot.decide.addressing.second_look import apply_lookup, needs_look
from bot.decide.addressing.signals import Signals
from bot.decide.addressing.subject import Subject

LUNCH = Subject(words=("lunch",), count=1, is_english=True)
TAKEN_FOR = Addressee("triage", QUESTION_REASONS[0])
OPEN = Addressee("unsure", UNSURE)


@pytest.mark.parametrize(
    ("said", "found", "subject", "looks"),
    [
        ("what's for lunch?", TAKEN_FOR, LUNCH, True),
        (
            "where is lunch set?",
            TAKEN_FOR,
            Subject(words=("lunch",), begins_with_question=True, is_english=True),
            False,
        ),
        ("what does lunch_time do?", TAKEN_FOR, LUNCH, False),
        ("o que tem de almo\u00e7o?", TAKEN_FOR, Subject(words=("almo\u00e7o",)), False),
        ("nsqadmin assets", Addressee("unsure", NO_QUESTION), LUNCH, True),
        ("who are you?", OPEN, Subject(), False),
        ("tidy up the lunch", Addressee("unsure", "it may be an order"), LUNCH, False),
        ("below a question", Addressee("unsure", "it is not part of the question above"), LUNCH, False),
        ("what's for lunch?", Addressee("triage", "it is in the thread of a question"), LUNCH, False),
    ],
)
def test_only_what_rests_on_unknown_words_is_looked_at(
    said: str, found: Addressee, subject: Subject, looks: bool
) -> None:
    """Not where a place is asked for, code is named, or a rule knows whose it is."""
    assert needs_look(said, found, Signals(subject=subject)) is looks


@pytest.mark.parametrize(
    ("found", "known", "to"),
    [
        (TAKEN_FOR, False, "unsure"),
        (TAKEN_FOR, None, "triage"),
        (TAKEN_FOR, True, "triage"),
        (OPEN, True, "triage"),
        (OPEN, None, "unsure"),
        (OPEN, False, "unsure"),
    ],
)
def test_what_is_held_decides_and_what_nobody_can_tell_changes_nothing(
    found: Addressee, known: bool | None, to: str
) -> None:
    """In both directions."""
    assert apply_lookup(found, is_known=known).to == to
