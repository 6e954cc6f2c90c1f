"""Record book: records of threads that the bot begins itself, in memory and in a file."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from bot.errors import RetryLater, TriageError
from bot.triage.saved_facts import read_facts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)


class Record(Protocol):
    """Frozen record with an id."""

    @property
    def record_id(self) -> str:
        """Id by which it is found in its book."""

    def evolve(self, **changes: Any) -> Self:
        """Return a changed copy."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return its fields."""

    @classmethod
    def model_validate(cls, obj: Any) -> Self:
        """Return the record with these fields."""


RecordType = TypeVar("RecordType", bound=Record)


@dataclass(kw_only=True, repr=False)
class RecordBook(Generic[RecordType]):
    """Records of one kind. `news` is set at every change."""

    kind: type[RecordType]
    file: JsonFile
    noun: str
    """What a record is of, for the log."""
    tell: Callable[[str], None]
    """Sender of a notice to an admin."""
    subject: str
    """The content of the file at the beginning of a sentence, for the notice that it cannot be read."""
    consequence: str
    """The sentence after that."""
    records: tuple[RecordType, ...] = ()
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_lost: bool = False
    """True if the file could not be read."""
    _is_saved: bool = True

    async def load(self) -> None:
        """Load the saved records; a file that cannot be read is set aside."""
        saved = await read_facts(
            self.file, self.kind, self._tell_loss, subject=self.subject, consequence=self.consequence
        )
        self.records = tuple(saved.values())

    def _tell_loss(self, text: str) -> None:
        self.is_lost = True
        self.tell(text)

    def restore(self, records: Sequence[RecordType]) -> None:
        """Use these records in place of lost ones; `save` writes a file in any case."""
        self.records, self._is_saved, self.is_lost = tuple(records), False, False
        self.news.set()

    def replace(self, records: Sequence[RecordType]) -> None:
        """Use these records from now on; `save` writes them."""
        if tuple(records) != self.records:
            self.records, self._is_saved = tuple(records), False
            self.news.set()

    def find(self, record_id: str) -> RecordType | None:
        """Return the newest state of a record, `None` if it is gone."""
        return next((record for record in self.records if record.record_id == record_id), None)

    async def add(self, record: RecordType) -> None:
        """Add a record; on return it is on disk. Raises `RetryLater`, and then there is none."""
        self.replace((*self.records, record))
        try:
            await self.save()
        except RetryLater:
            self.remove(record.record_id)
            raise

    def change(self, record_id: str, **changes: Any) -> None:
        """Change a record, if it still exists."""
        self.replace([r.evolve(**changes) if r.record_id == record_id else r for r in self.records])

    def remove(self, record_id: str) -> None:
        """Remove a record."""
        self.replace([record for record in self.records if record.record_id != record_id])

    async def save(self) -> None:
        """Write the records unless they are on disk. Raises `RetryLater`."""
        if not self._is_saved:
            records = self.records
            await self.file.write({record.record_id: record.model_dump(mode="json") for record in records})
            self._is_saved = self.records == records

    async def try_save(self) -> bool:
        """Write the records; return whether they are on disk."""
        try:
            await self.save()
        except RetryLater as problem:
            log.warning("%s; it is tried again", problem)
            return False
        return True

    async def settle_each(self, settle: Callable[[RecordType], Awaitable[None]]) -> None:
        """Call `settle` with each record as it is then; one that fails does not hold up the others."""
        for record_id in [record.record_id for record in self.records]:
            try:
                if record := self.find(record_id):
                    await settle(record)
            except TriageError as problem:
                log.warning("%s %s: %s; it is tried again", self.noun, record_id, problem)
            except Exception:
                log.exception("%s %s failed; it is tried again", self.noun, record_id)
