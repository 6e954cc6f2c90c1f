"""Settings of the isolation boundary for programs that Triage starts."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from bot.config.sections.base import Section


class SecuritySection(Section):
    """Isolation of programs that Triage starts."""

    isolation: Literal["required", "auto", "off"] = "auto"
    """Mode of `bwrap` for searches, git and MCP servers: `required` starts nothing without it, `auto` uses it where it
    works, `off` never does."""

    @field_validator("isolation", mode="before")
    @classmethod
    def _off_is_a_word(cls, value: object) -> object:
        """Map false to `off`, which YAML reads as false."""
        return "off" if value is False else value
