"""Tool of an agent: name, description and input schema, all visible to the model, and the function to run.

A model is untrusted: its input is parsed into the tool's pydantic model first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic import BaseModel


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Tool of an agent. `run` receives a validated `input` and returns text; it raises `ToolError` in plain words."""

    name: str
    description: str
    input: type[BaseModel]
    run: Callable[[Any], Awaitable[str]]
    is_read_only: bool = True
    """True if several calls of one turn may run concurrently."""
    is_closing: bool = False
    """True if it reports on the other calls of its turn, so that those run first."""
    declared_schema: dict[str, Any] | None = None
    """JSON schema as shown to the model, if `input` accepts more because `run` passes it on for validation."""

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the input, as shown to the model."""
        return self.declared_schema or schema_of(self.input)


@lru_cache(maxsize=512)
def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """Return a model's JSON schema, cached, since it takes a millisecond; callers must not change it."""
    return form.model_json_schema()
