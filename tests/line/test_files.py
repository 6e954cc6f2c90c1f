"""Text files that are sent with a question, on the whole line: read where the settings say so, else only named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.adapters.purge import purge
from bot.models.purge_criterion import Criterion
from sandbox.server import Sandbox
from tests.fakes import HeldEngine
from tests.line.human import Human, shows, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line

LOG = "\n".join([*(f"step {number}" for number in range(9)), "RETRY_LIMIT was reached"])


CHAT = "- {chat_id: C0SHARED, name: shared-partner, mode: live}"


@pytest.mark.parametrize("reads", [True, False])
async def test_a_file_is_read_where_the_settings_say_so(line: Line, reads: bool) -> None:
    """Its words go to the engine, and the card names no unread file; off, all is as Slack shows it.

    So it is with the file of somebody of another company, which its event only names; a start reads it again. What
    `purge` takes out leaves no word of it.
    """
    port = line.workspace.port
    await line.workspace.close()
    line.workspace = await Sandbox.start(port=port, shared=True)
    rita = Human(line.workspace.url, "U0RITA")
    slack = f"debounce_ms: 0, read_files: {str(reads).lower()}"
    engine = HeldEngine()
    async with line.bot(engine=engine, slack=slack, chats=CHAT):
        await line.ana._call("upload", channel="C0HELP", name="run.log", content=LOG, text="why does this fail?")
        await engine.arrived.wait()
        (asked,) = engine.asked
        assert asked.search_text is not None
        assert ("RETRY_LIMIT" in asked.question, "RETRY_LIMIT" in asked.search_text) == (reads, reads)
        assert asked.unread == (() if reads else ("run.log, but for its beginning",))
        engine.answer(asked.question, "Nobody knows.")
        card = await line.olu.card("why does this fail", '"approve"')
        assert shows(card, "not read: run.log") is not reads
        await rita._call("upload", channel="C0SHARED", name="theirs.log", content=LOG, text="why does the other fail?")
        await until(lambda: len(engine.asked) == 2)
    engine = HeldEngine()
    async with line.bot(engine=engine, slack=slack, chats=CHAT):
        await engine.arrived.wait()
        (asked,) = engine.asked
        assert ("RETRY_LIMIT" in asked.question, bool(asked.unread)) == (reads, not reads)
    assert bool(holding(line.home)) is reads
    for channel in ("C0HELP", "C0SHARED"):
        purge(line.home, Criterion(channel=channel), really=True)
    assert holding(line.home) == []


def holding(home: Path) -> list[str]:
    """The files of a home with words of the log that no event shows."""
    return [path.name for path in home.rglob("*") if path.is_file() and b"RETRY_LIMIT was" in path.read_bytes()]
