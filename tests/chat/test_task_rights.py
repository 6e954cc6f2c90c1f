"""Every command on tasks, by table: what it answers to a task, to a member, and to an input that does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from bot.commands.handler import CommandHandler
from bot.commands.registry import bound_commands
from tests.chat.crew import Booth, command, handler
from tests.chat.test_chain_health import Chains
from tests.chat.test_task_edits import Office
from tests.chat.test_tasks import Desk, drafted, failed
from tests.fakes import settle

COMMANDS: dict[str, dict[str, Any]] = {
    "get_task": {},
    "get_task_result": {},
    "get_agent_error": {},
    "get_chain_health": {},
    "stop_task": {},
    "restart_task": {},
    "skip_task": {},
    "set_task_status": {"status": "COMPLETED"},
    "edit_task": {"priority": 5},
    "delete_task": {},
}
"""Commands that name one task, with the rest of their input."""
READING = ("get_task", "get_task_result", "get_agent_error", "get_chain_health")


def build_handler(desk: Desk) -> CommandHandler:
    """A handler with the commands on these threads."""
    known = handler(chat=Booth())
    owners = (desk.views, desk.lists, desk.tasks, Chains().chains, Office().changes)
    bound = {each.spec.name: each for owner in owners for each in bound_commands(owner)}
    return CommandHandler(
        commands={**known.commands, **bound},
        permission=known.permission,
        audit=known.audit,
        clock=known.clock,
        redactor=known.redactor,
        confirmations=known.confirmations,
        chat=known.chat,
    )


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_member_may_not_and_a_task_that_is_none_is_refused(name: str) -> None:
    """Whatever the command does with a task; its spelling in the specification is understood."""
    office = build_handler(Desk(thread := failed()))
    given = {"task_id": thread.task, **COMMANDS[name]}
    refused = await office.execute(name, given, command(user_id="U0ANA"))
    assert (refused.outcome, "Only operators" in refused.line) == ("refused", True)
    for bad in ("two words", "../../etc/passwd", "<!channel>", "x" * 121):
        answer = await office.execute(name, {"task_id": bad, **COMMANDS[name]}, command(user_id="U0OPS"))
        assert answer.outcome == "invalid", bad
        assert "<!channel>" not in answer.text
    unknown = await office.execute(name, {"task": "gone-0219-1430-k7x2mq", **COMMANDS[name]}, command(user_id="U0OPS"))
    assert (unknown.outcome, "There is no task" in unknown.line) == ("invalid", True)


@pytest.mark.parametrize("name", [*READING, "list_tasks"])
async def test_a_reading_command_has_data_for_programs(name: str) -> None:
    """Of the model that it declares."""
    desk = Desk(thread := drafted())
    office = build_handler(desk)
    given = {} if name in ("list_tasks", "get_chain_health") else {"task": thread.task}
    answer = await office.execute(name, given, command(user_id="U0OPS"))
    spec = office.commands[name if name != "get_task" else "thread"].spec
    assert (answer.outcome, spec.result is not None) == ("done", True)
    assert isinstance(answer.data, spec.result or int)
    await settle()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"status": "blokced"}, "expected a status such as open, failed or BLOCKED; the nearest is BLOCKED"),
        ({"channel": "nowhere"}, "is not watched"),
        ({"project": "shpo"}, "There is no project `shpo`"),
        ({"size": 5}, "It takes only the fields of its usage"),
    ],
)
async def test_a_list_of_tasks_names_what_does_not_fit(given: dict[str, Any], words: str) -> None:
    """By field; a member gets no list."""
    office = build_handler(Desk())
    answer = await office.execute("list_tasks", given, command(user_id="U0OPS"))
    assert (answer.outcome, words in answer.line) == ("invalid", True), answer.line
    assert (await office.execute("list_tasks", {}, command(user_id="U0ANA"))).outcome == "refused"
