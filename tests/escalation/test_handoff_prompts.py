"""Prompts of tiers (spec 3): a wish for the next tier is a field of the answer, and its handoff is in the prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from tests.escalation.bench import Bench, gives, looks
from tests.escalation.builders import SECOND
from tests.escalation.test_handoff_forms import WATCH
from tests.model_server import ModelServer


async def asked(bench: Bench, tier: Literal[2, 3], handed: dict[str, Any]) -> tuple[str, str, set[str]]:
    """System prompt, question and tools of a run."""
    async with ModelServer([looks(), gives()]) as server:
        settings = f"engine: claude\nmodel: {{base_url: '{server.url}', max_retries: 0}}"
        bench.begin(settings, tier=tier, parent_session_id=SECOND, handoff={"kind": "watch", **handed})
        assert await bench.run("sk-ant" + "-test-0003") == 0
    first = server.requests[0]
    tools = {tool["name"].lower() for tool in first["tools"]}
    return first["system"][0]["text"], first["messages"][0]["content"][-1]["text"], tools


@pytest.mark.parametrize("tier", [2, 3])
async def test_a_prompt_has_the_whole_handoff(bench: Bench, tier: Literal[2, 3]) -> None:
    """Scenarios "Tier 2 receives handoff context via system prompt", "Tier 3 receives handoff context via system
    prompt" and "Tier 2 receives complete failure context": beside the question, as text of others."""
    given = {"recommended_tier": tier} if tier == 3 else {"recommended_tier": tier, "investigation_findings": None}
    _, question, _ = await asked(bench, tier, WATCH | given)
    context = question.partition("## Escalation Context\n")[2]
    for name in ("services_affected", "check_results", "cooldown_state"):
        assert name in context
    assert "caddy" in context
    assert "timeout" in context
    assert ("The disk is full." in context) == (tier == 3)


async def test_no_tier_is_told_to_start_another(bench: Bench) -> None:
    """Scenarios "Tier 2 prompt writes handoff instead of spawning Task" and "Task tool removed from allowed tools":
    it says so in its answer, and has no tool for it."""
    system, _, tools = await asked(bench, 2, WATCH)
    assert "`escalation_requested`" in system
    assert "Nothing that you return starts another run." in system
    assert "Task tool" not in system
    assert tools
    assert not [name for name in tools if "task" in name or "agent" in name or "write" in name]


def test_tier_1_asks_by_a_field_of_its_answer() -> None:
    """Scenario "Tier 1 prompt writes handoff instead of spawning Task"."""
    prompt = (Path(__file__).parents[2] / "prompts" / "investigator.md").read_text()
    assert "`escalation_requested`: true only when" in prompt
    assert "Task tool" not in prompt
