"""What one run of an agent took, in figures: the short form of a session that a thread's document and its card carry.

Made from a session by `Session.ran`; the session itself stays in `sessions/`.
"""

from __future__ import annotations

from bot.models.fact import Fact


class RunFigures(Fact):
    """One run. `cost_usd` is `None` where nobody knows what the model costs."""

    session_id: str
    agent: str
    tier: int
    model: str
    turns: int
    tool_calls: int
    tokens: int
    """Read and written, over all turns."""
    cost_usd: float | None
    duration_ms: int
    outcome: str
