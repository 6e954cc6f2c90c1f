"""A bot whose agents think on a scripted model, and what it leaves behind, for the tests of the line."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line
    from tests.line.play import Play

QUESTION = "how often is a payment tried again?"


@asynccontextmanager
async def agents(line: Line, play: Play, *, model: str = "", more: str = "", **options: Any) -> AsyncIterator[Bot]:
    """A bot whose engine is the agents; `model` are further keys of that section, `more` further sections."""
    import anthropic  # noqa: F401  # it takes seconds, which are none of a person's patience nor of a worker without it

    async with ModelServer(play) as server:
        keys = f"{{base_url: '{server.url}', max_retries: 0{', ' if model else ''}{model}}}"
        async with line.bot(more=f"engine: claude\nmodel: {keys}\n{more}", **options) as bot:
            yield bot


def sessions(line: Line) -> list[dict[str, Any]]:
    """The records of the runs, oldest first."""
    kept = [json.loads(path.read_text()) for path in (line.home / "sessions").glob("*.json")]
    return sorted(kept, key=lambda session: str(session["started_at"]))


def document(line: Line) -> dict[str, Any]:
    """The one thread's document."""
    (path,) = (line.home / "state").glob("*.json")
    (thread,) = json.loads(path.read_text())["thread"].values()
    kept: dict[str, Any] = thread
    return kept


def papers(line: Line) -> list[dict[str, Any]]:
    """What the runs of the one thread left in its folder: the investigation, then its validation."""
    return [json.loads(path.read_text()) for path in sorted((line.home / "tasks").glob("*/*-*.json"))]
