"""Checks of services: requests, look-ups, queries, and states by the command lines of docker and systemd."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.models.check_result import CheckResult
    from bot.models.check_target import CheckTarget


class Checks:
    """The port `ServiceChecks`."""

    def __init__(
        self,
        targets: Mapping[str, Sequence[CheckTarget]],
        *,
        timeout_s: float,
        redact: Callable[[str], str],
        environment: Mapping[str, str],
    ) -> None:
        self._targets = targets

    async def check(self, service: str) -> tuple[CheckResult, ...]:
        """Make all checks of a service at once; return their results in the order of the settings."""
        raise NotImplementedError(service)

    async def close(self) -> None:
        """End what is under way."""
