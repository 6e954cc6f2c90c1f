"""Role of an agent in an investigation (`roles/*.md`). Its limits come from its category, never from the role
itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from bot.models.fact import Fact

RoleName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


class Category(Fact):
    """The limits of a run, by category of its role."""

    inactivity_timeout_min: float
    """Minutes without progress after which a run is ended."""
    turns: int
    usd: float
    """US dollars."""


class Role(Fact):
    """A role file: its front matter, and the prompt below it."""

    name: RoleName
    display_name: Annotated[str, Field(min_length=1, max_length=80)]
    category: str
    cwd: Path | None = None
    """The absolute folder that it works in unless a rule names another."""
    prompt: str
