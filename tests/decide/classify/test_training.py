"""A team's labels, and what a table is worth on them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.classify.training import (
    Score,
    TrainingLabel,
    Withdrawal,
    agreement,
    is_held_back,
    newest_labels,
    read_label,
    scores,
)
from bot.models.line_message import LineMessage
from tests.builders import message


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            {"message": "why?", "label": "ambient", "by": "U0OPS"},
            TrainingLabel(LineMessage("why?"), "ambient", "U0OPS"),
        ),
        ({"text": "why?", "label": "ack"}, TrainingLabel(LineMessage("why?"), "ack", "")),
        (
            {"message": {"text": "why?"}, "label": "actionable", "n": 1},
            TrainingLabel(LineMessage("why?"), "actionable", ""),
        ),
    ],
)
def test_a_label_is_read(record: dict[str, Any], expected: TrainingLabel) -> None:
    """The message as a text, or as an object, or beside the label."""
    assert read_label(record) == expected


def test_a_label_may_hold_a_record_of_the_journal() -> None:
    """Its thread and its author are known then."""
    record = {**message("is it?", root="90.1").model_dump(mode="json"), "classification": "actionable"}
    label = read_label({"message": record, "label": "ambient", "by": "U0OPS"})
    assert (label.message.sender, label.message.thread) == ("U0ANA", "T0SANDBOX-C0HELP-90.1")


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ([], "expected a JSON object"),
        ({"text": "why?"}, "label: expected one of actionable, ambient, ack"),
        ({"text": "why?", "label": "spam"}, "label: expected one of"),
        ({"text": "why?", "label": []}, "label: expected one of"),
        ({"text": "why?", "label": "ack", "by": 5}, "by: expected"),
        ({"message": 5, "label": "ack"}, "message: expected a text"),
        ({"message": {"type": "team_join"}, "label": "ack"}, "message: expected a new message"),
        ({"label": "ack"}, "expected an event, or an object with text"),
    ],
)
def test_what_is_no_label_is_refused(record: Any, said: str) -> None:
    """With what was expected."""
    with pytest.raises(ValueError, match=said):
        read_label(record)


def test_the_last_word_on_a_message_counts() -> None:
    """The same text said elsewhere is another message."""
    first, second = (
        TrainingLabel(LineMessage("ok?", ts="1.1"), "ack", "U1"),
        TrainingLabel(LineMessage("ok?", ts="1.1"), "actionable", "U2"),
    )
    other = TrainingLabel(LineMessage("ok?", ts="2.2"), "ack", "U1")
    assert newest_labels([first, other, second]) == [second, other]


def test_what_is_taken_back_counts_no_more() -> None:
    """Each person takes back their own word; a message with a place is the same though it was edited."""
    said = LineMessage("ok?", channel="C1", ts="1.1")
    first, second = TrainingLabel(said, "ack", "U1"), TrainingLabel(said, "actionable", "U2")
    back = read_label({"message": {"text": "ok??", "channel": "C1", "ts": "1.1"}, "label": "withdrawn", "by": "U2"})
    assert isinstance(back, Withdrawal)
    assert newest_labels([first, second, back]) == [first]
    assert newest_labels([second, back]) == []


def test_the_text_decides_what_is_held_back() -> None:
    """About one in four; the same whoever wrote it, in whatever case."""
    texts = [f"message {n}" for n in range(1_000)]
    held = [text for text in texts if is_held_back(TrainingLabel(LineMessage(text), "ack", ""))]
    assert 200 < len(held) < 300
    assert all(is_held_back(TrainingLabel(LineMessage(f" {text.upper()}", ts="5.5"), "ambient", "U1")) for text in held)


def test_scores_are_precision_and_recall() -> None:
    """Of each class; none where there was nothing to tell."""
    found = scores(["actionable", "actionable", "ambient"], ["actionable", "ambient", "ambient"])
    assert found["actionable"] == Score(1.0, 0.5, 2)
    assert found["ambient"] == Score(0.5, 1.0, 1)
    assert found["ack"] == Score(None, None, 0)
    assert agreement(["ack", "ambient"], ["ack", "ack"]) == 0.5
