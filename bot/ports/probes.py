"""Port of the health port: what supervisors and monitoring ask of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.process_figures import ProcessFigures


class ProbesPort(Protocol):
    """Answers about this process (`bot.wiring.probes.Probes`)."""

    def find_fault(self) -> str:
        """Return why the process should be started again; empty if it works."""

    async def find_obstacle(self) -> str:
        """Return why nothing should be sent to it now; empty if it takes work."""

    async def read_figures(self) -> ProcessFigures | None:
        """Return its figures; `None` until they can be read."""
