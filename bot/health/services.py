"""Services: their states, and checks on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.check_result import CheckResult
    from bot.models.service_state import ServiceState


class Services:
    """States of all services."""

    def list_states(self) -> tuple[ServiceState, ...]:
        """Return the state of every service of the settings, by name."""
        return ()

    async def check_again(self, group: str) -> tuple[CheckResult, ...]:
        """Make every check of a group now; return the results."""
        raise NotImplementedError(group)
