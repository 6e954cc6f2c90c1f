"""The demo with several replicas: a person kills the one that leads, and another one answers."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from bot.cli.demo_projects import QUESTIONS
from tests.cli.test_demo import PATIENCE, demo, heard
from tests.line.human import Human
from tests.postgresql import MISSING, find_binaries

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
@pytest.mark.skipif(find_binaries() is None, reason=MISSING)
async def test_another_replica_posts_the_reply_when_the_leader_is_killed(tmp_path: Path) -> None:
    async with demo(tmp_path / "home", "--keyword", "--replicas", "2") as (process, url, _):
        leader = re.search(r"process (\d+)\) leads", await heard(process, r"\) leads\.", 3 * PATIENCE))
        ana, ops = Human(url, "U0ANA"), Human(url, "U0OPS")
        ts = await ana.say(QUESTIONS[0])
        card = await ops.card("debounce_ms")
        assert leader is not None
        os.kill(int(leader[1]), signal.SIGKILL)
        await heard(process, r"\) leads\.", 3 * PATIENCE)
        await ops.press("approve", card)
        assert len(await ana.replies(ts)) == 1
