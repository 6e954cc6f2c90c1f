"""The ground of the agents, put together from settings as the bot does it, against a model server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from bot.agents.llm_runtime import LlmRuntime
from bot.agents.run import Task
from bot.config.environment import read_environment
from bot.config.settings import Settings
from bot.errors import NoKey, OverCap
from bot.wiring.engines import build_llm_runtime
from bot.wiring.file_storage import FileStorage
from tests.fakes import HandClock
from tests.model_server import ModelServer, says


class Found(BaseModel):
    """The form of the answer."""

    limit: int


def made(home: Path, told: list[str], **model: Any) -> LlmRuntime:
    """The ground for settings with this section `model`."""
    return build_llm_runtime(
        Settings(model=model),
        read_environment(),
        FileStorage(home),
        clock=HandClock(),
        tell=told.append,
    )


async def answer(ground: LlmRuntime) -> int | None:
    """What one run on the newest model finds."""
    task = Task(agent="a", prompt="p", question="q", tools=(), form=Found, limits=ground.limits)
    run = await ground.loop("claude-opus-5-5").run(task)
    return run.answer.limit if run.answer else None


async def test_a_run_leaves_its_record_and_counts_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens by kind, cost by the table of prices, outcome; the next start knows what the day has cost."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant" + "-x")
    usage = {"input_tokens": 100_000, "cache_read_input_tokens": 100_000, "output_tokens": 8_000}
    told: list[str] = []
    async with ModelServer([says('{"limit": 3}', usage=usage)]) as server:
        first = made(tmp_path, told, base_url=server.url, max_usd_per_day=0.60)
        await first.start()
        assert await answer(first) == 3
        await first.close()
        again = made(tmp_path, told, base_url=server.url, max_usd_per_day=0.60)
        await again.start()
        with pytest.raises(OverCap):
            await answer(again)
        await again.close()
    record, refused = (json.loads(path.read_text()) for path in sorted((tmp_path / "sessions").iterdir()))
    assert (refused["outcome"], refused["num_turns"], refused["cost_usd"]) == ("over_cap", 0, 0)
    assert (record["outcome"], record["num_turns"], record["model"]) == ("answered", 1, "claude-opus-5-5")
    assert record["usage"] | {"cache_write_tokens": 0} == {
        "input_tokens": 100_000,
        "cache_read_tokens": 100_000,
        "cache_write_tokens": 0,
        "output_tokens": 8_000,
    }
    assert record["cost_usd"] == pytest.approx(0.40 + 0.02 + 0.16)
    assert [line.partition(" $")[0] for line in told] == [
        "The agents have cost",
        "The agents' money for today is used up:",
    ]


async def test_without_a_key_a_run_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variable's name; nothing was spent."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    ground = made(tmp_path, [])
    with pytest.raises(NoKey, match="ANTHROPIC_API_KEY"):
        await answer(ground)
    assert ground.ledger.spent == 0


def test_a_run_leaves_time_for_the_keyword_engine(tmp_path: Path) -> None:
    """Of the five minutes that an investigation has."""
    assert made(tmp_path, []).limits.seconds == 270
