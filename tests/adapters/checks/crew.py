"""One check, made as the bot makes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING

from bot.adapters.checks import Checks
from bot.decide.redaction.redactor import Redactor
from bot.models.check_result import CheckResult
from tests.fakes import HandClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.models.check_target import CheckTarget


@asynccontextmanager
async def open_checks(
    *targets: CheckTarget,
    timeout_s: float = 5,
    environment: Mapping[str, str] | None = None,
    measure: Callable[[], float] | None = None,
) -> AsyncIterator[Checks]:
    """Checks of one service, `shop`, until the end of the block."""
    checks = Checks(
        {"shop": targets},
        timeout_s=timeout_s,
        clock=HandClock(start=datetime.now(UTC)),
        redact=Redactor().redact,
        environment=os.environ if environment is None else environment,
        **({} if measure is None else {"measure": measure}),
    )
    try:
        yield checks
    finally:
        await checks.close()


async def make_check(
    target: CheckTarget,
    *,
    timeout_s: float = 5,
    environment: Mapping[str, str] | None = None,
    measure: Callable[[], float] | None = None,
) -> CheckResult:
    """The result of one check."""
    async with open_checks(target, timeout_s=timeout_s, environment=environment, measure=measure) as checks:
        (result,) = await checks.check("shop")
    return result


async def find_fault(target: CheckTarget, *, environment: Mapping[str, str] | None = None) -> str:
    """The reason why a check cannot be made, which gives no result."""
    async with open_checks(target, environment=environment) as checks:
        assert await checks.check("shop") == ()
        (fault,) = checks.list_faults("shop")
    return fault


def ticks_of(seconds: float) -> Callable[[], float]:
    """A stopwatch on which this time passes between two looks."""
    numbers = count()
    return lambda: next(numbers) * seconds
