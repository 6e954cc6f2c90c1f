"""Drawing `task.json`: it matches the newest document, on a disk that fails for a while too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.tasks import TaskFolders
from bot.errors import RetryLater
from bot.models.task_manifest import manifest
from bot.models.thread_event import Due, Mute
from bot.surfaces.task_files import TaskFileWriter
from tests.builders import added, at, fresh, moved
from tests.fakes import HandClock, settle

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.thread import Thread


class Rig:
    """Pictures on a real folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, HandClock()
        self.pictures = TaskFileWriter(tasks=TaskFolders(folder), clock=self.clock)

    def shown(self, thread: Thread) -> list[str]:
        """The statuses in the file of this thread's task."""
        made: dict[str, Any] = json.loads((self.folder / str(thread.task) / "task.json").read_text())
        return [one["status"] for one in made["dispatches"]]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """One."""
    return Rig(tmp_path / "tasks")


def story() -> tuple[Thread, Thread, Thread]:
    """A thread that collects, is investigated, and is closed in that."""
    first = moved(None, added())
    second = moved(first, Due(at=at(3), fresh=fresh()))
    return first, second, moved(second, Mute(at=at(4), fresh=fresh()))


async def test_an_older_document_never_replaces_a_newer_one(rig: Rig) -> None:
    """However late it is drawn."""
    first, second, _ = story()
    assert await rig.pictures.write_now(second)
    assert await rig.pictures.write_now(first)
    assert rig.shown(second) == ["running"]


async def test_the_status_at_a_journals_end_stands_there_once(rig: Rig) -> None:
    """A start after a crash knows nothing of what was drawn."""
    _, _, closed = story()
    for _ in range(2):
        assert await TaskFileWriter(tasks=TaskFolders(rig.folder), clock=rig.clock).write_now(closed)
    assert rig.shown(closed) == ["aborted: muted"]
    journal = rig.folder / str(closed.task) / "investigator.md"
    assert journal.read_text() == "- Status: aborted: muted (keyword)\n"


class FailsOnce:
    """`Tasks` on a disk that is full at first."""

    def __init__(self) -> None:
        self.kept: list[dict[str, Any]] = []
        self.tries = 0

    async def append(self, task: str, name: str, line: str, *, head: str = "", once: bool = False) -> None:
        """No journal has ended."""
        raise AssertionError(line)

    async def tail(self, task: str, name: str, lines: int) -> str:
        """Nobody reads."""
        raise AssertionError(name)

    async def save(self, task: str, name: str, record: dict[str, Any]) -> None:
        """Not at the first try."""
        self.tries += 1
        if self.tries == 1:
            raise RetryLater("no space left")
        self.kept.append(record)


async def test_a_disk_that_fails_is_tried_again_until_it_matches() -> None:
    """With the newest document that there is by then."""
    first, second, _ = story()
    tasks, clock = FailsOnce(), HandClock()
    pictures = TaskFileWriter(tasks=tasks, clock=clock)
    pictures.redraw(first)
    await settle()
    assert tasks.kept == []
    pictures.redraw(second)
    await clock.move(1)
    assert tasks.kept == [manifest(second)]


async def test_what_waits_for_the_file_is_not_held_up_by_a_disk_that_fails() -> None:
    """The card comes all the same."""
    assert not await TaskFileWriter(tasks=FailsOnce(), clock=HandClock()).write_now(story()[0])
