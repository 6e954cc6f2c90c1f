"""Files of tasks: records that are whole, journals that can be followed, and their removal with the thread."""

from __future__ import annotations

import asyncio

from tests.adapters.contracts.backends import Backend

TASK = "fix-flyout-0219-1430-k7x2mq"


async def test_a_line_that_is_to_stand_once_stands_once(backend: Backend) -> None:
    """However often a start after a crash writes it, and its head stands there once."""
    tasks = backend.storage.task_files
    for line in ("- one", "Status: completed", "Status: completed"):
        await tasks.append("fix-it", "a.md", line, head="# agent\n", once=True)
    assert await tasks.tail("fix-it", "a.md", 5) == "# agent\n\n- one\nStatus: completed"
    assert await tasks.tail("fix-it", "a.md", 1) == "Status: completed"
    assert await tasks.tail("fix-it", "none.md", 5) == ""
    await tasks.append("fix-it", "a.md", "Status: completed")
    assert await tasks.tail("fix-it", "a.md", 2) == "Status: completed\nStatus: completed"


async def test_a_task_has_its_name_once(backend: Backend) -> None:
    """However many files it has, and whatever text stands in them."""
    tasks = backend.storage.task_files
    assert await tasks.names() == []
    for record in ({"slug": "fix-it"}, {"slug": "fix-it", "text": "half \ud800, nul \0"}):
        await tasks.save("fix-it", "task.json", record)
    await tasks.append("fix-it", "a.md", "half \ud800, nul \0")
    await tasks.append("only-journal", "a.md", "- one")
    assert sorted(await tasks.names()) == ["fix-it", "only-journal"]
    assert await tasks.tail("fix-it", "a.md", 9) == "half ?, nul \0"


async def test_lines_of_many_come_one_after_the_other(backend: Backend) -> None:
    """None is lost, and the end is what was written last."""
    tasks = backend.storage.task_files
    await asyncio.gather(*(tasks.append("fix-it", "a.md", f"- {n}") for n in range(30)))
    await tasks.append("fix-it", "a.md", "- last")
    lines = (await tasks.tail("fix-it", "a.md", 99)).splitlines()
    assert sorted(lines[:-1]) == sorted(f"- {n}" for n in range(30))
    assert lines[-1] == "- last"


async def test_the_files_of_one_thread_are_removed(backend: Backend) -> None:
    """As often as one likes; those of others stay, whatever the name."""
    tasks, folders = backend.storage.task_files, backend.storage.thread_folders
    for task in (TASK, "other"):
        await tasks.save(task, "task.json", {})
        await tasks.append(task, "a.md", "- one")
    for name in (TASK, TASK, "", "..", "other/.."):
        await folders.remove("T0A-C0HELP-1.000001", name)
    assert await tasks.names() == ["other"]
    assert await tasks.tail(TASK, "a.md", 5) == ""
