"""A weekly sample is drawn by lot from every stratum, and its judgements give the rate of missed messages."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from bot.decide.message_sampling import PLACES, Candidate, draw_sample, estimate_rate
from bot.models.message_sample import Judgement, SampledMessage

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def messages(channel: str, number: int, confidence: float) -> list[Candidate]:
    """Messages of a channel about which the classifier was equally sure."""
    return [
        Candidate(channel, f"{each + 1}.{round(confidence * 100):06}", "ambient", confidence) for each in range(number)
    ]


def row(weight: float, judgement: Judgement | None) -> SampledMessage:
    """A judged row that stands for so many messages."""
    place = {"chat_id": "C1", "message_id": "1.1", "classification": "ambient", "stratum": "C1 clear"}
    return SampledMessage.model_validate({**place, "weight": weight, "judgement": judgement})


@pytest.mark.parametrize(
    ("week", "expected"),
    [
        ([], {}),
        (messages("C1", 3, 0.9), {"C1 clear": 3}),
        (messages("C1", 3, 0.6), {"C1 close": 3}),
        (messages("C1", 900, 0.9), {"C1 clear": PLACES}),
        (messages("C1", 900, 0.9) + messages("C1", 100, 0.6), {"C1 clear": 8, "C1 close": 8}),
        (messages("C1", 900, 0.9) + messages("C1", 2, 0.6), {"C1 clear": 14, "C1 close": 2}),
        (messages("C1", 2, 0.9) + messages("C1", 900, 0.6), {"C1 clear": 2, "C1 close": 14}),
        (messages("C1", 300, 0.9) + messages("C2", 100, 0.9), {"C1 clear": 12, "C2 clear": 4}),
        (messages("C1", 9_000, 0.9) + messages("C2", 1, 0.9), {"C1 clear": 15, "C2 clear": 1}),
    ],
)
def test_places_go_to_every_stratum(week: list[Candidate], expected: dict[str, int]) -> None:
    """Half to close messages where there are enough, each stratum at least one, none twice."""
    drawn = draw_sample(week, seed="2026-01-05")
    counts = {each.stratum: 0 for each in drawn}
    for each in drawn:
        counts[each.stratum] += 1
    assert counts == expected
    assert len({(each.chat_id, each.message_id) for each in drawn}) == len(drawn)
    assert sum(each.weight for each in drawn) == pytest.approx(len(week))


def test_more_channels_than_places_are_left_to_the_lot() -> None:
    """Another week draws other channels."""
    week = [each for number in range(40) for each in messages(f"C{number}", 5, 0.9)]
    draws = {frozenset(row.chat_id for row in draw_sample(week, seed=f"week {number}")) for number in range(9)}
    assert {len(draw) for draw in draws} == {PLACES}
    assert len(draws) == 9


def test_the_same_week_draws_the_same_whatever_the_order() -> None:
    """Also with a message that was recorded twice."""
    week = messages("C1", 200, 0.9) + messages("C2", 50, 0.6)
    mixed = [*week, week[7]]
    random.Random(1).shuffle(mixed)
    assert draw_sample(mixed, seed="a") == draw_sample(week, seed="a") != draw_sample(week, seed="b")


@pytest.mark.parametrize(
    ("rows", "share", "low", "high"),
    [
        ([row(1, "fine")] * 100, 0.0, 0.0, 0.0370),
        ([row(1, "missed")] * 5 + [row(1, "fine")] * 95, 0.05, 0.0215, 0.1118),
        ([row(1, "missed")] * 5 + [row(1, "fine")] * 95 + [row(1, None)] * 50, 0.05, 0.0215, 0.1118),
        ([row(1, "missed")] * 10 + [row(9, "fine")] * 10, 0.1, 0.0205, 0.3711),
    ],
)
def test_the_rate_counts_what_each_row_stands_for(
    rows: list[SampledMessage], share: float, low: float, high: float
) -> None:
    """With Wilson's interval; rows without a judgement count nowhere."""
    rate = estimate_rate(rows)
    assert rate
    assert (rate.share, rate.low, rate.high) == pytest.approx((share, low, high), abs=2e-4)


def test_nothing_judged_is_no_rate() -> None:
    """Not zero."""
    assert estimate_rate([row(1, None)]) is None


def test_the_estimate_of_many_weeks_is_that_of_all_messages() -> None:
    """Although close messages, of which more are missed, have more places than their share."""
    lot, found = random.Random(7), []
    for week in range(60):
        candidates = messages("C1", 400, 0.95) + messages("C2", 60, 0.6)
        for each in draw_sample(candidates, seed=str(week)):
            chance = 0.25 if each.stratum.endswith("close") else 0.01
            found.append(each.evolve(judgement="missed" if lot.random() < chance else "fine"))
    rate = estimate_rate(found)
    truth = (60 * 0.25 + 400 * 0.01) / 460
    assert rate
    assert rate.low < truth < rate.high
    assert rate.share == pytest.approx(truth, abs=0.012)
