"""What a talk with the chat agent costs before the model thinks: the fixed prefix, and the bot's own time.

Run as `python -m measure.chat`. The model server is on loopback and answers immediately; tokens are counted as four
characters each.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from typing import Any

from bot.adapters.claude import ClaudeModel, Server
from bot.commands.catalogue import CATALOGUE
from bot.models.model_parameters import ModelParameters
from tests.chat.talk import Talk
from tests.model_server import Body, ModelServer, calls, says

TURNS, UNCOUNTED = 100, 10


def plays(body: Body) -> Any:
    """A call of the command that says how it goes, then words."""
    return says("Fine.") if len(body["messages"]) > 1 else calls((CATALOGUE["status"].tool_name, {}))


async def main() -> None:
    """Print the figures."""
    took = []
    async with ModelServer(plays) as server:
        there = Server(key=None, base_url=server.url, timeout=20)
        for _ in range(TURNS):
            talk = Talk(ClaudeModel(there, "scripted", ModelParameters(max_tokens=1_000)))
            began = time.perf_counter()
            await talk.agent().chat("how does it go?", "Ana", ())
            took.append((time.perf_counter() - began) * 1_000)
        await there.close()
    body = server.requests[-1]
    tools, prompt, now = json.dumps(body["tools"]), *(block["text"] for block in body["system"])
    parts = {f"tools, {len(CATALOGUE)} commands": tools, "prompt": prompt, "what holds now": now}
    for name, text in parts.items():
        sys.stdout.write(f"{name}: {len(text):,} characters, about {len(text) // 4:,} tokens\n")
    counted = sorted(took[UNCOUNTED:])
    worst = counted[int(0.95 * len(counted))]
    sys.stdout.write(f"question, call, answer: {statistics.median(counted):.1f} ms, 95 in 100 below {worst:.1f} ms\n")


if __name__ == "__main__":
    asyncio.run(main())
