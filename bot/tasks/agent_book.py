"""Agent book: agents with their slots, and the projects of the last starts, in memory and in `agents.json`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import RetryLater, Unreadable
from bot.models.agent import MAX_STARTS, AgentRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.agent import Agent
    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)


@dataclass(kw_only=True, repr=False)
class AgentBook:
    """Agents by name."""

    file: JsonFile
    tell: Callable[[str], None]
    """Sender of a notice to an admin."""
    records: AgentRecords = field(default_factory=AgentRecords)
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """Return all agents."""
        return self.records.agents

    async def load(self) -> None:
        """Load the saved agents; a file that cannot be read is set aside, and the default agent works."""
        try:
            content = await self.file.read_whole()
            self.records = AgentRecords.model_validate(content)
        except (Unreadable, ValidationError) as problem:
            reason = str(problem) if isinstance(problem, Unreadable) else "a value has an unknown form"
            backup = await self.file.set_aside()
            self.tell(
                f"The agents could not be read ({reason}). The file was moved to {backup}; `agent-1` works alone."
            )

    def find(self, name: str) -> Agent | None:
        """Return the agent of this name."""
        return next((agent for agent in self.agents if agent.name == name), None)

    async def put(self, agent: Agent) -> Agent | None:
        """Add an agent, or change the one of its name and return it as it was before. Raises `RetryLater`."""
        async with self._changing:
            before = self.find(agent.name)
            others = [each for each in self.agents if each.name != agent.name]
            await self._save(self.records.evolve(agents=tuple(sorted((*others, agent), key=lambda each: each.name))))
        return before

    async def remove(self, name: str) -> None:
        """Remove an agent. Raises `RetryLater`."""
        async with self._changing:
            await self._save(self.records.evolve(agents=tuple(each for each in self.agents if each.name != name)))

    async def note_start(self, project: str) -> None:
        """Record the project of a start; it counts in memory if it cannot be saved."""
        async with self._changing:
            records = self.records.evolve(starts=(*self.records.starts, project)[-MAX_STARTS:])
            try:
                await self._save(records)
            except RetryLater as problem:
                log.warning("a start is saved later: %s", problem)
                self.records = records

    async def _save(self, records: AgentRecords) -> None:
        await self.file.write(records.model_dump(mode="json"))
        self.records = records
