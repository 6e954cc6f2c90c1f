"""Data of `sessions` and `chain`."""

from __future__ import annotations

from bot.models.command_data.cost import CostData, TokensData
from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class SessionData(Fact):
    """Record of one run of an agent."""

    session_id: str
    agent: str
    tier: int
    model: str
    thread_id: str | None
    parent_session_id: str | None
    """Session from which it was escalated, or which it checks."""
    is_escalated: bool
    """True if it is part of an escalation."""
    started_at: UtcTime
    outcome: str
    reason: str
    turns: int
    tool_calls: int
    tokens: TokensData
    cost: CostData
    duration_ms: int


class SessionsData(Fact):
    """Sessions of the last hours, the newest first."""

    hours: int
    total: int
    sessions: tuple[SessionData, ...]
    omitted: int
    """Number of older sessions that are not listed."""


class ChainData(Fact):
    """Sessions that an escalation, or the check of a draft, links, the oldest first."""

    is_escalated: bool
    cost: CostData
    sessions: tuple[SessionData, ...]
    problems: tuple[str, ...]
    """Links that could not be followed."""


class ChainsData(Fact):
    """Chains of a task or session, the newest first."""

    task: str | None
    chains: tuple[ChainData, ...]
    omitted: int
    """Number of older chains that are not listed."""
