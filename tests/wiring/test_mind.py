"""The chat agent's mind as the bot puts it together: settings, environment and the engine's ground."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.home import Home
from bot.agents.engines import Engines
from bot.agents.keyword import KeywordEngine
from bot.chat.agent import ChatAgent, ChatAgentFactory
from bot.chat.toolbox import Taint
from bot.config.environment import read_environment
from bot.config.settings import Settings
from bot.decide.redaction.redactor import Redactor
from bot.models.conversation import ChatContext
from bot.wiring.engines import build_engines, build_mind
from bot.wiring.file_storage import FileStorage
from tests.chat.crew import handler
from tests.chat.talk import asker, wording
from tests.fakes import HandClock, MemoryJournal
from tests.model_server import Answer, ModelServer, Script, says, status


def agent_of(made: ChatAgentFactory) -> ChatAgent:
    """One turn of the admin's talk."""
    silent: Any = None
    return made.create_agent(asker=asker(), context=ChatContext(), respond=None, indicator=silent, taint=Taint())


def put_together(home: Path, redactor: Redactor, **settings: Any) -> tuple[ChatAgentFactory, Engines]:
    """A mind and the engine beside it, as `app` has them."""
    read = Settings(**settings)
    made = build_engines(
        read,
        read_environment(),
        Home(home),
        FileStorage(home),
        clock=HandClock(),
        redactor=redactor,
        replies=MemoryJournal(),
        tell=lambda line: None,
    )
    new = build_mind(
        read,
        read_environment(),
        handler(redactor=redactor),
        made.runtime,
        wording(),
    )
    return new, made


@asynccontextmanager
async def minded(
    home: Path, script: Script, redactor: Redactor | None = None, **settings: Any
) -> AsyncIterator[tuple[ChatAgentFactory, Engines, ModelServer]]:
    """The same on a server that plays this."""
    async with ModelServer(script) as server:
        settings.setdefault("model", {"base_url": server.url, "max_retries": 0})
        made, thinkers = put_together(home, redactor or Redactor(), **settings)
        await thinkers.start()
        try:
            yield made, thinkers, server
        finally:
            await thinkers.close()


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({"engine": "keyword"}, None),
        ({"engine": "claude", "chat": {"enabled": False}}, None),
        ({"engine": "claude"}, "claude-opus-5-5"),
        ({"engine": "claude", "chat": {"model": "small"}}, "small"),
        ({"engine": "keyword", "chat": {"enabled": True}}, "claude-opus-5-5"),
    ],
)
async def test_a_mind_is_ready_where_the_settings_name_a_model(
    tmp_path: Path, settings: dict[str, Any], model: str | None
) -> None:
    """Whatever drafts beside it; without one it is never ready, and no key changes that."""
    async with minded(tmp_path, [says("Good day.")] if model else [], **settings) as (made, thinkers, _):
        assert (made.is_ready, made.model) == (model is not None, model)
        assert isinstance(thinkers.engine, KeywordEngine) is (settings["engine"] == "keyword")
        assert await made.reload_credentials() is (model is not None)
        if model:
            agent = agent_of(made)
            await agent.chat("hello", "Ana", ())
            assert agent.last_text == "Good day."
            assert thinkers.ledger
            assert thinkers.ledger.spent > 0 or model == "small"


async def test_a_key_that_is_replaced_in_its_file_serves_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the agents that draft, too, who ask the same server; the new key is a secret from then on."""
    path = tmp_path / "key"
    path.write_text("old" + "-key-0001")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(path))
    redactor = Redactor()
    script: list[Answer] = [status(401), says("Good day."), says("Again.")]
    async with minded(tmp_path / "home", script, redactor, engine="claude") as (made, _, server):
        new = "new" + "-key-0002"
        path.write_text(new)
        agent = agent_of(made)
        await agent.chat("hello", "Ana", ())
        assert agent.last_text == "Good day."
        assert await agent_of(made).summarize("Ana: hello") == "Again."
    assert [headers["Authorization"] for headers in server.headers] == [
        f"Bearer {key}" for key in ("old" + "-key-0001", new, new)
    ]
    assert redactor.redact(f"it is {new}") == "it is [redacted]"


async def test_without_a_key_a_mind_is_ready_once_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anthropic's own server is asked for nothing until then; a file that went missing changes nothing."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    made, _ = put_together(tmp_path, Redactor(), engine="claude")
    assert not made.is_ready
    assert not await made.reload_credentials()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "later" + "-key-0003")
    assert await made.reload_credentials()
    assert made.is_ready


async def test_a_key_file_that_went_missing_leaves_the_old_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log says so."""
    path = tmp_path / "key"
    path.write_text("old" + "-key-0001")
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", str(path))
    made, _ = put_together(tmp_path / "home", Redactor(), engine="claude")
    path.unlink()
    assert not await made.reload_credentials()
    assert made.is_ready


async def test_a_turn_and_a_summary_have_their_own_sizes(tmp_path: Path) -> None:
    """A note is written in a call; a summary is short, with room for thoughts that nobody asked for."""
    async with minded(tmp_path, [says("a"), says("b")], engine="claude") as (made, _, server):
        await agent_of(made).chat("hello", "Ana", ())
        await agent_of(made).summarize("Ana: hello")
    assert [body["max_tokens"] for body in server.requests] == [8_192, 2_048]
