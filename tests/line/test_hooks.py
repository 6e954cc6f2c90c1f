"""Hooks over the whole line: from a typed command and a message to a task, and to the answer of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import shows
from tests.line.test_commands import ADMINS
from tests.line.test_created_tasks import first_message

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import View

DEPLOYS = 'create_hook deploys when="message #help-platform deploy failed" cooldown=1 Why? {{event}}'


async def test_a_message_and_a_person_begin_hooks(line: Line) -> None:
    """The task is in the direct message of the hook's owner, its card quotes the message; a command answers there."""

    def find_answer(view: View) -> View | None:
        messages = [message for dm in view["dms"] for message in dm["messages"]]
        return next((message for message in messages if shows(message, "The hook `state`, `status`:")), None)

    async with line.bot(more=ADMINS):
        assert "Only admins may do this" in await line.olu.command(DEPLOYS)
        assert "Created `deploys`, at a message in <#C0HELP> with `deploy failed`" in await line.ada.command(DEPLOYS)
        await line.ada.command('create_hook state when="0 4 1 1 *" command=status')
        await line.ana.say("The deploy of the shop has failed again, whatever I do.")
        task = await first_message(line.ada, "Hook deploys")
        assert shows(task, "*Hook deploys*: a task of <@U0ADMIN>.")
        await line.olu.card("Hook deploys", "> The deploy of the shop has failed again", "|open the task>")
        assert "*executed* Running, connected to Slack" in await line.olu.command("fire_hook state")
        assert await line.ada.sees(find_answer)
        runs = await line.olu.command("list_hook_runs deploys")
        assert "1 run of `deploys`" in runs
        assert "message: *created* Created hook-deploys-" in runs


async def test_a_hook_runs_a_declared_command_after_a_press(line: Line) -> None:
    """Its output is in the task; the press shows the words, and without it there is no hook."""
    counting = "commands: [{name: first, argv: [head, '-n', '1', '{path}'], parameters: {path: {type: path}}}]"
    order = 'create_hook shop when="0 4 1 1 *" steps="run first orders.py" project=shop What are these? {{output}}'
    async with line.bot(more=f"{ADMINS}\n{counting}"):
        assert "It waits 15 minutes" in await line.ada.command(order)
        assert "There are no hooks" in await line.olu.command("list_hooks")
        shown = await line.ada.card("Not done yet", "head -n 1 ./orders.py", "command_confirm")
        await line.ada.press("command_confirm", shown)
        await line.ada.card("Created `shop`")
        assert "*created*" in await line.olu.command("fire_hook shop")
        await line.olu.card("Hook shop", "Orders of the shop")
        assert "*done*" in await line.ada.command("audit command=fire_hook")
