"""Who drafts, who tries to break the draft, where the model is and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator

from bot.config.sections.base import Section
from bot.models.address import safe


class ModelSection(Section):
    """Where the model of `engine: claude` is, and what it may cost. The key comes from the environment."""

    base_url: str | None = None
    """Another server that speaks the Messages API; https, or http on this machine. Else ANTHROPIC_BASE_URL, else
    Anthropic's own."""
    max_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """How often a call that failed for a moment is made again."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 120
    """Seconds after which one call is given up, its repetitions included."""
    max_usd_per_run: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """US dollars that one run of an agent may cost."""
    max_usd_per_day: Annotated[float, Field(gt=0, le=100_000)] = 20.0
    """US dollars that all agents together may cost in a day (UTC)."""

    @field_validator("base_url")
    @classmethod
    def _is_safe(cls, url: str | None) -> str | None:
        if url is not None:
            safe(url, example="http://127.0.0.1:11434")
        return url


class InvestigatorSection(Section):
    """Who drafts."""

    model: str = "claude-opus-5-5"
    """The model of `engine: claude`; the keyword engine uses none."""
    max_rounds: Annotated[int, Field(ge=1, le=2)] = 2
    """Drafts of one question before it goes to the operator as it is."""
    hard_cap_runtime_min: Annotated[float, Field(gt=0, le=60)] = 5
    """Minutes after which an investigation is ended."""
    hints: bool = True
    """True if agents are told of other questions of the same project in public channels (docs/security.md)."""


class ValidatorSection(Section):
    """Who tries to break the draft."""

    model: str | None = None
    """The model of `engine: claude`; that of the investigator when left out."""
    max_rounds: Annotated[int, Field(ge=0, le=1)] = 1
    """How many drafts of a question the checks may send back by themselves."""


class ChatSection(Section):
    """The agent that people talk to in direct messages and mentions."""

    enabled: bool | None = None
    """Whether there is one; where `engine: claude` is, when left out."""
    model: str | None = None
    """Its model; that of the investigator when left out."""
    max_turns: Annotated[int, Field(ge=1, le=30)] = 10
    """Turns with calls of tools that one answer may take."""
    max_seconds: Annotated[float, Field(gt=0, le=600)] = 120
    """Seconds after which an answer is given up."""
    max_usd: Annotated[float, Field(gt=0, le=100)] = 2.0
    """US dollars that one answer may cost at the very most; it counts in `model.max_usd_per_day`."""


class EscalationSection(Section):
    """Long runs in a process of their own."""

    enabled: bool = True
    expected_runtime_min_threshold: Annotated[float, Field(gt=0)] = 10
    """Minutes; a run expected to take longer is escalated."""
    transcript_dir: Path | None = None
    """Where transcripts go; `escalations/` in the home when left out."""
