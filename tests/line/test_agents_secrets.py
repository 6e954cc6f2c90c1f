"""Canaries through the whole loop: secrets planted wherever an agent reads, looked for in every request to a model."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.models.answer_change import MAX_UNCHECKED_CHARS
from tests.adapters.test_mcp import PROGRAM
from tests.line.agents import agents
from tests.line.human import shows, until
from tests.line.play import READ, Play, found, judged
from tests.model_server import calls
from tests.tools.conftest import LOADED, TOKEN, commit, git

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.line.conftest import Line

IN_ENVIRONMENT = "a-pass" + "word-of-this-" + "machine-0815"
IN_A_COMMIT = "gl" + "pat-" + "q1W2e3R4t5Y6u7I8o9P0"
CANARIES = (TOKEN, LOADED, IN_ENVIRONMENT, IN_A_COMMIT)
QUESTION = f"how often is a payment tried again with {TOKEN}?"

MCP = f"""
mcp:
  servers:
    logs:
      command: [{sys.executable}, {PROGRAM}]
      tools: {{echo_secret: read_only, query_logs: read_only}}
      env: [LOGS_TOKEN]
"""

LOOKS_EVERYWHERE = (
    calls(
        ("read_file", {"path": "mirror.py"}),
        ("read_file", {"path": ".env"}),
        ("read_file", {"path": f"{LOADED}.py"}),
        ("search", {"text": "MIRROR"}),
        ("search", {"text": TOKEN[:12]}),
        ("glob", {"pattern": "**"}),
    ),
    calls(
        ("git_log", {}),
        ("git_show", {"ref": "HEAD"}),
        ("git_show", {"ref": "HEAD~1"}),
        ("git_blame", {"path": "mirror.py", "first": 1}),
        ("search_knowledge", {"question": "which token does the mirror use?"}),
    ),
    calls(("logs_echo_secret", {}), ("logs_query_logs", {"query": TOKEN, "limit": 2})),
    READ,
    found(),
)


def planted(shop: Path) -> None:
    """A repository with a secret in each place that an agent may read."""
    git(shop, "init", "--quiet", "--initial-branch=main")
    git(shop, "add", ".")
    (shop / "notes").mkdir()
    (shop / "notes" / "mirror.md").write_text(f"The mirror of the shop uses the token {TOKEN}.\n")
    commit(shop, f"Use {IN_A_COMMIT} for the mirror", old_py=f'MIRROR = "{IN_A_COMMIT}"\n')
    files = {"mirror_py": f'MIRROR_TOKEN = "{TOKEN}"\nMIRROR_PASSWORD = "{IN_ENVIRONMENT}"\nLOGS = "{LOADED}"\n'}
    commit(shop, "Name the mirror", dot_env=f"MIRROR={TOKEN}\n", **files)


async def test_no_canary_is_in_any_request_to_the_model(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """File, note, environment, commit, blame, MCP answer, tool error and the question itself: 0 of all."""
    monkeypatch.setenv("LOGS_TOKEN", LOADED)
    monkeypatch.setenv("MIRROR_PASSWORD", IN_ENVIRONMENT)
    shop = line.folder / "shop"
    planted(shop)
    settings = line.configure(more=MCP)
    redactor = Redactor(secret_values(os.environ, also=settings.mcp.variables))
    reads = calls(("read_file", {"path": "mirror.py"}), ("read_file", {"path": "orders.py"}))
    play = Play(investigator=(LOOKS_EVERYWHERE,), validator=((reads, judged()),))
    async with agents(line, play, more=MCP, redactor=redactor):
        await line.ana.say(QUESTION)
        await until(lambda: play.of("validator"))
        card = await line.olu.card("✓ validated", '"approve"')
    last = play.of("investigator")[-1]
    results = [block for message in last["messages"] for block in message["content"] if block["type"] == "tool_result"]
    assert len(results) == sum(len(turn["content"]) for turn in LOOKS_EVERYWHERE[:-1])
    shown = [str(block["content"]) for block in results]
    assert sum("[redacted]" in text for text in shown) >= 7
    assert "connected with [redacted]" in shown[11]
    told = [block for block in _blocks(play) if block["type"] != "tool_use"]  # what the script itself says is no leak
    assert [canary for canary in CANARIES if canary in json.dumps(told)] == []
    assert not any(shows(card, canary) for canary in CANARIES)
    kept = "".join(path.read_text() for path in line.home.rglob("*.json"))
    assert not [canary for canary in CANARIES[1:] if canary in kept]


def _blocks(play: Play) -> list[dict[str, object]]:
    """All that was sent in any request: messages, prompts and tools."""
    blocks: list[dict[str, object]] = []
    for body in play.asked:
        blocks += [block for message in body["messages"] for block in message["content"]]
        blocks += [*body["system"], *({"type": "tool", **tool} for tool in body["tools"])]
    return blocks


async def test_unchecked_notes_hold_no_secret_wherever_they_are_cut(line: Line) -> None:
    """Of an answer that does not fit: not behind the card, not on disk, and not by half at the end of the notes."""
    for filler in (0, MAX_UNCHECKED_CHARS - 40):
        asked = f"{filler}: how often is a payment tried again?"
        words = f"{'x ' * (filler // 2)}The mirror uses {TOKEN} today."
        unusable = found(confidence="certain", draft_reply=words)
        async with agents(line, Play(investigator=((unusable,),))):
            await line.ana.say(asked)
            card = await line.olu.card(asked, "Without the model")
            await line.olu.evidence(card, "Unchecked notes")
    kept = [path.read_text() for path in line.home.rglob("*") if path.is_file() and path.suffix in (".json", ".md")]
    assert any("The mirror uses [redacted]" in text for text in kept)
    assert not any(TOKEN[:10] in text for text in kept)
