"""`orchestrator_control`: the same as pause, resume and status, for whoever may give those."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer, CommandSpec, build_catalogue
from bot.commands.registry import bound_commands
from bot.commands.state import StateCommands
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR, command, handler

ACTIONS = ("pause", "resume", "status")


async def control(action: Any, user: str, via: str = "slash", *, tainted: bool = False, name: str = "") -> Any:
    """Answer and audit of an action, or of the command itself."""
    done: list[str] = []

    def run(own: str) -> Any:
        async def execute(*_: Any) -> CommandAnswer:
            done.append(own)
            return CommandAnswer(line=f"{own} is done")

        return execute

    commands = handler(runs={each: run(each) for each in ACTIONS})
    given = {} if name else {"action": action}
    answer = await commands.execute(
        name or "orchestrator_control", given, command(user_id=user, via=via), tainted=tainted
    )
    kept: list[dict[str, Any]] = commands.audit.kept  # type: ignore[attr-defined]  # a journal in memory
    records = [{key: value for key, value in each.items() if key != "called"} for each in kept]
    return answer, records, done, [each.get("called") for each in kept]


@pytest.mark.parametrize("tainted", [False, True])
@pytest.mark.parametrize("via", ["slash", "thread", "home", "chat", "cli"])
@pytest.mark.parametrize("user", [ADMIN, OPERATOR, MEMBER, GUEST])
@pytest.mark.parametrize("action", ACTIONS)
async def test_it_does_what_the_named_command_does(action: str, user: str, via: str, tainted: bool) -> None:
    """The same answer, press, refusal and record, by every interface."""
    *by_control, called = await control(action, user, via, tainted=tainted)
    *by_name, _ = await control(action, user, via, tainted=tainted, name=action)
    assert by_control == by_name
    assert called == ["orchestrator_control"]


@pytest.mark.parametrize("action", ["stop", "restart", "", "paused", 5, None, ["pause"]])
async def test_another_action_is_refused(action: Any) -> None:
    """The answer names those that there are."""
    answer, records, done, _ = await control(action, ADMIN)
    assert (answer.outcome, done, records[0]["action"]) == ("invalid", [], "orchestrator_control")
    assert "`action`" in answer.text


async def test_a_member_learns_nothing_of_its_actions() -> None:
    """A wrong action is refused as a right one is."""
    answer, *_ = await control("anything", MEMBER)
    assert answer.outcome == "refused"


async def test_it_is_never_executed_itself() -> None:
    """The handler executes another command in its place."""
    (own,) = [each for each in bound_commands(StateCommands.__new__(StateCommands)) if each.spec.stands_for]
    with pytest.raises(RuntimeError):
        await own.run(own.spec.input.model_validate({"action": "pause"}), command())


def test_a_command_that_stands_for_others_names_them_in_a_field_of_its_own() -> None:
    """Else the program does not start; every value is a command."""
    spec: CommandSpec = CATALOGUE["orchestrator_control"]
    with pytest.raises(TypeError, match="has no field deed"):
        build_catalogue(dataclasses.replace(spec, stands_for="deed"))
    assert {*ACTIONS} <= CATALOGUE.keys()
