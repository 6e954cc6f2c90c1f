"""Search of a journal for its newest records: by the index of their times, within a limit of rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from bot.models.journal_query import JournalPage

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.journal_query import JournalQuery

MOST_ROWS = 200_000
"""Rows after which a search ends."""
_STEP = 1_000
_PART = """
select at, id, case when matches then record end
  from (select at, id, record, (select coalesce(bool_and(strpos(record, needle) > 0), true)
                                  from unnest(%(needles)s::text[]) as needles (needle)) as matches
          from triage.journal_records
         where journal = %(journal)s and at >= %(since)s and at < %(before)s
         order by at desc fetch first %(limit)s rows with ties) as part
 order by at desc, id desc
"""


class Fetch(Protocol):
    """A query over one journal."""

    async def __call__(self, query: str, **values: Any) -> list[Any]:
        """Return the rows."""


class Search:
    """One search, part by part backwards; records of one moment are never divided."""

    def __init__(self, journal: str, fetch: Fetch, query: JournalQuery, *, most_rows: int = MOST_ROWS) -> None:
        self._journal, self._fetch, self._query, self._most_rows = journal, fetch, query, most_rows
        self._needles = [json.dumps(text)[1:-1] for text in query.contains]

    async def run(self) -> JournalPage:
        """Return the records that match, the newest first."""
        newest: list[dict[str, Any]] = []
        read, before, limit = 0, self._query.before, self._query.limit
        while rows := await self._fetch_part(before):
            newest += [record for _, _, text in rows if (record := self._match(text)) is not None]
            if len(newest) > limit:
                return JournalPage(records=tuple(newest[:limit]), has_more=True)
            before, read = rows[-1][0], read + len(rows)
            if read >= self._most_rows:
                return JournalPage(records=tuple(newest), read_back_to=before)
        return JournalPage(records=tuple(newest))

    async def _fetch_part(self, before: datetime) -> list[Any]:
        limit = min(_STEP, self._most_rows)
        return await self._fetch(_PART, since=self._query.since, before=before, needles=self._needles, limit=limit)

    def _match(self, text: str | None) -> dict[str, Any] | None:
        try:
            record = json.loads(text) if text else None
        except ValueError:
            return None
        return record if isinstance(record, dict) and self._query.matches(record) else None
