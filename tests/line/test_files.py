"""Text files that are sent with a question, on the whole line: read where the settings say so, else only named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandbox.server import Sandbox
from tests.fakes import HeldEngine
from tests.line.human import shows

if TYPE_CHECKING:
    from tests.line.conftest import Line

LOG = "\n".join([*(f"step {number}" for number in range(9)), "RETRY_LIMIT was reached"])


@pytest.mark.parametrize("reads", [True, False])
async def test_a_file_is_read_where_the_settings_say_so(line: Line, reads: bool) -> None:
    """Its words go to the engine, and the card names no unread file; off, all is as Slack shows it."""
    port = line.workspace.port
    await line.workspace.close()
    line.workspace = await Sandbox.start(port=port)
    engine = HeldEngine()
    async with line.bot(engine=engine, slack=f"debounce_ms: 0, read_files: {str(reads).lower()}"):
        await line.ana._call("upload", channel="C0HELP", name="run.log", content=LOG, text="why does this fail?")
        await engine.arrived.wait()
        (asked,) = engine.asked
        assert asked.search_text is not None
        assert ("RETRY_LIMIT" in asked.question, "RETRY_LIMIT" in asked.search_text) == (reads, reads)
        assert asked.unread == (() if reads else ("run.log, but for its beginning",))
        engine.answer(asked.question, "Nobody knows.")
        card = await line.olu.card("why does this fail", '"approve"')
        assert shows(card, "not read: run.log") is not reads
