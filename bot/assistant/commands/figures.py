"""What the last days add up to: `metrics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.assistant.commands.catalogue import Answer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.assistant.commands.inputs import Days
    from bot.models.interaction import Asker


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """`measured` takes a number of days and answers with the lines that `triage metrics` prints."""

    measured: Callable[[int], Awaitable[tuple[str, ...]]]

    async def metrics(self, asked: Days, _: Asker) -> Answer:
        """The same figures as on the command line."""
        first, *rest = await self.measured(asked.days)
        return Answer(line=escape(first), rows=tuple(map(escape, rest)))
