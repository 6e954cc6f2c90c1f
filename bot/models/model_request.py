"""Request of one turn from a model (`ports.Model`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel

    from bot.models.turn import Entry, ToolForm


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Request of the next turn, with its whole history."""

    history: tuple[Entry, ...]
    tools: tuple[ToolForm, ...] = ()
    form: type[BaseModel] | None = None
    """Form of an answer without tool calls. A server may ignore it, so the caller validates."""
    seconds: float
    """Deadline of the turn."""
    idle_seconds: float = math.inf
    """Maximum time without any new content."""
    max_output: int | None = None
    """Maximum number of tokens in this turn, if below the model's own."""
