"""The newest records of a journal, by time and content, from as few parts as possible."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.journal import newest
from bot.adapters.journal.newest import find_newest
from bot.models.journal_query import JournalPage, JournalQuery
from tests.builders import T0

COMPACT = (",", ":")
HOUR = timedelta(hours=1)


def write(path: Path, *hours: float, **more: Any) -> None:
    """A part with a record at each of these hours."""
    records = ({"kind": "command", "at": (T0 + hour * HOUR).isoformat(), "n": hour, **more} for hour in hours)
    content = "".join(f"{json.dumps(record, separators=COMPACT)}\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A journal of three parts: two compressed ones of ten hours each, and the present one."""
    write(tmp_path / "audit.20260701T000000.ndjson.gz", *range(10))
    write(tmp_path / "audit.20260702T000000.ndjson.gz", *range(10, 20))
    write(tmp_path / "audit.ndjson", *range(20, 30))
    return tmp_path


def find(home: Path, since: float, before: float, limit: int = 5, **more: Any) -> JournalPage:
    """What is found between these hours."""
    matches, max_bytes = more.pop("matches", lambda _: True), more.pop("max_bytes", 10**9)
    query = JournalQuery(since=T0 + since * HOUR, before=T0 + before * HOUR, limit=limit, matches=matches, **more)
    return find_newest(home / "audit.ndjson", query, max_bytes=max_bytes)


def numbers(page: JournalPage) -> list[float]:
    """Their hours."""
    return [record["n"] for record in page.records]


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
def test_the_newest_records_of_a_time_come_first(
    home: Path, since: float, before: float, limit: int, expected: list[float], has_more: bool
) -> None:
    """From all parts, whatever their form."""
    page = find(home, since, before, limit)
    assert (numbers(page), page.has_more, page.read_back_to) == (expected, has_more, None)


@pytest.mark.parametrize("span", [1, 100, 300, 10_000])
@pytest.mark.parametrize("limit", [1, 3, 8, 30])
def test_a_plain_file_is_read_from_its_end(home: Path, monkeypatch: pytest.MonkeyPatch, span: int, limit: int) -> None:
    """As much of it as the records take, wherever a line is cut."""
    monkeypatch.setattr(newest, "_SPAN", span)
    page = find(home, 21, 29, limit)
    assert (numbers(page), page.has_more) == ([*range(28, 20, -1)][:limit], limit < 8)


def test_parts_of_another_time_are_not_opened_further(home: Path) -> None:
    """Their first record says so; a broken one is not even noticed."""
    (home / "audit.20260701T000000.ndjson.gz").write_bytes(b"no gzip")
    assert numbers(find(home, 12, 14)) == [13, 12]


def test_a_damaged_part_is_read_as_far_as_it_goes(home: Path) -> None:
    """A crash or a disk may have cut it."""
    rows = [{"at": (T0 + n * HOUR).isoformat(), "n": n, "text": str(n**99)} for n in range(10, 20)]
    whole = gzip.compress("".join(f"{json.dumps(row, separators=COMPACT)}\n" for row in rows).encode())
    (home / "audit.20260702T000000.ndjson.gz").write_bytes(whole[: len(whole) // 2])
    *before, _, _, _, _, _, _, _, _, _, _ = found = numbers(find(home, 0, 20, 100))
    assert found[-10:] == [*range(9, -1, -1)]
    assert {10} <= {*before} < {*range(10, 20)}


def test_a_search_ends_within_its_bytes_and_says_how_far_it_came(home: Path) -> None:
    """Whoever needs more asks for the time before."""
    page = find(home, 0, 30, matches=lambda record: record["n"] < 5, max_bytes=1)
    assert (numbers(page), page.read_back_to) == ([], T0 + 20 * HOUR)
    assert page.read_back_to is not None
    hours = (page.read_back_to - T0) / HOUR
    further = find(home, 0, hours, matches=lambda record: record["n"] < 5, max_bytes=1)
    assert (numbers(further), further.read_back_to) == ([], T0 + 10 * HOUR)
    assert numbers(find(home, 0, 10, matches=lambda record: record["n"] < 5, max_bytes=1)) == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("line", ["not JSON\n", "[1]\n", '{"at":5,"n":99}\n', '{"n": 99}\n', '{"at":"x","n":99}\n'])
def test_a_line_that_is_no_record_of_a_time_is_passed_over(home: Path, line: str) -> None:
    """Also as the first line of a part."""
    path = home / "audit.ndjson"
    path.write_text(f"{line}{path.read_text()}{line}")
    assert numbers(find(home, 28, 40)) == [29, 28]
