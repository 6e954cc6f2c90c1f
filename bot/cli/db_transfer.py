"""`triage db import` and `triage db export`: the whole state of a home into the database, and back.

Each is one transaction, and compares what was written with what was read before anything of it counts.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.adapters.home import Home
from bot.adapters.home_items import HomeItems, write_items
from bot.adapters.postgresql.migrations import migrate
from bot.adapters.postgresql.transfer import open_transfer
from bot.cli.progress import ProgressBar
from bot.errors import Misconfigured, TriageError
from bot.models.stored_item import Totals
from bot.runtime.atomic_file import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bot.models.stored_item import StoredItem

_SHOWN = 10
"""Damaged files that are listed."""


def import_home(path: Path, address: str | None) -> Iterator[str]:
    """Copy the state of a home into an empty database; yield the lines of the report.

    Raises `Misconfigured` while a bot runs on either, for a database with rows, and for files that no database takes.
    """
    if not path.is_dir():
        raise Misconfigured(f"{path}: expected a home that exists")
    _demand_migrations(address)
    with _lock(path):
        totals, read = Totals(), HomeItems(path)
        for item in read.read():
            totals.add(item)
        if read.unfit:
            raise Misconfigured(
                f"{_list(read.unfit)}: expected text in UTF-8, which a database takes; repair or remove it, and repeat "
                "the import: nothing was imported"
            )
        with _show_progress() as bar, open_transfer(address, writes=True) as transfer:
            transfer.demand_rest()
            transfer.demand_empty()
            done, size = 0, read.count_bytes()

            def show(count: int) -> None:
                nonlocal done
                done += count
                bar.show(done, size)

            transfer.insert(HomeItems(path, show).read())
            _compare(totals, transfer.read())
            place = transfer.place
    yield from (f"damaged, taken along as it is: {line}" for line in read.damaged)
    yield from _report(totals)
    yield f"Imported {path} into the {place}; counts and digests agree. The home is unchanged."


def export_home(path: Path, address: str | None) -> Iterator[str]:
    """Copy the state of the database into a new home; yield the lines of the report.

    It is written beside its place, and renamed at the end: an export that ended early is repeated. Raises
    `Misconfigured` while a replica leads, and for a folder that is not empty.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise Misconfigured(f"{path}: expected a folder that is empty, or none")
    _demand_migrations(address)
    beside = path.with_name(f".{path.name}.export")
    shutil.rmtree(beside, ignore_errors=True)  # of an export that ended early
    beside.mkdir(mode=0o700, parents=True)
    with _show_progress() as bar, open_transfer(address, writes=False) as transfer:
        transfer.demand_rest()
        totals, size = Totals(), transfer.count_items()

        def count(items: Iterable[StoredItem]) -> Iterator[StoredItem]:
            for number, item in enumerate(items):
                bar.show(number, size)
                yield totals.add(item)

        write_items(beside, count(transfer.read()))
        _compare(totals, HomeItems(beside).read())
        place = transfer.place
    if path.exists():
        path.rmdir()
    beside.replace(path)
    sync_folder(path.parent, point="transfer")
    yield from _report(totals)
    yield f"Exported the {place} to {path}; counts and digests agree. The database is unchanged."


def _demand_migrations(address: str | None) -> None:
    if lacking := asyncio.run(migrate(address, really=False)):
        raise Misconfigured(f"the database lacks migrations, from {lacking[0]} on: run `triage db upgrade`")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep bots from the home. Raises `Misconfigured` if one runs on it."""
    home = Home(path)
    asyncio.run(home.lock())
    try:
        yield
    finally:
        home.unlock()


@contextmanager
def _show_progress() -> Iterator[ProgressBar]:
    bar = ProgressBar(sys.stderr, time.monotonic)
    try:
        yield bar
    finally:
        bar.end()


def _compare(totals: Totals, written: Iterable[StoredItem]) -> None:
    """Raise `TriageError` if what was written differs from what was read."""
    read_back = Totals()
    for item in written:
        read_back.add(item)
    if differences := totals.list_differences(read_back):
        raise TriageError(f"what was written differs from what was read, so it was discarded: {'; '.join(differences)}")


def _report(totals: Totals) -> Iterator[str]:
    for kind, total in totals.by_kind.items():
        yield f"{kind}: {total.count:,}"


def _list(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
