"""Schemas of commands, and the messages about what does not fit them: all that a model reads of an input."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandSpec
from bot.commands.tool_schema import AS_NEW, SHARED, compact_schema
from prompts.render import render
from tests.chat.crew import ADMIN, command, handler
from tests.chat.hostile import fitting

LONGEST_DESCRIPTION = 90
MOST_CHARACTERS = 30_000
"""Characters of all declarations together. They and the prompt are to fit 6,000 tokens of four characters."""
MARK = "Quuxly"
"""A word that no text of the code has."""

specs = pytest.mark.parametrize("spec", CATALOGUE.values(), ids=lambda spec: spec.name)


@specs
def test_every_parameter_is_described_to_the_model(spec: CommandSpec) -> None:
    """In one short line of plain text."""
    whole = spec.input.model_json_schema()["properties"]
    for name, field in compact_schema(spec.input)["properties"].items():
        inner: dict[str, Any] = next((each for each in whole[name].get("anyOf", ()) if "description" in each), {})
        left_out = whole[name].get("description") or inner.get("description", "")
        text = field.get("description", left_out)
        assert "description" in field or left_out == SHARED.get(name) or left_out.startswith(AS_NEW)
        assert 0 < len(text) < LONGEST_DESCRIPTION, (name, text)
        assert not re.search(r"&#?\w+;|[`\n]", text), (name, text)
    assert not re.search(r"&#?\w+;", spec.summary)


def test_the_prompt_describes_the_parameters_that_many_tools_share() -> None:
    """Once, in the words that the schemas leave out."""
    prompt = render("chat").lower()
    assert all(f"`{name}`" in prompt and text.lower().rstrip(".") in prompt for name, text in SHARED.items())


@specs
def test_a_schema_has_nothing_that_a_model_does_not_need(spec: CommandSpec) -> None:
    """No titles, no nulls; every field is there, and only fields."""
    schema = compact_schema(spec.input)
    assert schema["properties"].keys() == spec.input.model_fields.keys()
    for node in nodes(schema):
        assert "title" not in node
        assert node.get("type") != "null"
        assert node.get("default", 0) is not None


def nodes(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema and all within it."""
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("$defs", {}).values()]
    return [schema, *(node for each in inner for node in nodes(each))]


def hostile_inputs(spec: CommandSpec) -> list[dict[str, Any]]:
    """A fitting input with the mark as each value and as a key of its own, in several types."""
    fits = fitting(spec)
    marks = (MARK, f"{MARK} {MARK}", [MARK], {MARK: MARK}, f"{MARK}=x", f"https://{MARK}.example/{MARK}", MARK * 5_000)
    spoilt = [{**fits, name: mark} for name in spec.input.model_fields for mark in marks]
    return [*spoilt, {**fits, MARK: MARK}, {MARK: 1}]


@specs
async def test_a_message_about_arguments_repeats_none_of_them(spec: CommandSpec) -> None:
    """A model reads it outside the marks for untrusted text: a stranger's words in it would be code's."""
    commands = handler()
    for given in hostile_inputs(spec):
        answer = await commands.execute(spec.name, given, command(user_id=ADMIN, via="cli"), typed=MARK)
        if answer.outcome == "invalid":
            assert MARK not in answer.text, given
            assert answer.repeats_nothing
