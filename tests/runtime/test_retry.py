"""A call that had no effect outside is made again, ever more slowly, for as long as it is worth."""

from __future__ import annotations

import pytest

from bot.errors import Refused, RetryLater
from bot.runtime.retry import call_with_retries
from tests.fakes import HandClock


class Naps(HandClock):
    """A clock on which every sleep is over immediately, and noted in seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Note it."""
        self.slept.append(seconds)


class Line:
    """Takes nothing for so many calls; each says how long to wait."""

    def __init__(self, *waits: float) -> None:
        self.waits = [*waits]
        self.calls = 0

    async def call(self) -> str:
        """One try."""
        self.calls += 1
        if self.waits:
            raise RetryLater("busy", after=self.waits.pop(0))
        return "through"


@pytest.mark.parametrize(
    ("asked", "first", "slept"),
    [
        ((3, 3, 3), 0, [3, 6, 12]),
        ((0, 0, 0), 1, [2, 4, 8]),
        ((40, 0, 200, 0), 0, [40, 60, 200, 60]),
    ],
)
async def test_a_call_is_made_until_it_is_through(asked: tuple[float, ...], first: float, slept: list[float]) -> None:
    """Each wait is twice the last one, a minute at most, and never shorter than the other side asks for."""
    clock = Naps()
    assert await call_with_retries(clock, Line(*asked).call, after=first) == "through"
    assert clock.slept == slept


async def test_the_last_of_so_many_tries_says_why() -> None:
    """Then whoever called has to know."""
    line = Line(0, 0, 0)
    with pytest.raises(RetryLater):
        await call_with_retries(Naps(), line.call, tries=3)
    assert line.calls == 3


async def test_what_is_refused_is_not_asked_again() -> None:
    """It would be refused again."""
    calls = 0

    async def call() -> None:
        nonlocal calls
        calls += 1
        raise Refused("no", code="no")

    with pytest.raises(Refused):
        await call_with_retries(Naps(), call)
    assert calls == 1
