"""Searches of a journal in the database that end before its beginning."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot.adapters.postgresql.journal_search import Search
from bot.models.journal_query import JournalPage, JournalQuery
from tests.adapters.postgresql.test_database import opened
from tests.builders import T0

HOUR = timedelta(hours=1)
FILL = """
insert into triage.journal_records (journal, at, record)
select 'audit', %(first)s + n / 3 * interval '1 hour', json_build_object('n', n)::text from generate_series(0, 29) as n
"""


async def test_a_search_ends_within_its_rows_and_says_how_far_it_came(database_address: str) -> None:
    """Whoever needs more asks for the time before; records of one moment are never divided."""
    async with opened(database_address) as database:
        async with database.transaction() as connection:
            await connection.execute(FILL, {"first": T0})

        async def fetch(query: str, **values: Any) -> list[Any]:
            return await database.read(lambda one: _fetch_all(one, query, {"journal": "audit", **values}))

        async def find(before: float) -> JournalPage:
            query = JournalQuery(since=T0, before=T0 + before * HOUR, limit=9, matches=lambda record: record["n"] < 5)
            return await Search("audit", fetch, query, most_rows=10).run()

        pages = [await find(99)]
        while (until := pages[-1].read_back_to) is not None:
            pages.append(await find((until - T0) / HOUR))
    assert [page.read_back_to and (page.read_back_to - T0) / HOUR for page in pages] == [6.0, 2.0, None]
    assert [record["n"] for page in pages for record in page.records] == [4, 3, 2, 1, 0]


async def _fetch_all(connection: Any, query: str, values: dict[str, Any]) -> list[Any]:
    return list(await (await connection.execute(query.encode(), values)).fetchall())
