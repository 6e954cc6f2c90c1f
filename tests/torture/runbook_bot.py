"""A bot in a torture of runbooks: it runs one approved remedy, and writes down the end that its thread would save.

Orders for its faults stand in `bot-1.json` beside the home, and so on, one file for each bot that is started.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.adapters.clock import SystemClock
from bot.adapters.journal import NdjsonJournal
from bot.config.sections.health import RunbookSection
from bot.decide.redaction.redactor import Redactor
from bot.health.runbooks import RunbookRunner
from bot.models.incident import Remedy
from bot.runtime import failpoints
from bot.runtime.program_process import pick_variables
from bot.runtime.program_runner import ProgramRunner
from tests.torture.faults import Faults, read, take_orders

PROCESS = (sys.executable, str(Path(__file__).with_name("runbook_process.py")))


async def main(lane: Path) -> None:
    """One bot's life."""
    if orders := take_orders(lane, "bot"):
        failpoints.arm(Faults(read(orders)))
    remedy = Remedy.model_validate_json((lane / "remedy.json").read_text())
    audit = NdjsonJournal(lane / "home" / "audit.ndjson", stop=None, may_refuse=False)
    runner = RunbookRunner(
        programs=ProgramRunner(
            parent=lane / "home" / "runbooks",
            environment=pick_variables(os.environ),
            audit=audit,
            redactor=Redactor(),
            clock=SystemClock(),
            process=PROCESS,
        ),
        cwd=lane,
        runbooks=[RunbookSection(name=remedy.runbook, argv=remedy.argv, services=("shop-api",))],
        is_failing=lambda _: True,
        is_back=lambda _: False,
    )
    end = await runner.run(remedy)
    await audit.close()
    (lane / "end.tmp").write_text(end.model_dump_json())
    (lane / "end.tmp").replace(lane / "end.json")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
