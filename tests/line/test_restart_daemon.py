"""`restart_daemon` on a real process: it drains, and another one takes its place with the same arguments."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.cli.announcements import READY
from tests.forks import CLEAN, ROOT, begun
from tests.line.human import cards, shows, until
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.line.conftest import Line

PATIENCE = 60.0


@asynccontextmanager
async def running(line: Line) -> AsyncIterator[asyncio.subprocess.Process]:
    """`triage run`, with relative paths and an option that a new process must have, too."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", "triage.yml", "--home=home", "--stop-with-stdin"),
        cwd=line.folder,
        env={**CLEAN, **line.variables, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        await says(process, READY)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def says(process: asyncio.subprocess.Process, words: str) -> None:
    """Read its output up to a line that begins like this."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        while not (line := await process.stdout.readline()).startswith(words.encode()):
            assert line, f"it ended before it said {words}"


@pytest.mark.long
async def test_the_process_is_replaced_once_and_the_answer_comes_after_it(line: Line) -> None:
    """The same id, arguments and environment; work goes on, and wrong settings end nothing."""
    line.writes(more=ADMINS)
    async with running(line) as process:
        command = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ada.command("restart_daemon")
        asked = await line.ada.card("Not done yet", "restart_daemon", "command_confirm")
        valid = line.config.read_text()
        line.config.write_text("operators: 5\n")
        await line.ada.press("command_confirm", asked)
        assert shows(await line.ada.card("a new process would not start"), "operators")
        line.config.write_text(valid.replace("admins: [U0ADMIN]", "admins: [U0ADMIN]\ntimezone: Asia/Kolkata"))
        await line.ada.command("restart_daemon")
        asked = await line.ada.card("Not done yet", "restart_daemon", "command_confirm")
        await line.ada.press("command_confirm", asked)
        await says(process, "Restarting.")
        await says(process, READY)
        done = await line.ada.card("Triage has restarted")
        assert done["ts"] == asked["ts"]
        assert Path(f"/proc/{process.pid}/cmdline").read_bytes() == command
        assert "timezone: Asia/Kolkata" in await line.ada.command("config timezone")
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await line.olu.card("The reply is posted.")
        assert len([card for card in cards(await line.ada.now()) if shows(card, "has restarted")]) == 1
        process.send_signal(signal.SIGTERM)
        await says(process, "Stopped.")
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    audit = [record for record in records(line.home / "audit.ndjson") if record.get("action") == "restart_daemon"]
    outcomes = [(record["outcome"], record.get("settled")) for record in audit]
    assert outcomes == [("asked", None), ("failed", "confirmed"), ("asked", None), ("done", "confirmed")]
    assert not (line.home / "control.sock").exists()


async def test_a_start_names_the_state_and_the_modes_that_commands_have_set(line: Line) -> None:
    """And not those of the settings, which they override."""
    line.writes()
    line.home.mkdir()
    (line.home / "controls.json").write_text('{"state": "paused", "modes": {"C0HELP": "preview"}}')
    with begun("run", "--config", str(line.config), "--home", str(line.home), variables=line.variables) as bot:
        await until(lambda: "  reactions: " in bot.out.read_text())
        text = bot.out.read_text()
    assert "watching #help-platform (preview), " in text
    assert "#help-platform (live)" not in text
    assert "  paused: `/triage resume` lets it go on\n" in text
