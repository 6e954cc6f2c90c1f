"""The journal: what an append promises, and what reading makes of a file that a crash left."""

from __future__ import annotations

import asyncio
import errno
import gzip
import json
import os
import resource
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.journal import NdjsonJournal
from bot.errors import RetryLater, TriageError
from bot.runtime import failpoints
from tests.fakes import Stops


def journal(path: Path, stop: Stops | None = None) -> NdjsonJournal:
    """A journal whose word of a broken disk is kept."""
    return NdjsonJournal(path, stop=stop)


async def test_an_append_returns_when_its_line_is_in_the_file(tmp_path: Path) -> None:
    """On return the record can be read by another process."""
    events = journal(tmp_path / "events.ndjson")
    await events.append({"n": 1, "text": "zwei\nZeilen \ud800"})
    assert [json.loads(line) for line in (tmp_path / "events.ndjson").read_text().splitlines()] == [
        {"n": 1, "text": "zwei\nZeilen \ud800"}
    ]
    await events.close()


async def test_a_lone_record_never_waits_and_a_busy_one_shares_its_sync(tmp_path: Path) -> None:
    """Records that follow each other closely go out together, also when each comes in a turn of its own."""
    syncs: list[str] = []

    def counted(point: str, _: str) -> AbstractContextManager[None]:
        if point == "journal.sync":
            syncs.append(point)
        return nullcontext()

    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None, gathering=60)
    failpoints.arm(counted)
    try:
        await events.append({"n": 1})
        assert len(syncs) == 1
        events._gathering = 0.2  # a minute was only to show that the first did not wait it out
        appends = []
        for n in range(2, 7):
            appends.append(asyncio.ensure_future(events.append({"n": n})))
            await asyncio.sleep(0)
        await asyncio.gather(*appends)
        assert len(syncs) == 2
    finally:
        failpoints.arm(None)
    await events.close()


async def test_a_torn_last_line_is_passed_over_and_never_joined(tmp_path: Path) -> None:
    """A crash in the middle of a write costs that line alone."""
    path = tmp_path / "events.ndjson"
    path.write_text('{"n":1}\n{"n":')
    events = journal(path)
    await events.append({"n": 2})
    assert [record["n"] for record in await events.tail(10)] == [1, 2]
    await events.close()


async def test_a_journal_that_is_not_there_has_no_records(tmp_path: Path) -> None:
    """Reading makes no file."""
    assert await journal(tmp_path / "events.ndjson").tail(5) == []
    assert not (tmp_path / "events.ndjson").exists()


async def test_a_full_disk_raises_and_leaves_no_half_line(tmp_path: Path) -> None:
    """What cannot be written is not acknowledged, and later records are whole."""
    path = tmp_path / "events.ndjson"
    events = journal(path)
    await events.append({"n": 1})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, hard))
    try:
        with pytest.raises(RetryLater, match="cannot be written"):
            await events.append({"n": 2, "text": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await events.append({"n": 3})
    assert [record["n"] for record in await events.tail(10)] == [1, 3]
    await events.close()


async def test_after_a_failed_sync_nothing_more_is_taken(tmp_path: Path) -> None:
    """A file that cannot be synced, here a pipe, ends the journal; the sync is not tried again."""
    path, broken = tmp_path / "events.ndjson", Stops()
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    events = journal(path, broken)
    with pytest.raises(TriageError, match="failed to sync"):
        await events.append({"n": 1})
    with pytest.raises(TriageError, match="failed to sync"):
        await events.append({"n": 2})
    assert len(broken.problems) == 1
    assert os.read(reader, 1_000) == b'{"n":1}\n'
    os.close(reader)
    await events.close()


async def test_a_journal_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    """Messages are nobody else's business on the machine."""
    events = journal(tmp_path / "events.ndjson")
    await events.append({})
    assert (tmp_path / "events.ndjson").stat().st_mode & 0o777 == 0o600
    await events.close()


async def test_a_full_file_is_set_aside_compressed_and_still_read(tmp_path: Path) -> None:
    """Records go on in a new file; reading goes through all parts in order."""
    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None, max_bytes=500)
    for n in range(100):
        await events.append({"n": n})
    await events.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert sum(name.endswith(".ndjson.gz") for name in names) >= 1
    assert not any(name.endswith(".tmp") for name in names)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    assert [record["n"] async for record in events.records()] == list(range(100))
    assert [record["n"] for record in await events.tail(90)] == list(range(10, 100))


async def test_a_part_whose_compressing_was_cut_short_is_read_once(tmp_path: Path) -> None:
    """A crash between the two leaves the plain part, the packed one, or both; each record is read once."""
    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None, max_bytes=60)
    for n in range(8):
        await events.append({"n": n})
    await events.close()
    packed = min(tmp_path.glob("*.gz"))
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    (tmp_path / "events.20260101T000000000000.tmp").write_bytes(b"half")
    assert [record["n"] async for record in events.records()] == list(range(8))


async def test_a_journal_that_may_not_refuse_ends_with_a_full_disk(tmp_path: Path) -> None:
    """Unless the record may be lost, the process stops: it came after the ack, and the next start does it again."""
    path, broken = tmp_path / "replies.ndjson", Stops()
    replies = NdjsonJournal(path, stop=broken, may_refuse=False)
    path.mkdir()
    with pytest.raises(RetryLater, match="cannot be opened"):
        await replies.append({"n": 1}, may_be_lost=True)
    assert broken.problems == []
    for _ in range(2):
        with pytest.raises(TriageError, match="must stop"):
            await replies.append({"n": 1})
    assert len(broken.problems) == 1
    await replies.close()


START = datetime(2026, 1, 5, tzinfo=UTC)


def received(n: int) -> dict[str, Any]:
    """A record of the n-th minute, whose text would look like a time to a careless reader."""
    at = (START + timedelta(minutes=n)).isoformat()
    return {"n": n, "received_at": at, "text": '"received_at":"2031-01-01T00:00:00+00:00"' + "x" * (n % 300)}


@pytest.mark.parametrize("max_bytes", [10**9, 200_000, 20_000], ids=["one part", "a few", "many"])
async def test_records_since_a_moment_are_all_there(tmp_path: Path, max_bytes: int) -> None:
    """None of them is missing, whichever part they stand in, and of the older ones at most two hours are read."""
    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None, max_bytes=max_bytes)
    for start in range(0, 3_000, 30):
        await asyncio.gather(*(events.append(received(n)) for n in range(start, start + 30)))
    for minute in (-600, 0, 700, 2_999):
        found = [record["n"] async for record in events.records(since=START + timedelta(minutes=minute))]
        assert found == list(range(found[0], 3_000))
        assert minute - 120 <= found[0] <= max(minute, 0)
    await events.close()


async def test_older_parts_are_not_read_at_all(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where the next part began before that moment, a part is passed over unread, and may as well be damaged."""
    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None, max_bytes=5_000)
    for n in range(0, 600, 5):
        await events.append(received(n))
    packed = sorted(tmp_path.glob("*.gz"))
    packed[0].write_bytes(b"no gzip")
    found = [record["n"] async for record in events.records(since=START + timedelta(minutes=500))]
    assert found == list(range(found[0], 600, 5))
    assert "damaged" not in caplog.text
    _ = [record async for record in events.records()]
    assert f"{packed[0]}: it is damaged" in caplog.text
    await events.close()


@pytest.mark.parametrize("damage", ["cut", "flipped", "no gzip"])
async def test_a_damaged_part_is_read_as_far_as_it_goes(tmp_path: Path, damage: str) -> None:
    """What stands in the other parts and in the live file is there all the same, for a start above all."""
    (tmp_path / "events.ndjson").write_bytes(b'{"n":1000}\n')
    lines = b"".join(b'{"n":%d,"x":"%d"}\n' % (n, n * 7_919) for n in range(500))
    packed = bytearray(gzip.compress(lines))
    match damage:
        case "cut":
            del packed[-20:]
        case "flipped":
            packed[-6] ^= 1  # of the checksum
        case _:
            packed[0] ^= 1
    (tmp_path / "events.20260105T000000000000.ndjson.gz").write_bytes(packed)
    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None)
    for found in ([record async for record in events.records()], await events.tail(2_000)):
        assert [record["n"] for record in found][-1] == 1_000
        assert (len(found) > 400) == (damage != "no gzip")
    await events.close()


async def test_records_that_are_set_aside_while_they_are_read_are_read_once(tmp_path: Path) -> None:
    """Neither left out nor doubled, however far the reading has come."""
    events = NdjsonJournal(tmp_path / "events.ndjson", stop=None, max_bytes=400_000)
    for start in range(0, 9_000, 1_000):
        await asyncio.gather(*(events.append(received(n)) for n in range(start, start + 1_000)))
    found: list[int] = []
    async for record in events.records():
        found.append(record["n"])
        if len(found) % 2_000 == 0:
            assert await events.set_aside_if(lambda line: True) == (len(found) == 2_000)
    assert found == list(range(9_000))
    await events.close()


async def test_a_file_is_set_aside_by_the_age_of_its_oldest_line(tmp_path: Path) -> None:
    """Only when the asker says so; an append goes on in a new file, and all of it is still read."""
    events = journal(tmp_path / "events.ndjson")
    assert not await events.set_aside_if(lambda line: True)
    for n in range(3):
        await events.append({"n": n})
    assert not await events.set_aside_if(lambda line: line != b'{"n":0}\n')
    assert await events.set_aside_if(lambda line: line == b'{"n":0}\n')
    await events.append({"n": 3})
    assert (tmp_path / "events.ndjson").read_text() == '{"n":3}\n'
    assert [record["n"] async for record in events.records()] == [0, 1, 2, 3]
    await events.close()


async def test_a_disk_that_cannot_be_read_is_said_plainly(tmp_path: Path) -> None:
    """Whoever reads learns which file it is, and may go on without it."""

    def fails(point: str, _: str) -> AbstractContextManager[None]:
        if point == "journal.read":
            raise OSError(errno.EIO, "Input/output error")
        return nullcontext()

    events = journal(tmp_path / "events.ndjson")
    await events.append({"n": 1})
    failpoints.arm(fails)
    try:
        with pytest.raises(TriageError, match=r"events\.ndjson: cannot be read: Input/output error"):
            await events.tail(1)
    finally:
        failpoints.arm(None)
    await events.close()
