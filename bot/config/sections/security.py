"""The boundary that programs start in."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from bot.config.sections.base import Section


class SecuritySection(Section):
    """What keeps programs that Triage starts to themselves."""

    isolation: Literal["required", "auto", "off"] = "auto"
    """Whether searches, git and MCP servers start in `bwrap`: always or not at all, where it works, or never."""

    @field_validator("isolation", mode="before")
    @classmethod
    def _off_is_a_word(cls, said: object) -> object:
        """YAML reads `off` as false."""
        return "off" if said is False else said
