"""Folders of threads on disk, removed with nothing beside them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from bot.adapters.thread_folders import DiskThreadFolders
from bot.errors import RetryLater
from bot.runtime.failpoints import arm

THREAD, TASK = "T0A-C0HELP-1.000001", "fix-flyout-0219-1430-k7x2mq"


@pytest.fixture
def folders(tmp_path: Path) -> DiskThreadFolders:
    """Folders of two threads."""
    for name in (f"tasks/{TASK}/task.json", "tasks/other/task.json", f"runs/{THREAD}/run-1/log", "runs/else/log"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("x")
    return DiskThreadFolders(tasks=tmp_path / "tasks", runs=tmp_path / "runs")


async def test_the_folders_of_one_thread_are_removed(folders: DiskThreadFolders, tmp_path: Path) -> None:
    """As often as one likes; those of others stay."""
    for _ in range(2):
        await folders.remove(THREAD, TASK)
    assert sorted(path.name for path in tmp_path.glob("*/*")) == ["else", "other"]


@pytest.mark.parametrize("name", ["", ".", "..", "../runs/else", "other/..", "else"])
async def test_no_other_folder_has_a_name_of_a_thread(folders: DiskThreadFolders, tmp_path: Path, name: str) -> None:
    """Nor does a link lead elsewhere."""
    (tmp_path / "tasks" / "linked").symlink_to(tmp_path / "runs")
    for task in (name, "linked"):
        await folders.remove(name, task)
    assert len([*tmp_path.glob("*/*")]) == 5


async def test_a_folder_that_cannot_be_removed_is_tried_again(folders: DiskThreadFolders) -> None:
    """The failure says so."""

    def refuse(point: str, subject: str) -> AbstractContextManager[None]:
        raise PermissionError(13, f"{point} {subject}")

    arm(refuse)
    try:
        with pytest.raises(RetryLater, match="the folders of T0A"):
            await folders.remove(THREAD, TASK)
    finally:
        arm(None)
