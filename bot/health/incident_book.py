"""Incident book: the records of incidents, in memory and in `incidents.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.incident_record import IncidentRecord
from bot.triage.record_book import RecordBook

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import JsonFile

LOST = "The records of incidents"
REBUILT = "They are rebuilt from the threads of the incidents."
"""Words of the notice about a file that cannot be read."""

IncidentBook = RecordBook[IncidentRecord]


def build_incident_book(file: JsonFile, tell: Callable[[str], None]) -> IncidentBook:
    """Build the book on its file; `tell` sends a notice to an admin."""
    return IncidentBook(kind=IncidentRecord, file=file, noun="incident", tell=tell, subject=LOST, consequence=REBUILT)
