"""What has come in already: for a day, across restarts, in little memory."""

from __future__ import annotations

import asyncio
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.journal import NdjsonJournal
from bot.intake.deduplication import SeenKeys, fill
from tests.builders import T0, message

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("event", "ts", "new"),
    [
        pytest.param("Ev1", "1.000001", False, id="the same event"),
        pytest.param("Ev2", "1.000001", False, id="another event of the same message"),
        pytest.param("Ev1", "1.000002", False, id="the same event of what looks like another message"),
        pytest.param(None, "1.000001", False, id="a message that was read from the history"),
        pytest.param("Ev2", "1.000002", True, id="another message"),
        pytest.param(None, "1.000002", True, id="another message from the history"),
    ],
)
def test_an_event_is_known_by_its_id_or_its_place(event: str | None, ts: str, new: bool) -> None:
    """One of the two is enough."""
    seen = SeenKeys()
    assert seen.is_first("Ev1", message(ts="1.000001"), at=T0)
    assert seen.is_first(event, message(ts=ts), at=T0) is new


@pytest.mark.parametrize(
    ("later", "known"),
    [(timedelta(minutes=5), True), (23 * HOUR, True), (24 * HOUR, True), (31 * HOUR, False), (-HOUR, True)],
)
def test_a_key_is_remembered_for_a_day(later: timedelta, known: bool) -> None:
    """By the time that is handed in; a clock that is set back forgets nothing."""
    seen = SeenKeys()
    seen.is_first("Ev1", at=T0)
    seen.is_first("Ev2", at=T0 + later)
    assert seen.is_first("Ev1", at=T0 + later) is not known


def test_each_hour_of_a_day_is_remembered() -> None:
    """A day's events, one every ten minutes, are all known at its end."""
    seen = SeenKeys()
    times = [T0 + n * HOUR / 6 for n in range(144)]
    assert all(seen.is_first(f"Ev{n}", message(ts=f"{n}.1"), at=at) for n, at in enumerate(times))
    assert not any(seen.is_first(f"Ev{n}", at=times[-1]) for n in range(144))
    assert not any(seen.is_first(None, message(ts=f"{n}.1"), at=times[-1]) for n in range(144))


@pytest.mark.parametrize("later", [timedelta(), 2 * HOUR])
def test_what_is_forgotten_on_purpose_is_new_again(later: timedelta) -> None:
    """Its id and its place, whichever hour they stand in."""
    seen = SeenKeys()
    seen.is_first("Ev1", message(), at=T0)
    seen.is_first("Ev2", at=T0 + later)
    seen.forget("Ev1", message())
    assert seen.is_first("Ev1", message(), at=T0 + later)


def test_a_key_takes_little_memory() -> None:
    """Eight bytes each once they are packed: 200,000 in less than 2 MB."""
    seen = SeenKeys()
    keys = {span: {hash(f"Ev{span}x{n}") for n in range(40_000)} for span in range(5)}
    tracemalloc.start()
    try:
        seen.put_back(keys)
        assert len(seen) == 200_000
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()


def test_the_number_of_keys_is_bounded_whatever_the_clock_does() -> None:
    """The oldest ones go first, also when all come within one span; the newest set comes on top of the packed ones."""
    seen = SeenKeys(capacity=1_000)
    for n in range(10_000):
        seen.is_first(f"Ev{n}", at=T0)
    assert len(seen) <= 2_000
    assert not seen.is_first("Ev9999", at=T0)
    assert seen.is_first("Ev0", at=T0)


def record(number: int, **changes: Any) -> dict[str, Any]:
    """A message's record as the watcher writes it, some of its raw payload included."""
    values = {
        "kind": "message",
        "event_id": f"Ev{number}",
        "received_at": (T0 - timedelta(seconds=number)).isoformat(),
        **message(ts=f"{number}.1").model_dump(mode="json"),
        "raw": {"event_id": f"Ev{number}", "event": {"text": "x" * 200}},
    }
    return values | changes


async def test_the_journal_fills_it_with_the_keys_of_the_last_day(tmp_path: Path) -> None:
    """From every part of the journal, the compressed ones too; what is older, or tells no time, is left out."""
    journal = NdjsonJournal(tmp_path / "events.ndjson", stop=None, max_bytes=20_000)
    hours = [number * 600 for number in range(24 * 6 + 30)]
    for number in reversed(hours):
        await journal.append(record(number))
    await journal.append(record(0, kind="press", event_id="U0OPS-approve-1.2"))
    await journal.append({"kind": "message", "event_id": "Ev-timeless"})
    await journal.close()
    assert len(list(tmp_path.glob("*.gz"))) > 1
    seen = SeenKeys()
    assert await fill(seen, journal.records(), now=T0) == 24 * 6 + 2
    assert not any(seen.is_first(f"Ev{number}", at=T0) for number in hours if number <= 86_400)
    assert all(seen.knows(message(ts=f"{number}.1")) for number in hours if number <= 86_400)
    assert not any(seen.knows(message(ts=f"{number}.1")) for number in hours if number > 86_400)
    assert not seen.is_first("U0OPS-approve-1.2", at=T0)
    assert seen.is_first("Ev-timeless", at=T0)


async def test_what_this_process_writes_meanwhile_stays_new(tmp_path: Path) -> None:
    """A record that was read before its event was acted on does not make the event a duplicate."""
    journal = NdjsonJournal(tmp_path / "events.ndjson", stop=None)
    fresh = record(1)
    await asyncio.gather(journal.append(record(2)), journal.append(fresh))
    await journal.close()
    seen = SeenKeys()
    await fill(seen, journal.records(), now=T0, own={fresh["received_at"]})
    assert seen.is_first("Ev1", message(ts="1.1"), at=T0)
    assert not seen.is_first("Ev2", message(ts="2.1"), at=T0)
