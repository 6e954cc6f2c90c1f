"""Small objects in files of the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.json_file import DiskJsonFile
from bot.errors import RetryLater


async def test_a_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    """With nothing left beside it."""
    path = tmp_path / "schedule.json"
    await DiskJsonFile(path).write({"b": "2"})
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["schedule.json"]


async def test_bytes_that_are_no_text_are_begun_anew(tmp_path: Path) -> None:
    """As all that does not parse."""
    path = tmp_path / "schedule.json"
    path.write_bytes(b"\xff\x00")
    assert await DiskJsonFile(path).read() == {}


async def test_what_cannot_be_written_names_its_file(tmp_path: Path) -> None:
    """The old object stays."""
    path = tmp_path / "schedule.json"
    await DiskJsonFile(path).write({"a": "1"})
    (tmp_path / "schedule.json.tmp").mkdir()
    with pytest.raises(RetryLater, match=r"^schedule\.json cannot be written"):
        await DiskJsonFile(path).write({"b": "2"})
    assert await DiskJsonFile(path).read() == {"a": "1"}
