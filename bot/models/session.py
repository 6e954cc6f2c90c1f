"""A session: one run of one agent, kept by `adapters/sessions` in `sessions/<session_id>.json`, made by
`agents/ledger`.

It holds figures: no word of the question or the answer, but for a call that a `reason` may name.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints

from bot.models.fact import Fact
from bot.models.run_figures import RunFigures
from bot.models.thread_id import ThreadId
from bot.models.turn import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

SESSION_ID = r"^\d{8}T\d{6}-[a-z0-9-]{1,40}$"
SessionId = Annotated[str, StringConstraints(pattern=SESSION_ID)]

Outcome = Literal[
    "running",
    "answered",
    "unusable",
    "refused",
    "limit",
    "loop",
    "stalled",
    "unreachable",
    "over_cap",
    "no_key",
    "failed",
    "cancelled",
    "died",
]
"""`unusable`: its answers did not fit. `limit`, `loop`, `stalled`: it was stopped. `died`: its process ended."""


class Session(Fact):
    """The record. Times are in UTC, money in US dollars."""

    schema_version: Literal[1] = 1
    session_id: SessionId
    """`<start>-<id>`, so that a day's sessions are found by name."""
    agent: str
    """Who ran: `investigator`, `validator`."""
    tier: Annotated[int, Field(ge=1, le=3)] = 1
    model: str
    parent_session_id: SessionId | None = None
    thread_id: ThreadId | None = None
    started_at: datetime
    saved_at: datetime
    num_turns: int = 0
    tool_calls: int = 0
    failed_tools: dict[str, int] = Field(default_factory=dict)
    """How often each tool failed that did."""
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    """`None` where nobody knows what the model costs."""
    held_usd: float = 0.0
    """The most that the call under way may cost; it counts as spent when the process dies in it."""
    duration_ms: int = 0
    outcome: Outcome = "running"
    reason: str = ""
    """Why it ended without an answer, in a plain sentence."""

    @property
    def spent_usd(self) -> float:
        """What it has cost at most."""
        return (self.cost_usd or 0.0) + self.held_usd

    def called(self, count: int, failed: Sequence[str]) -> Session:
        """So many calls later, of which those of these tools failed."""
        names = dict.fromkeys((*self.failed_tools, *failed))
        failures = {name: self.failed_tools.get(name, 0) + failed.count(name) for name in names}
        return self.evolve(tool_calls=self.tool_calls + count, failed_tools=failures)

    def ran(self) -> RunFigures:
        """Its figures in short."""
        return RunFigures(
            session_id=self.session_id,
            agent=self.agent,
            tier=self.tier,
            model=self.model,
            turns=self.num_turns,
            tool_calls=self.tool_calls,
            tokens=self.usage.total,
            cost_usd=self.cost_usd,
            duration_ms=self.duration_ms,
            outcome=self.outcome,
        )
