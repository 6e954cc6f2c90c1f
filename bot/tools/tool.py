"""What an agent may do: a name, a description and the form of its input, all of which the model sees, and the doing.

A model is treated as hostile: its input is read into the tool's own pydantic model before anything happens.
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
    """One tool. `run` gets a validated `input` and answers with text; it raises `ToolError` in plain words."""

    name: str
    description: str
    input: type[BaseModel]
    run: Callable[[Any], Awaitable[str]]
    read_only: bool = True
    """True if several calls of one turn may run at once."""
    closes: bool = False
    """True if it says what came of the other calls of its turn, so that these are run before it."""
    form: type[BaseModel] | None = None
    """The input as the model sees it, where `input` takes more, since `run` hands it to somebody who validates it."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the input, as the model sees it."""
        return schema_of(self.form or self.input)


@lru_cache(maxsize=512)
def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """A form's JSON schema, worked out once, since that takes a millisecond; nobody may change it."""
    return form.model_json_schema()
