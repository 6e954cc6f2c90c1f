"""Settings of the agents: investigator, validator, chat, the model's server and its cost."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from bot.config.sections.base import Section
from bot.models.address import safe
from bot.models.model_parameters import Effort


class ModelSection(Section):
    """Server of the model of `engine: claude`, and its cost caps. The key comes from the environment."""

    base_url: str | None = None
    """Address of another server of the Messages API: https, or http on this machine. Default: ANTHROPIC_BASE_URL, else
    Anthropic's server."""
    small: bool = False
    """True for small local models: few tools, shorter results, answers and prompts, and plain text as the answer in a
    direct message (docs/models.md)."""
    max_retries: Annotated[int, Field(ge=0, le=10)] | None = None
    """Maximum number of tries in a row after a temporary failure of the server; by default as many as the time of the
    run allows."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 120
    """Maximum silence of the server in seconds: without any new content of its answer, retries included."""
    max_usd_per_run: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """Maximum cost of one agent run in US dollars."""
    max_usd_per_day: Annotated[float, Field(gt=0, le=100_000)] = 20.0
    """Maximum cost of all agents in a day (UTC), in US dollars."""

    @field_validator("base_url")
    @classmethod
    def _is_safe(cls, url: str | None) -> str | None:
        if url is not None:
            safe(url, example="http://127.0.0.1:11434")
        return url


class AgentSection(Section):
    """Parameters of an agent's calls to its model; by default those of the model's family (docs/models.md)."""

    max_tokens: Annotated[int | None, Field(ge=256, le=128_000)] = None
    """Maximum number of tokens in one turn, thoughts included."""
    effort: Effort | None = None
    """Depth of the answers."""
    thinking: bool | None = None
    """True to request adaptive thinking; false leaves it to the model's own default."""


class InvestigatorSection(AgentSection):
    """Settings of the investigator, which writes drafts."""

    model: str = "claude-opus-5-5"
    """Model of `engine: claude`; the keyword engine uses none."""
    max_rounds: Annotated[int, Field(ge=1, le=2)] = 2
    """Maximum number of drafts of one question before it goes to the operator."""
    hard_cap_runtime_min: Annotated[float, Field(gt=0, le=60)] = 5
    """Time limit of an investigation in minutes."""
    hints: bool = True
    """True if agents see other questions about the same project from public channels (docs/security.md)."""


class ValidatorSection(AgentSection):
    """Settings of the validator, which tries to refute drafts."""

    model: str | None = None
    """Model of `engine: claude`; the investigator's by default."""
    max_rounds: Annotated[int, Field(ge=0, le=1)] = 1
    """Maximum number of drafts of a question that the checks may send back."""


class ChatSection(AgentSection):
    """Settings of the chat agent in direct messages and mentions."""

    enabled: bool | None = None
    """True if the chat agent is on; by default with `engine: claude`."""
    model: str | None = None
    """Model of the chat agent; the investigator's by default."""
    max_turns: Annotated[int, Field(ge=1, le=30)] = 10
    """Maximum number of turns with tool calls for one answer."""
    max_seconds: Annotated[float, Field(gt=0, le=600)] = 120
    """Time limit of one answer in seconds."""
    max_usd: Annotated[float, Field(gt=0, le=100)] = 2.0
    """Maximum cost of one answer in US dollars; it counts in `model.max_usd_per_day`."""
