"""Input of `run_command`: a declared command with values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from bot.commands.inputs import ProjectNamed
from bot.commands.repository_inputs import MaybeBranch
from bot.commands.words import split_words
from bot.models.fact import Fact

MAX_VALUES = 40


class GivenValue(Fact):
    """A value as given: by the name of its parameter, or in its order."""

    name: str = ""
    value: str


def _parse_values(text: Any) -> Any:
    """Parse `path=src/app.py count=3`, or a mapping of a model."""
    if isinstance(text, str):
        return [{"name": word.key or "", "value": word.value} for word in split_words(text)]
    if isinstance(text, Mapping):
        return [{"name": str(name), "value": str(value)} for name, value in text.items()]
    return text


class RunCommand(Fact):
    """A declared command by its name, with its values."""

    command: Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)] = Field(
        description="Its name in the settings."
    )
    project: ProjectNamed = ""
    branch: MaybeBranch = ""
    values: Annotated[
        tuple[GivenValue, ...],
        BeforeValidator(_parse_values, json_schema_input_type=str),
        Field(max_length=MAX_VALUES, description='Of its parameters: path=src count=3 name="two words".'),
    ] = ()

    @model_validator(mode="before")
    @classmethod
    def _take_fields(cls, fields: Any) -> Any:
        """Take project and branch out of the values, where they stand after them."""
        if not isinstance(fields, Mapping):
            return fields
        values = _parse_values(fields.get("values", ()))
        if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
            return fields
        free = [name for name in ("project", "branch") if not fields.get(name)]
        moved = {each["name"]: each["value"] for each in values if each.get("name") in free}
        return {**fields, **moved, "values": [each for each in values if each.get("name") not in moved]}
