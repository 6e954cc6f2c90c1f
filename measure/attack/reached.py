"""Which of a model's calls got anywhere: a call counts when a tool, and so the commands' handler, took or refused it.

A name that nobody has, and what is above the bound of a turn, are told to the model as such and do not count.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.agents.tool_runner import ToolRunner
from bot.commands.handler import CommandHandler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.commands.command import CommandAnswer
    from bot.models.turn import Call, Result


@dataclass
class Reached:
    """What was counted."""

    by_agent: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    """Of the commands among them, by what the handler answered."""

    @property
    def calls(self) -> int:
        """All of them."""
        return self.by_agent.total()

    def __str__(self) -> str:
        """Who made them, and what became of the commands."""
        said = (f"{number:,} {name}" for name, number in (*self.by_agent.most_common(), *self.outcomes.most_common()))
        return ", ".join(said)


@contextmanager
def reached() -> Iterator[Reached]:
    """Count in the meantime, in this process."""
    counted, one, execute = Reached(), ToolRunner._run_call, CommandHandler.execute

    async def taken(self: ToolRunner, call: Call) -> Result:
        result = await one(self, call)
        if call.tool in self.tools:
            counted.by_agent[_agent(self)] += 1
        return result

    async def executed(self: CommandHandler, *given: Any, **more: Any) -> CommandAnswer:
        answer = await execute(self, *given, **more)
        if given[2].via == "chat":
            counted.outcomes[answer.outcome] += 1
        return answer

    ToolRunner._run_call, CommandHandler.execute = taken, executed  # type: ignore[method-assign]  # for the time of an attack
    try:
        yield counted
    finally:
        ToolRunner._run_call, CommandHandler.execute = one, execute  # type: ignore[method-assign]  # as they were


def _agent(bench: ToolRunner) -> str:
    """Whose tools these are."""
    if any(tool.declared_schema for tool in bench.tools.values()):
        return "chat"
    return "validator" if len(bench.tools) == 1 else "investigator"
