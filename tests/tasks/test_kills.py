"""Kills of the bot at every step from a command to the end of its task: one message, one thread, one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.runtime.failpoints import passing
from tests.kills import Kill, live
from tests.tasks.bench import Bench

TITLES = ("A", "B")


class Story:
    """Two tasks, of which the second waits for the first, up to their approved results."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.answered: set[str] = set()

    async def tell(self) -> None:
        """Give the commands that were not answered, and decide on what waits for a decision."""
        for title in TITLES:
            if title not in self.answered:
                before = (await self.bench.task("A")).task if title == "B" else ""
                await self.bench.create(title, depends_on=before)
                self.answered.add(title)
                with passing("command.answered", title):
                    pass
        for _ in TITLES:
            await self.bench.settle()
            for title, status in (await self.bench.statuses()).items():
                if status == "pending-user":
                    await self.bench.approve(title)


AROUND = ("open", "sync_folder", "call", "answer", "answered")
"""Points before and after each file is replaced, and around each call; the others are in between."""


@pytest.mark.parametrize("only", [AROUND, pytest.param((), marks=pytest.mark.long)], ids=["around", "all"])
async def test_a_task_survives_a_kill_at_every_step(tmp_path: Path, only: tuple[str, ...]) -> None:
    """Whatever step was the last one before the kill, nothing runs twice, and nothing is lost."""
    number, steps = 0, 0
    while number <= steps + 1:
        kill = Kill(before=number or 100_000, only=only)
        bench = Bench(tmp_path / str(number))
        story = Story(bench)
        await bench.start()
        await live(story.tell, kill)
        await bench.stop()
        if kill.is_dead:
            await bench.start()
            await story.tell()
            await story.tell()
        steps = steps or len(kill.passed)
        at = f"before {number}: {kill.passed[-1]}"
        assert await bench.statuses() == dict.fromkeys(TITLES, "replied"), at
        assert len(await bench.documents()) == 2, at
        assert [*bench.count_messages().values()] == [1, 1], at
        for thread in await bench.documents():
            starts = [line for line in thread.status_history if line.next == "investigating"]
            assert (len(starts), thread.question_round) == (1, 1), at
        assert all(len({*runs}) == 1 for runs in bench.runs.values()), at
        assert all(record.is_over for record in bench.threads.book.records), at
        order = (await bench.task("B")).order
        assert order, at
        assert [each.text for each in order.inputs] == ["A is done."], at
        await bench.stop()
        number += 3 if only and number else 1  # the steps between are those of the long form
    assert steps > 40
