"""Journal of a run in `tasks/<slug>/<role>.md`: one line per event, written as it happens.

Code writes it from the agents' turns, calls and results. Each line is redacted, printable and short. A failing disk
loses no answer.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.errors import RetryLater
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.turn import Call, Result, Turn
    from bot.ports.outbound import Clock, TaskFiles

log = logging.getLogger(__name__)

MAX_LINE = 400
"""Characters of one line's text."""
_MAX_READ = 4_000
_FAILED = 160


class RunLog(Protocol):
    """Log of one run for people, written as it happens: `RunJournal`, or the transcript of a long run."""

    async def say(self, text: str) -> None:
        """Record a line of the code around the model."""

    async def record_turn(self, turn: Turn) -> None:
        """Record the model's text beside its answer, and its calls."""

    async def record_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """Record the results of the calls."""

    async def record_end(self, outcome: str, reason: str) -> None:
        """Record the end of the run."""


@dataclass(frozen=True, kw_only=True)
class RunJournal:
    """Journal in one file. `task` is the folder's name, `name` the file's; without them nothing is written."""

    tasks: TaskFiles | None
    redactor: Redactor
    clock: Clock
    task: str = ""
    name: str = ""
    who: str = "agent"

    async def say(self, text: str, *, head: str = "") -> None:
        """Append a line; `head` is the beginning of a new file."""
        if self.tasks is None or not self.task or not self.name:
            return
        line = f"- {self.clock.now():%H:%M} — [{self.who}] {await run_offloaded(sanitize_line, self.redactor, text)}"
        try:
            await self.tasks.append(self.task, self.name, line, head=head)
        except RetryLater as problem:
            log.warning("a line of the journal was lost: %s", problem)

    async def record_turn(self, turn: Turn) -> None:
        """Record the model's text beside its answer, and its calls."""
        if turn.text and turn.calls:
            await self.say(turn.text)
        for call in turn.calls:
            arguments = json.dumps(call.input, ensure_ascii=False, default=str)
            await self.say(f"calls {call.tool} {arguments}")

    async def record_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """Record the results of the calls: their length, or the reason of a failure."""
        for call, result in zip(calls, results, strict=True):
            if not result.was_run:
                await self.say(f"{call.tool}: {result.text}")
            elif result.failed:
                why = await run_offloaded(sanitize_line, self.redactor, result.text, _FAILED)
                await self.say(f"{call.tool} failed: {why}")
            else:
                await self.say(f"{call.tool} answers, {len(result.text):,} characters")

    async def record_end(self, outcome: str, reason: str) -> None:
        """Record the end of the agent's run."""
        await self.say(f"{outcome.replace('_', ' ')}{f': {reason}' if reason else ''}")


def sanitize_line(redactor: Redactor, text: str, limit: int = MAX_LINE) -> str:
    """Return `text` on one line, without secrets and terminal control characters."""
    return flatten_line(redactor.redact(text[:_MAX_READ]), limit)


def flatten_line(text: str, limit: int = MAX_LINE) -> str:
    """Return `text` on one line, without terminal control characters."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"
