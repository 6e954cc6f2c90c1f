"""Commands of tasks and notes through real sockets, as a person gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import TriageError
from tests.fakes import HeldEngine
from tests.line.human import shows
from tests.line.test_commands import ADMINS, link
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from bot.models.findings import Assignment, EngineReport
    from tests.line.conftest import Line


class FailingOnce(HeldEngine):
    """An engine whose first run ends without findings."""

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Fail, the first time."""
        if not self.asked:
            self.asked.append(assignment)
            raise TriageError("the index is broken")
        return await super().investigate(assignment)


async def test_a_failed_question_is_restarted_stopped_and_restarted(line: Line) -> None:
    """By its name; the card says who stopped it, and no two runs are alive at the same time."""
    engine = FailingOnce()
    async with line.bot(more=ADMINS, engine=engine) as bot:
        asked = await line.ana.say(QUESTION)
        await line.olu.card("No draft", "the index is broken")
        listed = await line.olu.command("list_tasks failed")
        name = listed.split("`")[1]
        assert (await line.olu.command(f"restart_task {name}")).startswith(f"`{name}` is investigated again")
        await engine.arrived.wait()
        assert "No second run is started" in await line.olu.command(f"restart_task {link(line, asked)}")
        assert "Only operators" in await line.ana.command(f"stop_task {name}")
        assert (await line.olu.command(f"stop_task {name}")).startswith("Stopped:")
        await line.olu.card("No draft", "stopped the investigation")
        assert bot.core.orchestrator.running == 0
        assert "aborted: stopped" in await line.olu.command(f"thread {name}")
        await line.olu.command(f"restart_task {name}")
        engine.answer(QUESTION, "Three times.")
        await line.olu.dismiss(await line.olu.card("Three times.", "Approve"))
        await line.olu.card("*Dismissed*")
        await line.olu.command(f"restart_task {name}")
        assert shows(await line.olu.card("Three times.", "Approve"), QUESTION)
    assert len(engine.asked) == 4
    done = [(x["action"], x["outcome"]) for x in records(line.home / "audit.ndjson") if x.get("kind") == "command"]
    assert done.count(("restart_task", "done")) == 3


async def test_a_note_and_a_file_are_read_as_they_are_written(line: Line) -> None:
    """By an operator; others get neither."""
    async with line.bot(more=ADMINS):
        assert "Created" in await line.olu.command('append_note "Retry limits" project=shop said "so" = 3')
        assert 'said "so" = 3' in await line.olu.command("read_note retry-limits")
        assert "RETRY_LIMIT = 3" in await line.olu.command("read_file orders.py")
        assert "Only operators" in await line.ana.command("read_file orders.py")
