"""The folders of tasks on disk: records that are whole, journals that can be followed."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from bot.adapters.tasks import TaskFolders
from bot.errors import RetryLater

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_record_replaces_the_one_before_and_is_not_written_twice(tmp_path: Path) -> None:
    """Only its owner reads it; one that stands there already is left alone."""
    tasks, path = TaskFolders(tmp_path / "tasks"), tmp_path / "tasks/fix-it/task.json"
    await tasks.save("fix-it", "task.json", {"slug": "fix-it"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    before = path.stat().st_ino
    await tasks.save("fix-it", "task.json", {"slug": "fix-it"})
    assert path.stat().st_ino == before
    await tasks.save("fix-it", "task.json", {"slug": "fix-it", "dispatches": []})
    assert path.read_text() == '{\n "slug": "fix-it",\n "dispatches": []\n}'


async def test_a_line_can_be_read_as_soon_as_it_is_written(tmp_path: Path) -> None:
    """By somebody who follows the file; its head stands there once."""
    tasks, path = TaskFolders(tmp_path), tmp_path / "fix-it/investigator.md"
    await tasks.append("fix-it", "investigator.md", "- one", head="# investigator\n")
    with path.open() as follower:
        assert follower.read() == "# investigator\n\n- one\n"
        await tasks.append("fix-it", "investigator.md", "- two", head="# investigator\n")
        assert follower.read() == "- two\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_disk_that_fails_is_named(tmp_path: Path) -> None:
    """With the file that could not be written."""
    (tmp_path / "fix-it").write_text("no folder")
    tasks = TaskFolders(tmp_path)
    for work in (tasks.save("fix-it", "task.json", {}), tasks.append("fix-it", "a.md", "- one")):
        with pytest.raises(RetryLater, match=r"fix-it: (task\.json|a\.md) could not be written"):
            await work
