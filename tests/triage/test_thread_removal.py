"""Threads that a command removes: closed ones, once their views show it, with the folders of their runs."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.thread import Thread
from bot.triage.open_threads import OpenThreads
from bot.triage.thread_removal import ThreadRemoval
from tests.builders import added, moved
from tests.fakes import HandClock, MemoryJournal, MemoryStore

OPEN = moved(None, added())
DONE = OPEN.evolve(status="closed", outcome="dismissed", card=OPEN.card.evolve(drawn=OPEN.revision), marks=())


class Folders:
    """`ThreadFolders` that remember what was removed."""

    def __init__(self) -> None:
        self.removed: list[str] = []

    async def remove(self, thread_id: str, task: str) -> None:
        """Keep it."""
        self.removed.append(f"{thread_id} {task}")


def removal(*threads: Thread) -> ThreadRemoval:
    """Threads that are saved."""
    store, index = MemoryStore(), OpenThreads()
    for thread in threads:
        store.saved[thread.thread_id] = thread
        index.note(thread)
    return ThreadRemoval(store=store, folders=Folders(), open_threads=index, events=MemoryJournal(), clock=HandClock())


@pytest.mark.parametrize(
    ("changes", "is_late", "is_gone"),
    [
        ({}, False, True),
        ({"status": "pending-user", "outcome": None}, True, False),
        ({"revision": 9}, False, False),
        ({"revision": 9}, True, True),
    ],
)
async def test_a_closed_thread_is_removed(changes: dict[str, Any], *, is_late: bool, is_gone: bool) -> None:
    """With its folders; an open one never, and one whose card still shows buttons only in the end."""
    thread = DONE.evolve(**changes)
    remover = removal(thread)
    assert await remover.remove(thread, is_late=is_late) is is_gone
    store, folders = remover.store, remover.folders
    assert isinstance(store, MemoryStore)
    assert isinstance(folders, Folders)
    assert (thread.thread_id in store.saved) is not is_gone
    assert folders.removed == ([f"{thread.thread_id} {thread.task}"] if is_gone else [])
