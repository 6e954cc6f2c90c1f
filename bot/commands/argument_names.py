"""Argument names of the written specification, accepted beside the fields of inputs: `project_id` for `project`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.fact import Fact

SPEC_NAMES = {
    "project_id": "project",
    "repo_id": "project",
    "repo": "project",
    "branch_name": "branch",
    "base_branch": "base",
    "commit_message": "message",
    "url": "address",
    "default_branch": "branch",
    "task_id": "task",
    "channel_id": "channel",
    "channel_name": "channel",
    "note_title": "title",
    "pattern": "text",
    "hook_id": "name",
    "credit_weight": "weight",
    "max_concurrent_agents": "max_agents",
    "auto_create_channels": "channel",
}
"""Field by its name in the specification. An input that has a field of the specification's name keeps it."""


def find_field(form: type[Fact], name: str) -> str | None:
    """Return the field of an input that a name means, its own or the specification's."""
    if name in form.model_fields:
        return name
    field = SPEC_NAMES.get(name)
    return field if field in form.model_fields else None


def rename_arguments(form: type[Fact], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by the names of the fields, without those that are `None`: models send it for what they
    leave out.

    Raises `ValidationError` if two names of one field have different values.
    """
    renamed: dict[str, Any] = {}
    for name, value in arguments.items():
        field = find_field(form, name) or name
        if value is None:
            continue
        if field in renamed and renamed[field] != value:
            raise _two_values(form, field, arguments)
        renamed[field] = value
    return renamed


def _two_values(form: type[Fact], field: str, arguments: Mapping[str, Any]) -> ValidationError:
    others = " or ".join(name for name, ours in SPEC_NAMES.items() if ours == field and name in arguments)
    message = f"given twice with different values, also as {others}; give it once"
    error = PydanticCustomError("two_values", "{message}", {"message": message})
    return ValidationError.from_exception_data(form.__name__, [InitErrorDetails(type=error, loc=(field,), input=None)])
