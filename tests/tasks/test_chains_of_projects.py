"""Two projects, four tasks with dependencies, one that fails: what is stuck is told, and a skip frees it, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.json_file import DiskJsonFile
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import OfHealth, OfTask
from bot.commands.task_chains import ChainCommands
from bot.commands.tasks import TaskCommands
from bot.triage.task_states import TaskStates
from tests.chat.crew import command
from tests.fakes import PhoneBook, operators
from tests.kills import Kill, live
from tests.tasks.bench import Bench
from tests.tasks.test_kills import AROUND

PLAN = (("A", "shop", ""), ("B", "web", "A"), ("C", "shop", "B"), ("D", "web", "C"))
"""Title, project, and the title that it depends on."""


class Story:
    """The plan, up to the approved results; B fails, and is skipped."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.is_skipped = False
        bench.failing.add("B")

    async def begin(self) -> None:
        """Create the tasks, and approve what needs no skip."""
        for title, project, after in PLAN:
            depends_on = (await self.bench.task(after)).task if after else ""
            await self.bench.create(title, project=project, depends_on=depends_on)
        await self.bench.settle()
        await self.bench.approve("A")

    async def skip(self) -> None:
        """Skip the task that failed, and approve the rest."""
        if not self.is_skipped:
            name = (await self.bench.task("B")).task
            await self.commands.skip(OfTask.model_validate({"task": name}), command(user_id="U0OPS"))
            self.is_skipped = True
        for _ in PLAN:
            await self.bench.settle()
            for title, status in (await self.bench.statuses()).items():
                if status == "pending-user" and title != "B":
                    await self.bench.approve(title)

    @property
    def commands(self) -> TaskCommands:
        """The commands of the bot that lives now."""
        bench = self.bench
        return TaskCommands(
            finder=bench.commands.finder,
            states=TaskStates(
                store=bench.store, index=bench.orchestrator.open_threads.tasks, schedule=bench.scheduler.planner
            ),
            controls=bench.controls,
            clock=bench.clock,
            operators=operators("U0OPS", town=bench.town),
            chat=PhoneBook(U0OPS="Olu"),  # type: ignore[arg-type]  # it has the one call
        )

    async def health(self, title: str = "") -> CommandAnswer:
        """The health of a task, or of all."""
        bench = self.bench
        chains = ChainCommands(
            finder=bench.commands.finder,
            states=self.commands.states,
            index=bench.orchestrator.open_threads.tasks,
            dependencies=bench.scheduler.planner.dependencies,
        )
        given = {"task": (await bench.task(title)).task} if title else {}
        return await chains.get_health(OfHealth.model_validate(given), command())


async def test_a_failed_task_holds_those_behind_it_until_it_is_skipped(tmp_path: Path) -> None:
    """Told in every status on the way."""
    bench = await Bench(tmp_path / "home").start()
    story = Story(bench)
    bench.failing.discard("B")
    bench.held.add("B")
    await story.begin()
    assert await bench.statuses() == {"A": "replied", "B": "investigating", "C": "collecting", "D": "collecting"}
    assert (await story.health()).line.startswith("No task is stuck; 2 tasks wait")
    assert "is BLOCKED, but not stuck: it waits for" in (await story.health("C")).line
    bench.held.clear()
    bench.failing.add("B")
    await bench.restart()
    await bench.settle()
    b, c, d = [(await bench.task(title)).task for title in "BCD"]
    health = await story.health()
    assert health.line == "2 tasks are stuck, held by 1 other task."
    assert f"`{b}` is FAILED" in health.rows[0]
    assert f"holds 2 tasks: `{c}`, `{d}`" in health.rows[0]
    assert f"`{d}` is BLOCKED and stuck, held by `{b}`" in (await story.health("D")).line
    await story.skip()
    assert await bench.statuses() == {"A": "replied", "B": "skipped", "C": "replied", "D": "replied"}
    assert (await story.health()).line == "No task is stuck; none waits."
    await bench.stop()


@pytest.mark.parametrize("only", [AROUND, pytest.param((), marks=pytest.mark.long)], ids=["around", "all"])
async def test_a_skip_survives_a_kill_at_every_step(tmp_path: Path, only: tuple[str, ...]) -> None:
    """Nothing runs twice, and nothing is held for good."""
    number, steps = 0, 0
    while number <= steps + 1:
        bench = await Bench(tmp_path / str(number)).start()
        story = Story(bench)
        await story.begin()
        kill = Kill(before=number or 100_000, only=only)
        await live(story.skip, kill)
        await bench.stop()
        if kill.is_dead:
            await bench.start()
            await story.skip()
        steps = steps or len(kill.passed)
        at = f"before {number}: {kill.passed[-1]}"
        assert await bench.statuses() == {"A": "replied", "B": "skipped", "C": "replied", "D": "replied"}, at
        assert {title: len({*runs}) for title, runs in bench.runs.items()} == dict.fromkeys("ABCD", 1), at
        assert all(number == 1 for number in bench.count_messages().values()), at
        await bench.stop()
        number += 3 if only and number else 1  # the steps between are those of the long form
    assert steps > 20
    assert DiskJsonFile(tmp_path / "0" / "orders.json")
