"""Input of `run_command`: a declared command with values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from bot.commands.inputs import ProjectNamed
from bot.commands.words import split_words
from bot.models.fact import Fact

MAX_VALUES = 40


class GivenValue(Fact):
    """A value as given: by the name of its parameter, or in its order."""

    name: str = ""
    value: str


def _parse_values(given: Any) -> Any:
    """Parse `path=src/app.py count=3`, or a mapping of a model."""
    if isinstance(given, str):
        return [{"name": word.key or "", "value": word.value} for word in split_words(given)]
    if isinstance(given, Mapping):
        return [{"name": str(name), "value": str(value)} for name, value in given.items()]
    return given


class RunCommand(Fact):
    """A declared command by its name, with its values."""

    command: Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)] = Field(
        description="Name of a command of the settings."
    )
    project: ProjectNamed = ""
    values: Annotated[
        tuple[GivenValue, ...],
        BeforeValidator(_parse_values, json_schema_input_type=str),
        Field(max_length=MAX_VALUES, description='Of its parameters: path=src count=3 name="two words".'),
    ] = ()

    @model_validator(mode="before")
    @classmethod
    def _take_fields(cls, given: Any) -> Any:
        """Take the project out of the values, where it stands after them."""
        if not isinstance(given, Mapping) or given.get("project"):
            return given
        values = _parse_values(given.get("values", ()))
        if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
            return given
        project = [each["value"] for each in values if each.get("name") == "project"]
        rest = [each for each in values if each.get("name") != "project"]
        return {**given, "values": rest, "project": project[0]} if len(project) == 1 else given
