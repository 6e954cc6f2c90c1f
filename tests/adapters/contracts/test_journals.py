"""Journals: what an append promises, in which order records come back, and which a search finds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.models.journal_query import JournalQuery
from bot.ports.outbound import Journal
from tests.adapters.contracts.backends import Backend
from tests.builders import T0

START = datetime(2026, 1, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
async def journal(backend: Backend) -> AsyncIterator[Journal]:
    """An empty journal."""
    events = backend.storage.journal("events", None)
    yield events
    await events.close()


async def numbers(journal: Journal, since: datetime | None = None) -> list[int]:
    """The numbers of all records."""
    return [record["n"] async for record in journal.records(since)]


def received(n: int) -> dict[str, Any]:
    """A record of the n-th minute, whose text would look like a time to a careless reader."""
    at = (START + timedelta(minutes=n)).isoformat()
    return {"n": n, "received_at": at, "text": '"received_at":"2031-01-01T00:00:00+00:00"' + "x" * (n % 300)}


async def put_all(journal: Journal, records: list[dict[str, Any]]) -> None:
    """Append records in this order, together."""
    await asyncio.gather(*[journal.put(record) for record in records])


@pytest.mark.parametrize("text", ["zwei\nZeilen", "half \ud800", "nul \0 \\u0000", "mañana 🎉 \u2028"])
async def test_an_append_returns_when_another_process_can_read_the_record(
    journal: Journal, backend: Backend, text: str
) -> None:
    """Whatever Slack sent comes back as it was."""
    record = {"n": 1, "text": text, "nested": {"list": [None, True, 1.5, 10**20]}}
    await journal.append(record)
    assert await backend.reopen().journal("events", None).tail(5) == [record]


async def test_a_journal_without_records_has_none(journal: Journal) -> None:
    """Nor does another one get those of this one."""
    query = JournalQuery(since=T0, before=T0 + HOUR, limit=5, matches=lambda _: True)
    assert (await journal.tail(5), await numbers(journal), (await journal.newest(query)).records) == ([], [], ())


async def test_journals_do_not_mix(journal: Journal, backend: Backend) -> None:
    """Each has its own records."""
    audit = backend.storage.journal("audit", None)
    await asyncio.gather(journal.append({"n": 1}), audit.append({"n": 2}))
    assert (await numbers(journal), await numbers(audit)) == ([1], [2])
    await audit.close()


async def test_a_line_that_is_no_record_is_passed_over_or_counted(journal: Journal, backend: Backend) -> None:
    """As the reader chooses; the others are there."""
    await journal.append({"n": 1})
    for line in ('{"n":', "[1]"):
        backend.add_line("events", line)
    await journal.append({"n": 2})
    assert (await numbers(journal), await journal.tail(9)) == ([1, 2], [{"n": 1}, {"n": 2}])
    assert [record async for record in journal.records_and_damage()] == [{"n": 1}, None, None, {"n": 2}]


async def test_appends_at_once_keep_their_order(journal: Journal) -> None:
    """A thousand waiting records come back in the order of their calls."""
    await put_all(journal, [{"n": n} for n in range(1_000)])
    assert [record["n"] for record in await journal.tail(2_000)] == list(range(1_000))
    assert [record["n"] for record in await journal.tail(3)] == [997, 998, 999]
    assert await numbers(journal) == list(range(1_000))


async def test_what_waits_at_the_end_is_written(backend: Backend) -> None:
    """Closing loses nothing."""
    audit = backend.storage.journal("audit", None, may_refuse=False, gathering=0.001)
    waiting = [asyncio.ensure_future(audit.put({"n": n})) for n in range(50)]
    await audit.close()
    assert all(each.done() for each in waiting)
    assert await numbers(backend.reopen().journal("audit", None)) == list(range(50))


async def test_records_since_a_moment_are_all_there(journal: Journal) -> None:
    """None of them is missing, and of the older ones at most two hours are read."""
    await put_all(journal, [received(n) for n in range(3_000)])
    for minute in (-600, 0, 700, 2_999):
        found = await numbers(journal, START + timedelta(minutes=minute))
        assert found == list(range(found[0], 3_000))
        assert minute - 120 <= found[0] <= max(minute, 0)


async def test_a_clock_that_was_set_back_hides_no_record(journal: Journal) -> None:
    """A record that says that it came half an hour before the one in front of it is found by its own time."""
    await put_all(journal, [received(n) for n in (*range(600), *range(570, 1_200))])
    found = await numbers(journal, START + timedelta(minutes=580))
    assert [n for n in found if n >= 580] == [*range(580, 600), *range(580, 1_200)]


async def test_records_that_come_while_others_are_read_are_read_once(journal: Journal) -> None:
    """Neither left out nor doubled, however far the reading has come."""
    await put_all(journal, [received(n) for n in range(4_500)])
    found: list[int] = []
    async for record in journal.records():
        found.append(record["n"])
        if len(found) == 2_100:
            await put_all(journal, [received(n) for n in range(4_500, 5_000)])
    assert found in ([*range(4_500)], [*range(5_000)])


async def test_the_age_of_the_oldest_record_decides_about_a_rotation(journal: Journal) -> None:
    """Only when the caller says so; all of it is still read."""
    assert not await journal.set_aside_if(lambda line: True)
    for n in range(3):
        await journal.append({"n": n})
    assert not await journal.set_aside_if(lambda line: line != b'{"n":0}\n')
    assert await journal.set_aside_if(lambda line: line == b'{"n":0}\n')
    await journal.append({"n": 3})
    assert await numbers(journal) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("since", "before", "limit", "expected", "has_more"),
    [
        (0, 30, 3, [29, 28, 27], True),
        (25, 30, 5, [29, 28, 27, 26, 25], False),
        (18, 22, 5, [21, 20, 19, 18], False),
        (8, 12, 3, [11, 10, 9], True),
        (0, 30, 100, [*range(29, -1, -1)], False),
        (40, 50, 5, [], False),
        (-9, 0, 5, [], False),
    ],
)
async def test_the_newest_records_of_a_time_come_first(
    journal: Journal, since: int, before: int, limit: int, expected: list[int], has_more: bool
) -> None:
    """Those without a time are passed over."""
    hours = [{"at": (T0 + n * HOUR).isoformat(), "n": n} for n in range(30)]
    await put_all(journal, [{"n": 99}, *hours, {"n": 98, "at": "x"}, {"n": 97, "at": 5}])
    query = JournalQuery(since=T0 + since * HOUR, before=T0 + before * HOUR, limit=limit, matches=lambda _: True)
    page = await journal.newest(query)
    found = [record["n"] for record in page.records]
    assert (found, page.has_more, page.read_back_to) == (expected, has_more, None)


async def test_only_what_matches_counts(journal: Journal) -> None:
    """A text spares parsing the other records; the function decides."""
    rows = [{"at": (T0 + n * HOUR).isoformat(), "n": n, "by": f"U0{n % 3}"} for n in range(20)]
    await put_all(journal, rows)
    query = JournalQuery(
        since=T0, before=T0 + 99 * HOUR, limit=3, contains=("U01",), matches=lambda record: record["n"] % 2 == 0
    )
    page = await journal.newest(query)
    assert ([record["n"] for record in page.records], page.has_more) == ([16, 10, 4], False)


async def test_records_of_one_moment_are_found_together(journal: Journal) -> None:
    """The last written first."""
    await put_all(journal, [{"at": T0.isoformat(), "n": n} for n in range(40)])
    page = await journal.newest(JournalQuery(since=T0, before=T0 + HOUR, limit=30, matches=lambda _: True))
    assert ([record["n"] for record in page.records], page.has_more) == ([*range(39, 9, -1)], True)
