"""Bot as a separate process, connected to a local workspace."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import IO, TYPE_CHECKING

from bot.cli.announcements import READY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sandbox.server import Sandbox

_PATIENCE = 10.0
"""Seconds between SIGINT and SIGKILL."""


async def start_bot(
    workspace: Sandbox,
    home: Path,
    config: Path,
    *,
    errors: IO[bytes] | None = None,
    variables: Mapping[str, str] | None = None,
) -> asyncio.subprocess.Process:
    """Start `triage run`, without real tokens but with these `variables`; it ends with this process.

    `errors` takes its standard error.
    """
    from sandbox.seed import APP_TOKEN, BOT_TOKEN

    real = ("SLACK_", "ANTHROPIC_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")  # real tokens, and proxies to the network
    inherited = {key: value for key, value in os.environ.items() if not key.upper().startswith(real)}
    tokens = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": workspace.api_url}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(config), "--home", str(home), "--stop-with-stdin"),
        *("--env-file", os.devnull),  # no real token beside settings of one's own
        env=inherited | tokens | dict(variables or {}),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
    )


async def is_ready(process: asyncio.subprocess.Process) -> bool:
    """Wait until a bot is ready, or has ended before; return whether it is ready."""
    assert process.stdout is not None  # noqa: S101  # it was asked for
    return (await process.stdout.readline()).decode(errors="replace").startswith(READY)


async def end_bot(process: asyncio.subprocess.Process) -> None:
    """End a bot, unless it has ended."""
    if process.returncode is None:
        process.send_signal(signal.SIGINT)  # nobody waits for its drafts
        try:
            await asyncio.wait_for(process.wait(), _PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
