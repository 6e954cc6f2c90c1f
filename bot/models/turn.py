"""Model turns: messages to a model and its answers (`ports.Model`).

A history is a tuple of entries that only grows: the prompt, earlier messages, messages by code, the model's turns, and
the results of its calls. Nothing here comes from a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import Field

from bot.models.fact import Fact

Stop = Literal["answered", "calls", "cut", "paused", "refused", "full"]
"""End of a turn: an answer; tool calls; the length limit; a pause, to be continued; a refusal; a full context
window."""


_THOUGHTS = ("thinking", "redacted_thinking")
"""Types of blocks whose turn may not be changed."""


class Usage(Fact):
    """Token counts by kind, as reported by the server. No token counts twice."""

    input_tokens: int = Field(default=0, ge=0)
    """Tokens read in full, neither from the cache nor into it."""
    cache_read_tokens: int = Field(default=0, ge=0)
    cache_write_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)

    @property
    def read(self) -> int:
        """Return the tokens that the model has read."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        """Return the tokens read and written."""
        return self.read + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        """Add the counts of two calls."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, kw_only=True)
class ToolForm:
    """The description of a tool for the model."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call by the model, unchecked: `input` may be any JSON value."""

    call_id: str
    tool: str
    input: Any


@dataclass(frozen=True)
class Prompt:
    """Instructions. The fixed ones come first in a history; those for this run alone may follow as another entry."""

    text: str


@dataclass(frozen=True)
class CodeMessage:
    """A message from code to the model: the question, a correction, a warning."""

    text: str


@dataclass(frozen=True)
class Recalled:
    """A reply of the agent in an earlier run, as text: its calls and thoughts are no longer known."""

    text: str


@dataclass(frozen=True, kw_only=True)
class ReplyFigures:
    """Figures of the call that returned a turn."""

    first_seconds: float
    """Seconds until the first content of the answer."""
    seconds: float
    is_streamed: bool
    is_counted: bool
    """True if the server reported the tokens."""
    sent: tuple[str, ...] = ()
    """Parameters that the server accepted in this call."""
    left_out: tuple[str, ...] = ()
    """Parameters that the call was made without, since the server refused a request with them."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One answer of the model."""

    text: str
    calls: tuple[Call, ...]
    stop: Stop
    usage: Usage
    content: tuple[dict[str, Any], ...]
    """The blocks as received, including thinking: they are sent back unchanged."""
    model: str = ""
    """The server's name for the model that answered."""
    figures: ReplyFigures | None = field(default=None, compare=False)

    @property
    def has_usage(self) -> bool:
        """Return whether the server has counted the turn's tokens; a turn that counts nothing is not free."""
        return self.usage.read > 0 and (self.usage.output_tokens > 0 or not self.content)

    def without_words(self) -> Turn:
        """Return the turn without its texts, for sending it back; all other blocks are unchanged.

        A turn with a thought is returned as it is: a thought is only valid after all that stood before it.
        """
        if any(block.get("type") in _THOUGHTS for block in self.content):
            return self
        return replace(self, content=tuple(block for block in self.content if block.get("type") != "text"))


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one call."""

    call_id: str
    text: str
    failed: bool = False
    was_run: bool = True
    """False for a call that was not run, which is no failure."""


@dataclass(frozen=True)
class Results:
    """The results of all calls of one turn, in their order."""

    results: tuple[Result, ...]


Entry = Prompt | CodeMessage | Recalled | Turn | Results
