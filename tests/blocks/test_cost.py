"""Wording of costs: a maximum is called one, and an unknown cost is not called $0."""

from __future__ import annotations

import pytest

from blocks.cost import format_cost
from bot.models.cost import Cost, sum_figures, sum_sessions
from bot.models.session import Session
from tests.builders import T0

PARTS: dict[str, tuple[list[tuple[float | None, float, float]], str]] = {
    "nothing": ([], "$0.00"),
    "free": ([(0.0, 0, 0)], "$0.00"),
    "known": ([(7.02, 0, 0), (0.98, 0, 0)], "$8.00"),
    "a cut call": ([(7.02, 0, 0), (0.0, 2.91, 0)], "$9.93 at most, of which $7.02 known"),
    "a cut call after turns": ([(7.02, 2.91, 0)], "$9.93 at most, of which $7.02 known"),
    "a call under way": ([(0.5, 0, 0.25)], "$0.75 at most, of which $0.50 known"),
    "turns without counts": ([(None, 0.4, 0)], "$0.40 at most"),
    "turns without counts beside others": ([(None, 0.4, 0), (0.1, 0, 0)], "$0.50 at most, of which $0.10 known"),
    "no price": ([(None, 0, 0)] * 12, "$0.00, and 12 runs of unknown cost"),
    "all": (
        [(1.0, 0, 0), (None, 0.5, 0), (None, 0, 0)],
        "$1.50 at most, of which $1.00 known, and 1 run of unknown cost",
    ),
    "thousands": ([(1234.5, 0, 0)], "$1,234.50"),
}
"""Cost, unsure cost and held cost of each run; the words of their sum."""


def build_sessions(parts: list[tuple[float | None, float, float]]) -> list[Session]:
    """Sessions of these costs."""
    return [
        Session(
            session_id=f"20260105T090000-{number}",
            agent="investigator",
            model="m",
            started_at=T0,
            saved_at=T0,
            outcome="answered",
            cost_usd=usd,
            unsure_usd=unsure,
            held_usd=held,
        )
        for number, (usd, unsure, held) in enumerate(parts)
    ]


@pytest.mark.parametrize("name", PARTS)
def test_a_sum_says_which_of_its_parts_are_known(name: str) -> None:
    """Whatever runs it is of."""
    parts, text = PARTS[name]
    assert format_cost(sum_sessions(build_sessions(parts))) == text


@pytest.mark.parametrize("name", [name for name in PARTS if name != "a call under way"])
def test_the_figures_of_ended_runs_have_the_same_sum(name: str) -> None:
    """A card says the same as the reports."""
    parts, text = PARTS[name]
    assert format_cost(sum_figures(run.to_figures() for run in build_sessions(parts))) == text


def test_more_places_are_for_single_runs() -> None:
    """Most cost less than a cent."""
    assert format_cost(Cost(usd=0.00931, unsure_usd=0.0003), places=4) == "$0.0093 at most, of which $0.0090 known"
