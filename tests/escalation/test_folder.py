"""The folder of a thread's runs: states, follow-ups, and the step to the next run, interrupted at every point."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from bot.errors import Unreadable
from bot.escalation.folder import RunFolder, list_folders
from bot.runtime import failpoints
from tests.escalation.builders import FIRST, SECOND, THREAD, handoff, returned, session, task


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """The folder of a thread without any run."""
    return RunFolder(tmp_path / "escalations" / THREAD)


def begin(folder: RunFolder, **changes: object) -> None:
    """Put a task in its place."""
    folder.save_child(task(**changes))
    folder.promote()


@contextmanager
def armed(stops_at: int) -> Iterator[list[str]]:
    """Break the operation with this number, as a crash would; yield the points that were passed."""
    passed: list[str] = []

    @contextmanager
    def watch(point: str, subject: str) -> Iterator[None]:
        passed.append(f"{point} {subject}")
        if len(passed) == stops_at:
            raise OSError(5, "a crash")
        yield

    failpoints.arm(watch)
    try:
        yield passed
    finally:
        failpoints.arm(None)


def content(folder: RunFolder) -> dict[str, bytes]:
    """Every file with its content."""
    paths = (path for path in folder.path.rglob("*") if path.is_file() and path.suffix != ".tmp")
    return {str(path.relative_to(folder.path)): path.read_bytes() for path in paths}


def test_a_folder_without_a_task_is_empty(folder: RunFolder) -> None:
    """A thread that was never escalated has no state."""
    assert folder.read_state() == "empty"
    assert (folder.read_task(), folder.read_latest(), list_folders(folder.path.parent)) == (None, "", [])


def test_the_states_of_a_run_are_read_from_its_folder(folder: RunFolder) -> None:
    """A task waits for its process, which holds the lock, and ends with `.done`."""
    begin(folder)
    assert folder.read_state() == "unstarted"
    handle = folder.take_lock()
    assert handle is not None
    assert (folder.read_state(), folder.find_process()) == ("running", os.getpid())
    folder.done.touch()
    os.close(handle)
    assert (folder.read_state(), folder.find_process()) == ("ended", None)


def test_a_process_that_lets_go_without_an_end_has_died(folder: RunFolder) -> None:
    """A free lock with the name of a process and without `.done` is a death."""
    begin(folder)
    handle = folder.take_lock()
    assert handle is not None
    os.close(handle)
    assert folder.read_state() == "died"


@pytest.mark.parametrize("holds", [True, False])
def test_a_run_has_one_process(folder: RunFolder, monkeypatch: pytest.MonkeyPatch, holds: bool) -> None:
    """A second process gets no lock, neither beside the first one nor after its death."""
    monkeypatch.setattr("bot.runtime.process_lock.PATIENCE", 0.0)
    begin(folder)
    handle = folder.take_lock()
    assert handle is not None
    if not holds:
        os.close(handle)
    assert folder.take_lock() is None
    assert folder.lock.read_text() == str(os.getpid())


def test_a_look_of_the_bot_keeps_no_process_from_its_lock(folder: RunFolder) -> None:
    """A lock that is taken for an instant only delays the process."""
    begin(folder)
    look = os.open(folder.lock, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(look, fcntl.LOCK_SH)
    assert folder.read_state() == "unstarted"
    os.close(look)
    assert folder.take_lock() is not None


def test_the_next_run_puts_the_one_before_aside(folder: RunFolder) -> None:
    """Everything of the first run is in `earlier/<session_id>/`, without its handoff."""
    begin(folder)
    folder.write(folder.returned, returned().model_dump(mode="json"))
    folder.write(folder.handoff, handoff().model_dump(mode="json"))
    folder.done.touch()
    begin(folder, session_id=SECOND, tier=3, handoff=handoff())
    assert folder.read_state() == "unstarted"
    current = folder.read_task()
    assert current is not None
    assert (current.session_id, current.handoff) == (SECOND, handoff())
    assert sorted(content(folder)) == [f"earlier/{FIRST}/{name}" for name in (".done", "return.json", "task.json")] + [
        "task.json"
    ]


def test_the_step_to_the_next_run_is_completed_after_a_crash_at_any_point(tmp_path: Path) -> None:
    """The second try ends in the same files, wherever the first one was cut off."""
    ends, number = [], 0
    while True:
        folder = RunFolder(tmp_path / str(number) / THREAD)
        begin(folder)
        folder.write(folder.session, session().model_dump(mode="json"))
        folder.write(folder.handoff, handoff().model_dump(mode="json"))
        folder.done.touch()
        with suppress(OSError), armed(number) as passed:
            begin(folder, session_id=SECOND, tier=3, handoff=handoff())
        current = folder.read_task()
        if current is None or current.session_id == FIRST:
            begin(folder, session_id=SECOND, tier=3, handoff=handoff())
        ends.append(content(folder))
        if number > len(passed):
            break
        number += 1
    assert number > 15
    assert all(end == ends[0] for end in ends)


def test_a_promotion_without_a_child_does_nothing(folder: RunFolder) -> None:
    """A repeated step changes nothing."""
    begin(folder)
    before = content(folder)
    folder.promote()
    assert content(folder) == before


def test_a_task_that_does_not_parse_is_put_aside(folder: RunFolder) -> None:
    """A broken file stops no later run, and stays for people to read."""
    begin(folder)
    folder.task.write_text("{}")
    with pytest.raises(Unreadable, match="session_id"):
        folder.read_task()
    begin(folder, session_id=SECOND)
    assert (folder.path / "earlier" / "unreadable" / "task.json").read_text() == "{}"


def test_a_follow_up_is_written_once(folder: RunFolder) -> None:
    """A repeated message is left out; one after a line that a crash cut off begins its own line."""
    begin(folder)
    assert folder.append_message("100.2", "Ana", "and yesterday?")
    with folder.messages.open("ab") as file:
        file.write(b'{"ts": "100.3", "by"')
    assert folder.append_message("100.3", "Ana", "since nine")
    assert not folder.append_message("100.2", "Ana", "and yesterday?")
    assert not folder.append_message("100.3", "Ana", "since nine")
    assert len(folder.messages.read_text().splitlines()) == 3


def test_only_the_owner_may_read_a_run(folder: RunFolder) -> None:
    """Folders are 0700, files 0600."""
    begin(folder)
    begin(folder, session_id=SECOND)
    folder.take_lock()
    folder.append_message("100.2", "Ana", "and yesterday?")
    modes = {path.stat().st_mode & 0o777 for path in folder.path.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in (folder.path, *folder.path.rglob("*")) if path.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})


def test_the_last_line_of_a_transcript_is_its_newest_with_text(folder: RunFolder) -> None:
    """Only the end of a long transcript is read."""
    begin(folder)
    folder.transcript.write_text("first\n" + "x" * 10_000 + "\n 09:01 turn 3: search \n\n")
    assert folder.read_latest() == "09:01 turn 3: search"
