"""Runbook that may be proposed."""

from __future__ import annotations

from bot.models.fact import Fact


class RunbookProposal(Fact):
    """Runbook that may be proposed now, as an agent and a card see it."""

    name: str
    argv: tuple[str, ...]
    services: tuple[str, ...]
    timeout_s: float
