"""Commands on tasks through real sockets: a title that is edited, a draft that is approved, a task that is deleted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.line.human import replies, shows, until
from tests.line.test_commands import ADMINS
from tests.line.test_created_tasks import ASKED, first_message, statuses
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_tasks_are_edited_approved_and_deleted_by_commands(line: Line) -> None:
    """Before its start a title changes in Slack; a press approves the shown draft; a deleted question stays gone."""
    async with line.bot(more=ADMINS):
        await line.ada.command("pause")
        name = (await line.olu.command(f'create_task "Retries" channel=#help-platform {ASKED}')).split("`")[1]
        assert "Changed the title and priority" in await line.olu.command(f'edit_task {name} title="Limit" priority=5')
        opened = await first_message(line.ana, "Limit: a task of")
        assert "Limit, priority 5" in await line.olu.command("list_tasks READY")
        await line.ada.command("resume")
        await line.olu.card("Limit", '"approve"')
        assert "Only operators" in await line.ana.command(f"approve_task {name}")
        assert "Not done yet" in await line.olu.command(f"approve_task {name}")
        await line.olu.card("Not done yet", "*Place:*", "RETRY_LIMIT", "command_confirm")
        await line.olu.press("command_confirm")
        await line.olu.card(f"Approved: `{name}`")
        await line.ana.sees(lambda view: [r for r in replies(view, opened["ts"]) if shows(r, "RETRY_LIMIT")])
        await until(lambda: statuses(line) == {"Limit": "replied"})
        assert "Status COMPLETED" in await line.olu.command(f"get_task {name}")
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        slug = (await line.olu.command("list_tasks AWAITING_APPROVAL")).split("`")[1]
        assert "Not done yet" in await line.olu.command(f"delete_task {slug}")
        await line.olu.press("command_confirm")
        await line.olu.submit(await line.olu.dialog(), typed=slug)
        await line.olu.sees(lambda view: f"Deleted: `{slug}`" in json.dumps(view["dms"]))
        assert not list((line.home / "state").glob(f"*{asked}*"))
        assert not (line.home / "tasks" / slug).exists()
    async with line.bot(more=ADMINS) as bot:
        assert bot.core.orchestrator.open_threads.ids() == []
        assert f"There is no task `{slug}`" in await line.olu.command(f"get_task {slug}")
        assert not list((line.home / "state").glob(f"*{asked}*"))
