"""Inputs of commands on hooks: one model each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, StringConstraints

from bot.commands.inputs import ChannelName, ProjectNamed
from bot.commands.nearest_name import suggest_clause
from bot.decide.hooks.syntax import parse_condition, parse_steps, parse_trigger
from bot.models.fact import Fact
from bot.models.hook import MAX_COOLDOWN_MIN, HookName

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
HookField = Literal["when", "steps", "skip_if", "prompt", "command", "project", "channel", "cooldown", "enabled"]


def _parse_name(value: Any) -> Any:
    name = str(value).strip().strip("`").lower().replace("_", "-")
    if not _NAME.fullmatch(name):
        raise ValueError("expected a hook's name of small letters, digits and hyphens, such as daily-limits")
    return name


def _check(parse: Callable[[str], object]) -> BeforeValidator:
    """Return a validator of words that are read by `parse`, and kept as they are."""

    def check(value: Any) -> str:
        text = str(value).strip()
        parse(text)
        return text

    return BeforeValidator(check, json_schema_input_type=str)


def _parse_field(value: Any) -> Any:
    word = str(value).strip().lower().replace("-", "_")
    if word not in get_args(HookField):
        raise ValueError(f"expected {', '.join(get_args(HookField))}{suggest_clause(word, get_args(HookField))}")
    return word


Name = Annotated[HookName, BeforeValidator(_parse_name), Field(description="The hook's name.")]


class NewHook(Fact):
    """A hook: its name and trigger, steps, the condition that ends a run, and a prompt or a command."""

    name: Annotated[
        HookName, BeforeValidator(_parse_name), Field(description="Its name: letters a-z, digits, hyphens.")
    ]
    when: Annotated[
        str,
        _check(parse_trigger),
        Field(description="0 9 * * *; message #x words; task failed; service unhealthy; file changed GLOB; PR opened"),
    ]
    steps: Annotated[
        str, _check(parse_steps), Field(description="read PATH; search TEXT; log [PATH]; fetch NAME; run COMMAND")
    ] = ""
    skip_if: Annotated[
        str, _check(parse_condition), Field(description="unchanged, empty, matches RE or lacks RE: their output")
    ] = ""
    command: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=1_000), Field(description="A command, not a prompt.")
    ] = ""
    project: ProjectNamed = ""
    channel: Annotated[ChannelName, Field(description="For results; else a direct message.")] = ""
    cooldown: Annotated[int | None, Field(ge=0, le=MAX_COOLDOWN_MIN, description="Minutes between runs.")] = None
    prompt: Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=4_000),
        Field(description="The task; may hold {{output}} {{event}} {{date}} {{time}} {{hook}}"),
    ] = ""


class EditHook(Fact):
    """A hook, one of its fields, and the new value."""

    name: Name
    field: Annotated[
        HookField,
        BeforeValidator(_parse_field, json_schema_input_type=HookField),
        Field(description="What to change."),
    ]
    value: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000),
        Field(description="As for create_hook; none, yes or no."),
    ]


class OfHook(Fact):
    """A hook by its name."""

    name: Name


class ListHooks(Fact):
    """A project; without one, the hooks of all."""

    project: ProjectNamed = ""
