"""Strict tools: which schemas can be closed, and how many of one request."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from bot.adapters.claude.strict import MAX_OPTIONAL, MAX_TOOLS, MAX_UNIONS, strict_schemas
from bot.commands.catalogue import CATALOGUE
from bot.models.turn import ToolForm
from bot.tools.tool import schema_of


class Place(BaseModel):
    """Part of a schema."""

    path: str


class Closed(BaseModel):
    """A schema that can be closed."""

    path: str
    first: Annotated[int, Field(ge=1, le=9)] = 1
    places: list[Place] = []
    kind: str | None = None


class Open(BaseModel):
    """A schema with keys of the model's choice."""

    labels: dict[str, str]


class Wide(BaseModel):
    """A schema that takes more than it names."""

    model_config = ConfigDict(extra="allow")
    path: str


class Tree(BaseModel):
    """A schema that contains itself."""

    children: list[Tree]


def forms(*schemas: dict[str, Any]) -> list[ToolForm]:
    """A tool of each schema."""
    return [ToolForm(name=f"tool{n}", description="", schema=schema) for n, schema in enumerate(schemas)]


def test_a_schema_that_fits_is_closed_and_its_bounds_are_described() -> None:
    """Objects within it, too; required properties stay required."""
    schema = strict_schemas(forms(schema_of(Closed)), None)["tool0"]
    assert (schema["additionalProperties"], schema["required"]) == (False, ["path"])
    assert schema["$defs"]["Place"]["additionalProperties"] is False
    assert "minimum: 1" in schema["properties"]["first"]["description"]


@pytest.mark.parametrize(
    "schema",
    [
        schema_of(Open),
        schema_of(Wide),
        schema_of(Tree),
        {},
        {"type": "object"},
        {"type": "string"},
        {"type": "object", "properties": {"x": {}}},
        {"type": "object", "properties": {"x": {"type": "array"}}},
        {"type": "object", "properties": {"x": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"x": {"$ref": "https://example.org/x.json"}}},
        {"type": "object", "properties": {"x": {"type": "string"}}, "patternProperties": {"^y": {"type": "string"}}},
        {"type": "object", "properties": {"x": {"type": "object"}}},
    ],
)
def test_a_schema_that_closing_would_change_is_not_strict(schema: dict[str, Any]) -> None:
    """Such as one of an MCP server that takes any key."""
    assert strict_schemas(forms(schema), None) == {}


def test_no_request_passes_the_documented_limits() -> None:
    """Tools, optional properties and unions are counted, those of the answer's form first; later tools may fit."""
    plain = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    many = {"type": "object", "properties": {f"x{n}": {"type": "string"} for n in range(MAX_OPTIONAL)}}
    union = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    wide = {"type": "object", "properties": {"x": union}, "required": ["x"]}
    assert len(strict_schemas(forms(*[plain] * 30), None)) == MAX_TOOLS
    assert [*strict_schemas(forms(many, many, plain), None)] == ["tool0", "tool2"]
    assert [*strict_schemas(forms(many, plain), schema_of(Closed))] == ["tool1"]
    assert len(strict_schemas(forms(*[wide] * 18), None)) == MAX_UNIONS


def test_every_schema_of_the_projects_own_tools_can_be_closed() -> None:
    """One at a time, since a request has a limit."""
    for spec in CATALOGUE.values():
        assert strict_schemas(forms(schema_of(spec.input)), None), spec.name
