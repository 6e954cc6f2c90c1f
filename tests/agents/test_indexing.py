"""Indexing ahead: all trees at the start, one after the other, and those that are asked for; nothing ends it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bot.agents.indexing import Indexing
from bot.errors import ToolError
from bot.models.project import Project
from bot.tools.index.ahead import IndexProgress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.tools.index.ahead import IndexRequest


class Process:
    """Stands where worker processes stand: three stretches for each tree, none for one that cannot be read."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.told: list[str] = []
        self.idle = asyncio.Event()

    def clone(self, *, max_workers: int) -> Process:
        assert max_workers == 1
        return self

    async def run(self, work: Callable[[IndexRequest], IndexProgress], ahead: IndexRequest, **_: Any) -> IndexProgress:
        await asyncio.sleep(0)
        self.told.append(indexing_of[self].state)
        self.calls.append(ahead.project.name)
        if ahead.project.name == "gone":
            raise ToolError("The project's folder cannot be searched")
        return IndexProgress(left=(-self.calls.count(ahead.project.name)) % 3, files=2_000)

    async def stop(self) -> None:
        self.idle.set()


indexing_of: dict[Process, Indexing] = {}


async def test_every_tree_is_indexed_one_after_the_other(tmp_path: Path) -> None:
    """A tree that cannot be read stops no other; how far it is can be read, and a question brings it back."""
    projects = [Project(name=name, root=tmp_path) for name in ("shop", "gone", "portal")]
    process = Process()
    indexing = indexing_of[process] = Indexing(process, tmp_path, lambda: projects)  # type: ignore[arg-type]  # it has what indexing calls
    task = asyncio.create_task(indexing.run())
    await process.idle.wait()
    assert process.calls == ["shop"] * 3 + ["gone"] + ["portal"] * 3
    assert process.told[1].startswith("indexing shop, 1,998 of 2,000 files")
    assert indexing.state == ""
    process.idle.clear()
    indexing.ask(projects[0])
    await process.idle.wait()
    assert process.calls[7:] == ["shop"] * 3
    task.cancel()
