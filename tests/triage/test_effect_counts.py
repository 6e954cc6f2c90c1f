"""Counts of effects by kind and outcome."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.models.effect import Investigate, PostReply
from bot.models.thread_event import Posted, PostFailed, RunbookEnded, RunFailed, Validated
from bot.triage.effect_counts import CountedEffects, find_outcome
from tests.builders import at, fresh


def result(kind: type[Any], **fields: Any) -> Any:
    """A result of which only its kind and these fields count."""
    made = object.__new__(kind)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (None, "done"),
        (result(Posted), "done"),
        (result(Validated), "done"),
        (result(RunFailed), "failed"),
        (result(PostFailed), "failed"),
        (result(RunbookEnded, outcome="succeeded"), "done"),
        (result(RunbookEnded, outcome="timed-out"), "failed"),
    ],
)
def test_the_outcome_of_an_effect(event: Any, outcome: str) -> None:
    """A result says so; none at all is a success."""
    assert find_outcome(event) == outcome


class Runner:
    """Effects that do what a test says."""

    def __init__(self, end: Any) -> None:
        self.end = end

    async def run(self, _: Any, __: Any) -> Any:
        """Return it, or raise it."""
        if isinstance(self.end, BaseException):
            raise self.end
        return self.end

    def is_started(self, _: Any) -> bool:
        """Whatever."""
        return True


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (None, "done"),
        (ValueError("x"), "failed"),
        (asyncio.CancelledError(), "cancelled"),
        (RunFailed(at=at(1), fresh=fresh(), run_id="r", reason="x"), "failed"),
    ],
)
async def test_each_end_counts_once(end: Any, outcome: Any) -> None:
    """Errors and cancellations pass through."""
    counted = CountedEffects(Runner(end))
    thread: Any = None
    try:
        await counted.run(thread, Investigate(run_id="r"))
    except (ValueError, asyncio.CancelledError):
        assert isinstance(end, BaseException)
    assert {key for key, count in counted.ended.items() if count} == {("investigate", outcome)}
    assert ("show_card_in_channel", "failed") in counted.ended


async def test_replies_that_are_in_their_thread_count() -> None:
    """Not those that failed."""
    thread: Any = None
    for end in (result(Posted), result(PostFailed)):
        counted = CountedEffects(Runner(end))
        await counted.run(thread, PostReply())
        assert counted.replies_posted == isinstance(end, Posted)
