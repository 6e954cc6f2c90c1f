"""Hook book: the records of all hooks, in memory and in `hooks.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.hook_record import HookRecord
from bot.triage.record_book import RecordBook

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import JsonFile

HookBook = RecordBook[HookRecord]


def build_hook_book(file: JsonFile, tell: Callable[[str], None]) -> HookBook:
    """Build the book on its file; `tell` sends a notice to an admin."""
    return HookBook(
        kind=HookRecord,
        file=file,
        tell=tell,
        noun="hook",
        subject="The hooks",
        consequence="There are none now: create them again, or mend the file and put it back while Triage is stopped.",
    )


def put(book: HookBook, record: HookRecord) -> None:
    """Put the new state of a hook in the place of the earlier one, unless the hook was deleted."""
    name = record.record_id
    book.replace([record if each.record_id == name else each for each in book.records])
