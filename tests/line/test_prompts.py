"""What is suggested in the direct messages: pressed one after the other, without a model."""

from __future__ import annotations

from functools import partial

import pytest

from tests.fakes import HeldEngine
from tests.line.conftest import Line
from tests.line.human import Human, View, shows
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import records


@pytest.mark.parametrize(("user", "count"), [("U0ANA", 2), ("U0OPS", 4), ("U0ADMIN", 4)])
async def test_each_suggestion_is_answered_by_code(line: Line, user: str, count: int) -> None:
    """With what the command says, to whoever may give it; no question is made of it, and no engine is asked."""
    engine = HeldEngine()
    async with line.bot(engine=engine, more=ADMINS):
        human = Human(line.workspace.url, user)
        await human.opens_messages()
        prompts: list[str] = await human.sees(suggested)
        assert len(prompts) == count
        for said in prompts:
            asked = await human.say(said, channel=f"D0{user.removeprefix('U0')}")
            answer: View = await human.sees(partial(answers, asked=asked))
            assert not shows(answer, "There is no"), said
    assert engine.asked == []
    commands = [row for row in records(line.home / "audit.ndjson") if row["kind"] == "command"]
    assert {row["outcome"] for row in commands} == {"done"}
    assert not [*(line.home / "state").glob("*.json")]


def suggested(view: View) -> list[str]:
    """What the buttons above the composer say."""
    return [prompt["message"] for dm in view["dms"] for one in dm["threads"] for prompt in one["prompts"]]


def answers(view: View, asked: str) -> View | None:
    """What the bot has said to a message, in its thread or below it."""
    roots = [message for dm in view["dms"] for message in dm["messages"]]
    said = [reply for root in roots if root["ts"] == asked for reply in root["replies"] if reply["user"] == "U0TRIAGE"]
    return said[0] if said else None
