"""Names of commands: further ones lead to the same command, and no catalogue starts that could be misread."""

from __future__ import annotations

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandSpec, build_catalogue, list_names
from bot.commands.help import CommandHelp
from bot.commands.inputs import EmptyInput, Help
from tests.chat.crew import OPERATOR, SMALL, Noted, command, handler, permission

HELP = CommandHelp(permission=permission(), catalogue=CATALOGUE)


def spec(name: str, *also: str, **changes: object) -> CommandSpec:
    """A command of these names."""
    made: dict[str, object] = {"summary": "does it", "input": EmptyInput, "role": "member", "tier": "read"}
    return CommandSpec(name=name, also=also, **(made | changes))  # type: ignore[arg-type]  # as the test says


@pytest.mark.parametrize(("said", "called"), [("look", None), ("get_look", "get_look")])
async def test_a_further_name_does_the_same(said: str, called: str | None) -> None:
    """The audit has the catalogue's name, and the one used where that is another."""
    commands = handler(catalogue=SMALL)
    answer = await commands.execute(said, {"name": "x"}, command(user_id=OPERATOR))
    (line,) = commands.audit.kept  # type: ignore[attr-defined]  # a journal in memory
    assert (answer.outcome, line["action"], line.get("called")) == ("done", "look", called)


async def test_the_nearest_word_may_be_a_further_name() -> None:
    """It leads to the command's own."""
    commands = handler(catalogue=SMALL)
    answer = await commands.execute("get_loook", {}, command(user_id=OPERATOR))
    assert "The nearest is `look`: looks at it." in answer.text


@pytest.mark.parametrize(
    ("specs", "problem"),
    [
        ((spec("look"), spec("look")), "two commands go by the name look"),
        ((spec("look", "see"), spec("see")), "two commands go by the name see"),
        ((spec("look", "look"),), "two commands go by the name look"),
        ((spec("look"), spec("turn", "look")), "two commands go by the name look"),
        ((spec("Look"),), "no model may call a tool 'Look'"),
        ((spec("look", "get-look"),), "no model may call a tool 'get-look'"),
        ((spec("look", "l" * 61),), "no model may call a tool"),
        ((spec("look", names="name"),), "look has no field name"),
        ((spec("look", rest=True),), "no field that could take the rest"),
    ],
)
def test_a_catalogue_that_could_be_misread_does_not_start(specs: tuple[CommandSpec, ...], problem: str) -> None:
    """It is found when the bot starts, not when somebody types."""
    with pytest.raises(TypeError, match=problem):
        build_catalogue(*specs)


@pytest.mark.parametrize(
    ("made", "tool"),
    [
        (spec("queue"), "queue"),
        (spec("status", "get_status"), "get_status"),
        (spec("set_project_channel", "set_control_interface"), "set_project_channel"),
    ],
)
def test_a_model_calls_a_command_as_the_spec_does(made: CommandSpec, tool: str) -> None:
    """By its own name; by a further one only where its own is a short word for people."""
    assert made.tool_name == tool


def test_no_two_tools_have_one_name() -> None:
    """Nor does a further name hide a command's own."""
    assert len({spec.tool_name for spec in CATALOGUE.values()}) == len(CATALOGUE)
    assert {CATALOGUE[name].tool_name for name in ("status", "thread")} == {"get_status", "get_task"}


@pytest.mark.parametrize("name", list_names(CATALOGUE))
async def test_help_knows_every_name(name: str) -> None:
    """Further ones too."""
    said = await HELP.help(Help(command=name.upper()), command())
    assert (said.outcome, f"`{name}" in said.line) == ("done", True)


def test_usage_says_what_takes_the_rest() -> None:
    """And that what may be left out goes by name then."""
    made = spec("note", rest=True, input=Noted)
    assert made.usage == "note <title> [project=…] <content…>"
