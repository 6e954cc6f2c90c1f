"""Session: the record of one agent run, in `sessions/<session_id>.json`.

It holds figures and no word of the question or the answer, except a tool call that `reason` may name.
"""

from __future__ import annotations

from collections import Counter
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
"""`unusable`: answers of the wrong form. `limit`, `loop`, `stalled`: stopped by a guard. `died`: the process ended."""


IN_JOB = "-job-"
"""Part of the id of a session whose run is a job: any replica may do it, and it outlives the leader."""
CHECKS_AGENT = "checks"
"""Agent of the session of an outage, which lasts until its services have recovered, also across restarts."""


class Session(Fact):
    """One session. Times are in UTC, money in US dollars."""

    schema_version: Literal[1] = 1
    session_id: SessionId
    """`<start>-<id>`, so that the sessions of a day are found by name."""
    agent: str
    """The agent: `investigator`, `validator`, `fixer`, `diff-validator` or `checks`."""
    tier: Annotated[int, Field(ge=1, le=3)] = 1
    model: str
    parent_session_id: SessionId | None = None
    thread_id: ThreadId | None = None
    started_at: datetime
    saved_at: datetime
    num_turns: int = 0
    tool_calls: int = 0
    """Number of calls that were run."""
    failed_tools: dict[str, int] = Field(default_factory=dict)
    """Number of failures by tool."""
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    """`None` if the model's price, or the use of one of its turns, is unknown."""
    unsure_usd: float = 0.0
    """Maximum cost of all that the server did not report: calls that were cut off, and turns without counts. It counts
    as spent."""
    held_usd: float = 0.0
    """The maximal cost of the call under way; it counts as spent if the process dies in it."""
    duration_ms: int = 0
    outcome: Outcome = "running"
    reason: str = ""
    """The reason why it ended without an answer, in a plain sentence."""

    @property
    def uses_model(self) -> bool:
        """Return whether an agent on a model ran; the checks of an outage need none."""
        return self.agent != CHECKS_AGENT

    @property
    def has_process(self) -> bool:
        """Return whether it is under way in a separate process, which may outlive the bot."""
        return self.outcome == "running" and (self.tier > 1 or self.is_job)

    @property
    def is_job(self) -> bool:
        """Return whether its run is a job of replicas."""
        return IN_JOB in self.session_id

    @property
    def spent_usd(self) -> float:
        """Return the maximal cost so far."""
        return round((self.cost_usd or 0.0) + self.unsure_usd + self.held_usd, 6)

    def with_calls(self, count: int, failed: Sequence[str]) -> Session:
        """Return a copy with `count` more calls, of which those of the tools in `failed` failed."""
        names = dict.fromkeys((*self.failed_tools, *failed))
        failures = {name: self.failed_tools.get(name, 0) + failed.count(name) for name in names}
        return self.evolve(tool_calls=self.tool_calls + count, failed_tools=failures)

    def with_figures(self, others: Sequence[Session]) -> Session:
        """Return a copy with the figures of other sessions added, and the time of the last save."""
        every = (self, *others)
        costs = [session.cost_usd for session in every]
        known = round(sum(cost or 0.0 for cost in costs), 6)
        failures: Counter[str] = Counter()
        for session in every:
            failures.update(session.failed_tools)
        return self.evolve(
            saved_at=max(session.saved_at for session in every),
            num_turns=sum(session.num_turns for session in every),
            tool_calls=sum(session.tool_calls for session in every),
            failed_tools=dict(failures),
            usage=sum((session.usage for session in others), self.usage),
            cost_usd=None if None in costs else known,
            unsure_usd=round(sum(session.unsure_usd for session in every) + (known if None in costs else 0.0), 6),
            held_usd=round(sum(session.held_usd for session in every), 6),
        )

    def with_account(self, own: Session) -> Session:
        """Return this record with the figures of a process's own."""
        return self.evolve(
            num_turns=own.num_turns,
            tool_calls=own.tool_calls,
            failed_tools=own.failed_tools,
            usage=own.usage,
            cost_usd=own.cost_usd,
            unsure_usd=own.unsure_usd,
            saved_at=own.saved_at,
        )

    def to_figures(self) -> RunFigures:
        """Return the figures in short form."""
        return RunFigures(
            session_id=self.session_id,
            agent=self.agent,
            tier=self.tier,
            model=self.model,
            turns=self.num_turns,
            tool_calls=self.tool_calls,
            tokens=self.usage.total,
            cost_usd=None if self.cost_usd is None else round(self.cost_usd + self.unsure_usd, 6),
            unsure_usd=self.unsure_usd,
            duration_ms=self.duration_ms,
            outcome=self.outcome,
        )
