"""Hints on the whole line: what the agents of one question are told of others, with the settings as they come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sandbox.server import Sandbox
from tests.line.agents import QUESTION, agents
from tests.line.conftest import MANIFEST, SHOP, Line
from tests.line.play import Play, said
from tests.line.test_straight_line import calls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

ROOM = ", mode: live}}\n- {{chat_id: {id}, name: {name}, project: {project}"
CLOSED = "other about shop, {}, confidence high, cites orders.py"


@pytest.fixture
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    """A workspace, and the code of two projects."""
    for name in ("shop", "bank"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "orders.py").write_text(SHOP)
    workspace = await Sandbox.start(port=0, manifest=MANIFEST)
    yield Line(workspace, tmp_path)
    await workspace.close()


async def test_hints_flow_between_public_channels_of_one_project_only(line: Line) -> None:
    """The posted reply and the open question of one channel are told in another; a private channel and another
    project neither tell nor are told. Slack is asked of each channel at most once in a run.
    """
    rooms, places = {}, "project: shop"
    for name, project, is_private in (("secret", "shop", True), ("money", "bank", False), ("parcels", "shop", False)):
        rooms[name] = await line.ana.makes_channel(name, "U0TRIAGE", is_private=is_private)
        places += ROOM.format(id=rooms[name], name=name, project=project)
    keys = {"chat": places, "project": "languages: []}\n  bank: {root: ./bank", "more": "approval: {again_days: 0}"}
    play, asked, looked = Play(), {}, []
    async with agents(line, play, **keys):
        for number, channel in enumerate(("C0HELP", "C0HELP", *rooms.values()), 1):
            question = f"{number}: {QUESTION}"
            before = len(await calls(line, "conversations.info"))
            asked[number] = await line.ana.say(question, channel=channel)
            card = await line.olu.card(question, '"approve"')
            if number == 1:
                await line.olu.press("approve", card)
                await line.ana.replies(asked[1])
                await line.olu.card(question, "The reply is posted.")  # only then is it told as answered
            looked = [str(call["channel"]) for call in (await calls(line, "conversations.info"))[before:]]
    told = {number: hints_of(play, f"{number}: {QUESTION}") for number in asked}
    answer = "the reply posted there: Three times: `RETRY_LIMIT = 3` in `orders.py:3`."
    first = f"- T0SANDBOX-C0HELP-{asked[1]}: {CLOSED.format('answered')}; {answer}"
    second = f"- T0SANDBOX-C0HELP-{asked[2]}: {CLOSED.format('pending-user')}"
    assert told == {1: [[], []], 2: [[first]] * 2, 3: [[], []], 4: [[], []], 5: [[second, first]] * 2}
    assert rooms["parcels"] in looked
    assert len(looked) == len(set(looked))


def hints_of(play: Play, question: str) -> list[list[str]]:
    """What the investigator and the validator of a question were told of others."""
    firsts = [said(body) for body in play.asked if len(body["messages"]) == 1 and question in said(body)]
    return [re.findall(r"^- T0SANDBOX.*$", text, re.MULTILINE) for text in firsts]
