"""Port of the process that the bot runs in."""

from __future__ import annotations

from typing import Protocol


class ProcessRestart(Protocol):
    """Restart of the process (`bot.runtime.restart_request.RestartRequest`)."""

    async def find_obstacle(self) -> str:
        """Return why a new process would not start or cannot be started, empty if nothing prevents it."""

    def request(self) -> None:
        """Ask for the restart; the process then drains, ends and is replaced."""
