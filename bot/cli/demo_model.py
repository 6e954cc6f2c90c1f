"""Check of the demo's model: one short call, whose failure a person at the terminal reads."""

from __future__ import annotations

from bot.adapters.claude import Server
from bot.errors import TriageError
from bot.models.model_parameters import ModelParameters
from bot.models.model_request import ModelRequest
from bot.models.turn import CodeMessage, Prompt

SECONDS = 30.0
"""Limit of the call; a server on this machine may have to load its model first."""

_MOST_TOKENS = 16
"""Enough for a word; nobody reads it."""


async def find_model_fault(url: str, name: str, *, seconds: float = SECONDS) -> str:
    """Return the reason why this server does not serve the model, as a sentence; empty if it does."""
    server = Server(key=None, base_url=url, timeout=seconds)
    request = ModelRequest(
        history=(Prompt("Answer with one word."), CodeMessage("Say pong.")), tools=(), form=None, seconds=seconds
    )
    try:
        await server.model(name, ModelParameters(max_tokens=_MOST_TOKENS)).reply(request)
    except TriageError as problem:
        return f"The model {name} at {url} cannot be used: {problem}. Meanwhile the keyword engine drafts."
    finally:
        await server.close()
    return ""
