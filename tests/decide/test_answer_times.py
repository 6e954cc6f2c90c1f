"""The time from a question to its first answer is measured alike before Triage came and since."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.decide.answer_times import AnswerTimes
from bot.models.line_message import LineMessage

T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
ANA, BEN, BOT, TRIAGE = "U0ANA", "U0BEN", "B0BUILD", "triage"


def said(by: str, minutes: float, *, root: float | None = None, asks: bool = False, names: str = "") -> Any:
    """A message, in the thread that began so many minutes after the start, or in the channel itself."""
    ts, home = (
        f"{T0.timestamp() + minutes * 60:.6f}",
        f"T-C1-{T0.timestamp() + (minutes if root is None else root) * 60:.6f}",
    )
    thread = None if root is None else home
    mentions = (names,) if names else ()
    line = LineMessage("words", by, by.startswith("B"), mentions, "C1", "help", thread, home, ts)
    return line, asks


@pytest.mark.parametrize(
    ("messages", "seconds", "unanswered"),
    [
        pytest.param([said(ANA, 0, asks=True), said(BEN, 5, root=0)], (300,), 0, id="answered in its thread"),
        pytest.param(
            [said(ANA, 0, asks=True), said(ANA, 2, root=0), said(BEN, 5, root=0)], (300,), 0, id="the asker adds"
        ),
        pytest.param(
            [said(ANA, 0, asks=True), said(BOT, 1, root=0), said(BEN, 5, root=0)], (300,), 0, id="a bot answers nothing"
        ),
        pytest.param([said(ANA, 0, asks=True), said(TRIAGE, 3, root=0)], (180,), 0, id="Triage answers"),
        pytest.param(
            [said(ANA, 0, asks=True), said(BEN, 5, root=0), said(BEN, 9, root=0)], (300,), 0, id="only the first answer"
        ),
        pytest.param([said(ANA, 0, asks=True), said(BEN, 5)], (), 0, id="other words in the channel"),
        pytest.param(
            [said(ANA, 0, asks=True), said(BEN, 5, names=ANA)], (300,), 0, id="the asker named in the channel"
        ),
        pytest.param([said(ANA, 0, asks=True), said(BEN, 1500, names=ANA)], (), 0, id="named too late"),
        pytest.param([said(ANA, 0, asks=True), said(ANA, 5, names=ANA)], (), 0, id="named by themselves"),
        pytest.param(
            [said(ANA, 0, asks=True), said(BEN, 5, root=0), said(ANA, 6, root=0, asks=True), said(BEN, 9, root=0)],
            (300,),
            0,
            id="only a thread's first question",
        ),
        pytest.param(
            [said(ANA, 0), said(BEN, 4, root=0, asks=True), said(ANA, 6, root=0)], (120,), 0, id="asked in a thread"
        ),
        pytest.param([said(ANA, 0, asks=True), said(BEN, 7 * 1440 + 1)], (), 1, id="nobody in a week"),
        pytest.param([said(ANA, 0, asks=True), said(BEN, 7 * 1440 + 1, root=0)], (), 1, id="answered after a week"),
        pytest.param([said(ANA, 0, asks=True), said(BEN, 60)], (), 0, id="it still waits"),
        pytest.param([said("", 0, asks=True), said(BEN, 60, root=0)], (), 0, id="by nobody known"),
    ],
)
def test_the_first_answer_counts(messages: list[Any], seconds: tuple[int, ...], unanswered: int) -> None:
    """By anybody but the asker and other bots."""
    times = AnswerTimes()
    for line, asks in messages:
        if line.sender == TRIAGE:
            times.add_reply(line.home, datetime.fromtimestamp(float(line.ts), UTC))
        else:
            times.add(line, asks=asks)
    found = times.channels()
    assert [(each.channel, each.name, each.seconds, each.unanswered) for each in found] == (
        [("C1", "help", seconds, unanswered)] if seconds or unanswered else []
    )


def test_a_message_without_a_time_counts_nothing() -> None:
    """Nor does one that cannot be placed."""
    times = AnswerTimes()
    times.add(LineMessage("words", ANA, home="T-C1-1", ts="soon"), asks=True)
    times.add(LineMessage("words", ANA, ts="1.0"), asks=True)
    assert times.channels() == ()
    assert times.first is times.last is None


def test_the_period_is_that_of_the_messages() -> None:
    """From the first to the last."""
    times = AnswerTimes()
    for line, asks in (said(ANA, 3), said(BEN, 90)):
        times.add(line, asks=asks)
    assert (times.first, times.last) == (T0 + timedelta(minutes=3), T0 + timedelta(minutes=90))
