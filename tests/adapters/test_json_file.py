"""Small objects that outlive the process."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.adapters.json_file import DiskJsonFile
from bot.errors import RetryLater


async def test_what_is_written_is_read_by_the_next_process(tmp_path: Path) -> None:
    """Whole, by its owner only, with nothing left beside it."""
    path = tmp_path / "schedule.json"
    assert await DiskJsonFile(path).read() == {}
    for said in ({"a": "1"}, {"b": "2"}):
        await DiskJsonFile(path).write(said)
    assert await DiskJsonFile(path).read() == {"b": "2"}
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["schedule.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\x00", b"null"])
async def test_what_does_not_parse_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    """It is small and can be made up for."""
    path = tmp_path / "schedule.json"
    path.write_bytes(content)
    assert await DiskJsonFile(path).read() == {}


async def test_many_writes_at_once_leave_the_newest(tmp_path: Path) -> None:
    """None fails over another's file beside it, and none that is late is put over a newer one."""
    kept = DiskJsonFile(tmp_path / "controls.json")
    await asyncio.gather(*(kept.write({"state": number}) for number in range(64)))
    assert await kept.read() == {"state": 63}


async def test_what_cannot_be_written_names_its_file(tmp_path: Path) -> None:
    """The old object stays."""
    path = tmp_path / "schedule.json"
    await DiskJsonFile(path).write({"a": "1"})
    (tmp_path / "schedule.json.tmp").mkdir()
    with pytest.raises(RetryLater, match=r"^schedule\.json cannot be written"):
        await DiskJsonFile(path).write({"b": "2"})
    assert await DiskJsonFile(path).read() == {"a": "1"}
