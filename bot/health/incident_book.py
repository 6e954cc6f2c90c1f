"""Incident book: the records of incidents, in memory and in `incidents.json`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.health.saved_facts import read_facts
from bot.models.incident_record import IncidentRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)


@dataclass(kw_only=True, repr=False)
class IncidentBook:
    """Records of incidents. `news` is set at every change."""

    file: JsonFile
    tell: Callable[[str], None]
    """Sender of a notice to an admin."""
    records: tuple[IncidentRecord, ...] = ()
    news: asyncio.Event = field(default_factory=asyncio.Event)
    _is_saved: bool = True

    async def load(self) -> None:
        """Load the saved records; a file that cannot be read is set aside."""
        self.records = tuple((await read_facts(self.file, IncidentRecord, self.tell)).values())

    def replace(self, records: Sequence[IncidentRecord]) -> None:
        """Use these records from now on; `save` writes them."""
        if tuple(records) != self.records:
            self.records, self._is_saved = tuple(records), False
            self.news.set()

    def find(self, incident_id: str) -> IncidentRecord | None:
        """Return the newest state of a record, `None` if it is gone."""
        return next((record for record in self.records if record.incident_id == incident_id), None)

    def change(self, incident_id: str, **changes: Any) -> None:
        """Change a record, if it still exists."""
        self.replace([r.evolve(**changes) if r.incident_id == incident_id else r for r in self.records])

    def remove(self, incident_id: str) -> None:
        """Remove a record."""
        self.replace([record for record in self.records if record.incident_id != incident_id])

    async def save(self) -> None:
        """Write the records unless they are on disk. Raises `RetryLater`."""
        if not self._is_saved:
            records = self.records
            await self.file.write({record.incident_id: record.model_dump(mode="json") for record in records})
            self._is_saved = self.records == records
