"""The line with agents on a model: from a question to a reply, against a model server on loopback, by sockets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.line.human import shows
from tests.line.play import Play
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from bot.app import Bot
    from tests.line.conftest import Line

QUESTION = "how often is a payment tried again?"


@asynccontextmanager
async def agents(line: Line, play: Play, *, model: str = "", more: str = "", **options: Any) -> AsyncIterator[Bot]:
    """A bot whose engine is the agents on this play's model; `model` and `more` are further lines of the settings."""
    async with ModelServer(play) as server:
        section = f"engine: claude\nmodel:\n  base_url: {server.url}\n  max_retries: 0\n{model}{more}"
        async with line.bot(more=section, **options) as bot:
            yield bot


def sessions(line: Line) -> list[dict[str, Any]]:
    """The records of the runs, oldest first."""
    kept = [json.loads(path.read_text()) for path in (line.home / "sessions").glob("*.json")]
    return sorted(kept, key=lambda session: session["started_at"])


def document(line: Line) -> dict[str, Any]:
    """The one thread's document."""
    (path,) = (line.home / "state").glob("*.json")
    (thread,) = json.loads(path.read_text())["thread"].values()
    found: dict[str, Any] = thread
    return found


async def test_question_investigation_validation_approval_reply(line: Line) -> None:
    """Tool calls, findings, evidence check, validator, card, press, reply; each run is on record."""
    play = Play()
    async with agents(line, play):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Three times", "✓ validated", "claude-opus-5-5", "Spot-check", '"approve"')
        assert shows(card, "Not checked: consistency with other threads")
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        assert shows(reply, "Three times")
    first, second = sessions(line)
    assert (first["agent"], first["outcome"], first["num_turns"], first["tool_calls"]) == (
        "investigator",
        "answered",
        3,
        2,
    )
    assert (second["agent"], second["parent_session_id"]) == ("validator", first["session_id"])
    assert first["cost_usd"] > 0
    thread = document(line)
    assert [run["session_id"] for run in thread["runs"]] == [first["session_id"], second["session_id"]]
