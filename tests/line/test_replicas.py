"""Two replicas on one database: the leader dies between a question and Approve, and the other one goes on."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from tests.line.human import Human, until
from tests.replicas import NAMES, open_place, value_of

if TYPE_CHECKING:
    from pathlib import Path

NAME = NAMES[7]


async def test_a_reply_is_posted_once_although_the_leader_dies_before_approve(tmp_path: Path) -> None:
    async with open_place(tmp_path) as place:
        leader, standby = [await place.start(number) for number in (1, 2)]
        await asyncio.gather(leader.is_up.wait(), standby.is_up.wait())
        await until(lambda: leader.led_at or standby.led_at)
        if leader.led_at is None:
            leader, standby = standby, leader
        ana, ops = Human(place.workspace.url, "U0ANA"), Human(place.workspace.url, "U0OPS")
        ts = await ana.say(f"What is the {NAME} of the shop set to?")
        card = await ops.card(NAME)
        leader.send(signal.SIGKILL)
        await ops.press("approve", card)  # nobody leads at this moment
        assert str(value_of(NAME)) in (await ana.replies(ts))[0]["text"]
        await ops.command_until("queue", "0 questions wait")
        assert len(await ana.replies(ts)) == 1
