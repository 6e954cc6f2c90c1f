"""The demo's recorded model on the whole line: a card that says so, and the chat agent's answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from bot.cli import demo_projects
from bot.cli.recorded_answers import MODEL, list_orders
from bot.cli.recorded_model import start_recorded_model
from bot.errors import Misconfigured
from tests.line.test_talk import answered

if TYPE_CHECKING:
    from tests.line.conftest import Line

PARCELS = Path(demo_projects.__file__).parent / "demo_project"


async def test_recorded_turns_draft_validate_and_chat(line: Line) -> None:
    """With the price of the model that they stand for."""
    import anthropic  # noqa: F401  # it takes seconds, which are none of a person's patience

    model = await start_recorded_model(0)
    try:
        more = (
            f"engine: claude\nmodel: {{base_url: '{model.url}'}}\ninvestigator: {{model: {MODEL}}}\nadmins: [U0ADMIN]"
        )
        async with line.bot(code=f"root: {PARCELS}", more=more):
            await line.ana.say(demo_projects.QUESTIONS[1])
            card = await line.olu.card("After 5 days", "✓ validated", '"approve"')
            await line.olu.evidence(card, MODEL, "investigator $", "Recorded for the demo")
            asked = await line.ada.say(list_orders()[0], channel="D0ADMIN")
            assert await answered(line.ada, asked, "1 question waits", "tokens")
    finally:
        await model.close()


async def test_a_taken_port_of_the_recorded_model_is_said() -> None:
    """A copy of the demo's settings names it, so a model at another port would serve nobody."""
    first = await start_recorded_model(0)
    try:
        port = urlsplit(first.url).port or 0
        with pytest.raises(Misconfigured, match=rf"the port {port} of the recorded model is taken; stop what listens"):
            await start_recorded_model(port)
    finally:
        await first.close()
