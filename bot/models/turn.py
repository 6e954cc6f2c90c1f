"""Turns: what is said to a model, and what comes back (`ports.Model`).

A history is a tuple of entries that only grows: the prompt, what was said before, what code says, the model's turns,
the results of its calls. Nothing here comes from a file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from bot.models.fact import Fact

Stop = Literal["answered", "calls", "cut", "paused", "refused", "full"]
"""How a turn ended: with an answer; with calls of tools; cut at the length limit; paused, and to be sent back to go on;
refused by the model; because the model's window is full."""


class Usage(Fact):
    """Tokens by kind, as the server counts them. No token is in two kinds."""

    input_tokens: int = Field(default=0, ge=0)
    """Read in full, neither from the cache nor into it."""
    cache_read_tokens: int = Field(default=0, ge=0)
    cache_write_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)

    @property
    def read(self) -> int:
        """All that the model has read."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        """All that it has read and written."""
        return self.read + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, kw_only=True)
class ToolForm:
    """A tool as the model sees it."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Call:
    """The model asks for a tool. Nothing in it has been checked: `input` may be anything that JSON can say."""

    call_id: str
    tool: str
    input: Any


@dataclass(frozen=True)
class Prompt:
    """Instructions. The fixed ones open a history; what holds for this run alone may follow as another."""

    text: str


@dataclass(frozen=True)
class CodeMessage:
    """What code tells the model: the question, a correction, a warning."""

    text: str


@dataclass(frozen=True)
class Recalled:
    """What the agent said to somebody in an earlier run, as words: its calls and thoughts are no longer known."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What the model said once."""

    text: str
    calls: tuple[Call, ...]
    stop: Stop
    usage: Usage
    content: tuple[dict[str, Any], ...]
    """The blocks as they came, thinking included: they are sent back unchanged."""
    model: str = ""
    """What the server calls the model that answered."""

    def without_words(self) -> Turn:
        """The same turn as it is sent back without its texts: calls, thoughts and what else it holds are unchanged."""
        return replace(self, content=tuple(block for block in self.content if block.get("type") != "text"))


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one call."""

    call_id: str
    text: str
    failed: bool = False
    was_run: bool = True


@dataclass(frozen=True)
class Results:
    """What became of all calls of one turn, in their order."""

    results: tuple[Result, ...]


Entry = Prompt | CodeMessage | Recalled | Turn | Results
