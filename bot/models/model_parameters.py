"""Parameters of an agent's calls to its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["low", "medium", "high", "xhigh", "max"]
"""Depth of an answer, from its thoughts to its calls."""


@dataclass(frozen=True, kw_only=True)
class ModelParameters:
    """Parameters of each call. Only `max_tokens` is known to every server; the others are sent where they are set."""

    max_tokens: int
    """Maximum number of tokens in one turn, thoughts included."""
    effort: Effort | None = None
    thinks: bool = False
    """True to request adaptive thinking."""
    strict: bool = False
    """True to request that calls of tools fit their schemas."""
    states_form: bool = False
    """True to state the form of an answer in the prompt, too, for servers that ignore the parameter for it."""
    plain: bool = False
    """True to send nothing but the oldest fields: one prompt as text, no form, no markers for the cache."""
    streams: bool = True
    """False to request one JSON answer instead of a stream."""

    def name_sent(self, *, has_tools: bool, has_form: bool) -> tuple[str, ...]:
        """Return the names of the parameters that a request with or without tools and a form sends."""
        sent = {
            "strict tools": self.strict and has_tools,
            "effort": self.effort,
            "thinking": self.thinks,
            "the form of the answer": has_form and not self.plain,
            "cache markers": not self.plain,
            "streams": self.streams,
        }
        return tuple(name for name, is_sent in sent.items() if is_sent)
