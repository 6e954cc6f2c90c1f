"""Replicas of `triage demo --replicas N`: bots on one database, each started again when it dies."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.cli.announcements import READY, STANDING_BY
from bot.cli.local_bot import end_bot, start_bot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sandbox.server import Sandbox

RESTART_AFTER = 0.5
"""Seconds between a replica's death and its next start."""


async def keep_replicas(
    workspace: Sandbox, home: Path, config: Path, database_url: str, count: int, say: Callable[[str], None]
) -> None:
    """Keep this number of replicas running until cancelled; `say` takes a line about each change."""
    async with asyncio.TaskGroup() as group:
        for number in range(1, count + 1):
            group.create_task(_keep_replica(workspace, home / f"replica-{number}", config, database_url, number, say))


async def _keep_replica(
    workspace: Sandbox, home: Path, config: Path, database_url: str, number: int, say: Callable[[str], None]
) -> None:
    while True:
        process = await start_bot(workspace, home, config, variables={"TRIAGE_DATABASE_URL": database_url})
        try:
            assert process.stdout is not None  # noqa: S101  # it was asked for
            async for line in process.stdout:
                text = line.decode(errors="replace")
                if text.startswith(STANDING_BY):
                    say(f"Replica {number} (process {process.pid}) stands by.")
                elif text.startswith(READY):
                    say(f"Replica {number} (process {process.pid}) leads. Kill it, and another one goes on.")
            code = await process.wait()
            say(f"Replica {number} ended (code {code}). Starting it again…")
        finally:
            await end_bot(process)
        await asyncio.sleep(RESTART_AFTER)
