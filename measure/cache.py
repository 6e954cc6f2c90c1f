"""Use of the prompt cache by runs of fifteen calls over this repository: `python -m measure.cache`.

The loop, the ledger, the tools and the HTTP calls are the real ones; the model is scripted, and its server caches by
the API's documented rules (`tests/prompt_cache.py`), at four characters a token. The exit code tells whether each goal
is met.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.clock import SystemClock
from bot.agents.answers import Prose
from bot.agents.run import Task
from bot.config.environment import Environment
from bot.config.model_parameters import investigator_parameters
from bot.config.settings import Settings
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.tools.file_tools import FileTools
from bot.tools.guard import Guard
from bot.tools.read_log import ReadLog
from bot.wiring.engines import build_llm_runtime
from bot.wiring.file_storage import FileStorage
from prompts.render import render
from tests.model_server import Body, ModelServer, calls, says

if TYPE_CHECKING:
    from bot.models.turn import Usage

ROOT = Path(__file__).resolve().parent.parent
PATHS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "bot" / "decide").glob("*.py"))[:15]
SHAPES = {"one a turn": (1,) * 15, "five a turn": (5,) * 3, "three, then twelve": (3, 12)}
SHARE = 0.85
"""Goal: tokens from the cache, of all tokens read, with one call a turn."""


@dataclass(frozen=True, kw_only=True)
class CacheUse:
    """Tokens and cost of one run, and the size of its last request."""

    usage: Usage
    usd: float
    last: int

    @property
    def share(self) -> float:
        """Return the share of the tokens read that came from the cache."""
        return self.usage.cache_read_tokens / self.usage.read

    @property
    def written_twice(self) -> int:
        """Return the tokens that were written to the cache more than once."""
        return self.usage.cache_write_tokens - self.last


def script(shape: tuple[int, ...]) -> list[Body]:
    """Turns with so many calls each, and an answer."""
    paths = iter(PATHS)
    return [*(calls(*(("read_file", {"path": next(paths)}) for _ in range(number))) for number in shape), says("Done.")]


async def measure(shape: tuple[int, ...], home: Path) -> CacheUse:
    """Make one run."""
    async with ModelServer(script(shape)) as server:
        model: Any = {"base_url": server.url, "max_usd_per_day": 1_000}
        settings = Settings(model=model)
        runtime = build_llm_runtime(settings, Environment(), FileStorage(home), clock=SystemClock(), tell=print)
        await runtime.start()
        loop = runtime.loop(settings.investigator.model, investigator_parameters(settings))
        guard = Guard(redactor=Redactor(), new_nonce=lambda: secrets.token_hex(6))
        task = Task(
            agent="investigator",
            prompt=render("investigator"),
            question="Which limits are there?",
            tools=FileTools(root=ROOT, guard=guard, read_log=ReadLog()).tools,
            form=Prose,
            limits=RunLimits(usd=1_000, tokens=100_000_000),
        )
        session = (await loop.run(task)).session
        await runtime.close()
    last = server.cache.sizes[-1]
    return CacheUse(usage=session.usage, usd=session.cost_usd or 0.0, last=last)


async def main() -> int:
    """Print the figures of each shape."""
    row = "{:<20} {:>9} {:>10} {:>9} {:>7} {:>14} {:>8}"
    lines = [row.format("15 calls", "uncached", "from cache", "into it", "share", "written twice", "cost")]
    is_met = True
    for name, shape in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            use = await measure(shape, Path(folder))
        usage = use.usage
        counts = [f"{n:,}" for n in (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)]
        lines.append(row.format(name, *counts, f"{use.share:.1%}", f"{use.written_twice:,}", f"${use.usd:.3f}"))
        is_met &= usage.input_tokens == 0 and use.written_twice == 0
        is_met &= use.share >= SHARE or len(shape) < 15
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
