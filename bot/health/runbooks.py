"""Runbooks: programs that an operator's press runs once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.incident import Remedy
    from bot.models.runbook import RunbookEnd, RunbookProposal


class RunbookRunner:
    """Runner of runbooks."""

    def list_proposals(self, services: Sequence[str], tier: int) -> tuple[RunbookProposal, ...]:
        """Return the runbooks that an agent of a tier may propose now for any of these services."""
        raise NotImplementedError(services, tier)

    async def run(self, remedy: Remedy) -> RunbookEnd:
        """Run the approved remedy unless it was started; return its end."""
        raise NotImplementedError(remedy)
