"""Argument names of the specification: each leads to our field, from every interface."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bot.commands.argument_names import SPEC_NAMES, rename_arguments
from bot.commands.catalogue import CATALOGUE
from bot.commands.inputs_work import OfNote, OfTask, SearchProject
from bot.commands.project_inputs import NewProject, ProjectChannel, ProjectInput
from bot.models.fact import Fact
from tests.chat.crew import command, handler

FIELDS = {field for spec in CATALOGUE.values() for field in spec.input.model_fields}


@pytest.mark.parametrize(
    ("form", "given", "renamed"),
    [
        (ProjectInput, {"project_id": "shop"}, {"project": "shop"}),
        (OfTask, {"task_id": "a-b"}, {"task": "a-b"}),
        (ProjectChannel, {"channel_id": "C1", "project": "shop"}, {"channel": "C1", "project": "shop"}),
        (ProjectChannel, {"channel_name": "help"}, {"channel": "help"}),
        (OfNote, {"note_title": "Deploy", "project_id": "shop"}, {"title": "Deploy", "project": "shop"}),
        (SearchProject, {"pattern": "*.py", "mode": "find"}, {"text": "*.py", "mode": "find"}),
        (NewProject, {"name": "n", "auto_create_channels": True}, {"name": "n", "channel": True}),
        (NewProject, {"project_id": "shop"}, {"project_id": "shop"}),  # it has a name, and no project
        (ProjectInput, {"project": "shop", "project_id": "shop"}, {"project": "shop"}),
        (ProjectInput, {"project": None, "project_id": "shop"}, {"project": "shop"}),
        (OfTask, {"task": None}, {}),
        (OfTask, {"note_title": "x"}, {"note_title": "x"}),
    ],
)
def test_a_name_of_the_specification_becomes_ours(
    form: type[Fact], given: dict[str, Any], renamed: dict[str, Any]
) -> None:
    """Where the input has that field; equal values may come twice, and null is nothing given."""
    assert rename_arguments(form, given) == renamed


@pytest.mark.parametrize("second", ["tea", "", 5, ["shop"]])
def test_two_names_with_different_values_are_no_input(second: object) -> None:
    """Nobody can know which of them is meant."""
    with pytest.raises(ValidationError):
        rename_arguments(ProjectInput, {"project": "shop", "project_id": second})


@pytest.mark.parametrize("via", ["chat", "slash", "thread", "cli"])
async def test_the_handler_takes_both_names_from_every_interface(via: Any) -> None:
    """And refuses two values in words that repeat neither."""
    commands = handler()
    answer = await commands.execute("pause_project", {"project_id": "shop"}, command(via=via))
    assert (answer.outcome, "'project': 'shop'" in answer.line) == ("done", True)
    both = {"project": "shop", "project_id": "tea"}
    answer = await commands.execute("pause_project", both, command(via=via))
    assert answer.outcome == "invalid"
    assert answer.line.startswith("`project`: given twice with different values, also as project_id; give it once.")
    assert "tea" not in answer.line


async def test_what_waits_for_a_press_is_saved_by_our_names() -> None:
    """So that the object is shown by one name, and a later press finds it."""
    commands = handler()
    answer = await commands.execute("delete_project", {"project_id": "shop"}, command())
    assert (answer.outcome, answer.typed_again) == ("asked", "shop")
    assert "(project: `shop`)" in answer.line


def test_the_model_reads_our_names_alone() -> None:
    """No input has a field of the specification's name, and each of those leads to a field."""
    assert not FIELDS & SPEC_NAMES.keys()
    assert {*SPEC_NAMES.values()} <= FIELDS
