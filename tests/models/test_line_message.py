"""What the commands read from a line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.models.line_message import LineMessage, parse_line_message, parse_time
from tests.builders import message
from tests.tables import each_row

SLACK = {"type": "message", "channel": "C1", "user": "U1", "text": "hi <@U2> &amp; <!here>", "ts": "5.000001"}


@each_row(
    ("record", "expected"),
    [
        ({"text": "a <b> & c"}, LineMessage("a <b> & c")),
        ({"text": "ask <@U2|ana>"}, LineMessage("ask @U2", mentions=("U2",))),
        (
            SLACK,
            LineMessage(
                "hi @U2 & @here",
                "U1",
                mentions=("U2",),
                channel="C1",
                channel_name="C1",
                home="C1-5.000001",
                ts="5.000001",
                rules_content="hi @U2 &  ",
            ),
        ),
        (
            {"type": "event_callback", "event": {**SLACK, "text": "a", "thread_ts": "4.1"}},
            LineMessage("a", "U1", channel="C1", channel_name="C1", thread="C1-4.1", home="C1-4.1", ts="5.000001"),
        ),
        (
            {**SLACK, "text": "a", "bot_id": "B1"},
            LineMessage("a", "U1", True, (), "C1", "C1", None, "C1-5.000001", "5.000001", ("B1",)),
        ),
        (
            {**SLACK, "text": "a", "thread_ts": "5.000001"},
            LineMessage("a", "U1", False, (), "C1", "C1", None, "C1-5.000001", "5.000001"),
        ),
        (
            {**SLACK, "text": "a", "bot_id": "B1", "app_id": "A1"},
            LineMessage("a", "U1", True, (), "C1", "C1", None, "C1-5.000001", "5.000001", ("B1", "A1")),
        ),
        ({"type": "message", "text": "a", "app_id": "A1"}, LineMessage("a", "A1", by_bot=True)),
        ({"type": "message", "text": "a", "user": "USLACKBOT"}, LineMessage("a", "USLACKBOT", by_bot=True)),
        ({"type": "message", "text": "a", "subtype": "bot_message"}, LineMessage("a", by_bot=True)),
        ({"type": "message", "files": []}, LineMessage("")),
        ({**SLACK, "subtype": ["bot_message"]}, None),
        ({**SLACK, "subtype": "channel_join"}, None),
        ({"type": "reaction_added"}, None),
        ({"type": "event_callback", "event": {"type": "team_join"}}, None),
        ({"kind": "press", "user_id": "U1"}, None),
        ({"kind": "command", "user_id": "U1", "text": "queue", "raw": {}}, None),
    ],
)
def test_each_shape_is_read(record: dict[str, Any], expected: LineMessage | None) -> None:
    """A bare text, Slack's event with and without its envelope, and what is no message."""
    assert parse_line_message(record) == expected


def test_a_normalised_record_is_read_as_it_is() -> None:
    """Its thread, its author and its mentions are known, and the thread that a question opens is the answers' own."""
    thread = "T0SANDBOX-C0HELP-90.1"
    record = {"kind": "message", **message("is it?", root="90.1", mentions=("U9",)).model_dump(mode="json")}
    expected = ("is it?", "U0ANA", False, ("U9",), "C0HELP", "help-platform", thread, thread, "100.000001")
    assert parse_line_message(record) == LineMessage(*expected)
    question = parse_line_message(message(ts="90.1").model_dump(mode="json"))
    assert question
    assert (question.thread, question.home) == (None, thread)
    raw = {"event": {"user": "U7", "bot_id": "B7", "app_id": "A7"}}
    alert = parse_line_message({**message(sender="U7", sender_type="bot").model_dump(mode="json"), "raw": raw})
    assert alert
    assert (alert.sender, alert.other_ids) == ("U7", ("B7", "A7"))


@pytest.mark.parametrize(
    "record",
    [{}, {"text": 5}, {"text": None}, {"content": []}, {"type": "message", "text": {}}, {"a": 1}],
)
def test_what_says_nothing_is_refused(record: dict[str, Any]) -> None:
    """With a reason."""
    with pytest.raises(ValueError, match="expected"):
        parse_line_message(record)


@pytest.mark.parametrize(
    "record",
    [
        {"content": "a", "sender": 5, "mentions": "U1", "thread_id": {}, "message_id": 3},
        {"type": "message", "text": "a", "user": [], "ts": 5, "thread_ts": {}, "channel": None},
        {"text": "a", "kind": []},
    ],
)
def test_fields_of_another_type_are_left_out(record: dict[str, Any]) -> None:
    """The text is still read."""
    assert parse_line_message(record) == LineMessage("a")


@pytest.mark.parametrize(
    ("ts", "expected"),
    [
        ("60.5", datetime(1970, 1, 1, 0, 1, 0, 500_000, tzinfo=UTC)),
        ("2016-01-04 19:59:51", datetime(2016, 1, 4, 19, 59, 51, tzinfo=UTC)),
        ("2016-01-04T19:59:51+02:00", datetime(2016, 1, 4, 17, 59, 51, tzinfo=UTC)),
        ("", None),
        ("nan", None),
        ("1e300", None),
        ("0001-01-01T00:00:00+09:00", None),
    ],
)
def test_a_moment_is_read_or_none(ts: str, expected: datetime | None) -> None:
    """Slack's ts, or a date as people write it; anything else is no moment."""
    assert parse_time(LineMessage("a", ts=ts)) == expected
