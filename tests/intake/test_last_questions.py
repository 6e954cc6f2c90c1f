"""Which question somebody's next message in a channel may settle, by table and in whatever order it is delivered."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.intake.classification import MessageClassifier
from bot.intake.debounce import DAY, MAX_MESSAGES, LastQuestions
from tests.builders import at, message
from tests.fakes import HandClock, MemoryJournal
from tests.intake.test_watcher import OpenThread

START = at(0)
RULES = compile_rules(bot_id="U0TRIAGE")


def remembered(story: str) -> LastQuestions:
    """`A1?` is a question of A's at that second, `A2` something else."""
    last = LastQuestions()
    for word in story.split():
        author, at, asks = word[0], int(word[1:].rstrip("?")), word.endswith("?")
        last.note("C1", at, author, f"q{at}" if asks else None)
    return last


@pytest.mark.parametrize(
    ("story", "question"),
    [
        ("A1?", "q1"),
        ("A1? A5", "q1"),
        ("A1? A5?", "q5"),
        ("A1? B5", None),
        ("A1? B5 A6", None),
        ("B1? A5", None),
        ("B1 A5?", "q5"),
        ("A1", None),
        ("", None),
        ("A1? B90", "q1"),
    ],
)
def test_the_last_question_of_whoever_spoke_last(story: str, question: str | None) -> None:
    """Asked at second 60: what was said later does not count, and what somebody else said between ends it."""
    assert remembered(story).newest_before("C1", 60, "A") == question
    assert remembered(story).newest_before("C2", 60, "A") is None


@pytest.mark.parametrize("order", [*permutations(("A1?", "A3", "B2"))])
def test_any_order_of_delivery_finds_the_same(order: tuple[str, ...]) -> None:
    """Only the messages' own times count."""
    assert remembered(" ".join(order)).newest_before("C1", 60, "A") is None


def test_the_memory_is_bounded() -> None:
    """What is forgotten settles nothing."""
    last = remembered("A1?")
    for second in range(2, MAX_MESSAGES + 2):
        last.note("C1", second, "A", None)
    assert last.newest_before("C1", 900, "A") is None


@pytest.mark.parametrize(
    ("story", "question"),
    [("A1?", "q1"), ("A1? A5", "q1"), ("A1? A5?", None), ("B1? A5?", "q5"), ("A1? B5", None), ("", None)],
)
def test_the_only_question_of_whoever_spoke_last(story: str, question: str | None) -> None:
    """Two of one day leave open which is meant; one of the day before does not."""
    assert remembered(story).only_question("C1", 60, "A") == question
    if story.startswith("A1? A5?"):
        assert remembered("A1? B2 A5?").only_question("C1", DAY + 2, "A") == "q5"


@pytest.mark.parametrize(
    ("colleague", "seconds", "just"),
    [(False, 30, True), (False, 599, True), (False, 601, False), (False, -5, False), (True, 30, False)],
)
def test_a_reply_is_the_last_word_for_some_minutes(colleague: bool, seconds: float, just: bool) -> None:
    """What a colleague adds below it may be what is thanked for."""
    judging = MessageClassifier(classified=MemoryJournal(), threads=OpenThread(), clock=HandClock())
    replied = START + timedelta(seconds=60)
    root = message(ts=f"{START.timestamp():.6f}", create_time=START)
    judging.classify(root, RULES)
    judging.note_reply(root.chat_id, root.home, f"{replied.timestamp():.6f}")
    if colleague:
        judging.classify(message(ts="1.2", root=root.message_id, sender="U0BEN", create_time=replied), RULES)
    said = message("thanks", ts="1.3", create_time=replied + timedelta(seconds=seconds))
    assert judging.has_just_replied(root.home, said) == just
