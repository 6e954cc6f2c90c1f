"""Slack's words for what it keeps from the bot, several in one life: an admin is told once, over a restart too."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from bot.errors import Misconfigured
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST
from tests.line.human import View, until
from tests.line.test_losses import ADMIN, TWO, fault, health, notices
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

READS = "debounce_ms: 0, read_files: true"
LONG = "\n".join(f"step {number}" for number in range(12))
TOLD = {
    "cannot_dm_bot": "<@U0OPS> cannot be given questions any more",
    "missing_scope": "The app lacks the scope `files:read`",
    "channel_not_found": "Slack does not show <#C0HELP>",
}


async def test_each_word_is_told_once_within_ten_seconds_and_over_a_restart(line: Line) -> None:
    """A direct message that takes no post, a scope that is not granted, a channel that is not shown; then the token."""
    port = line.workspace.port
    await line.workspace.close()
    line.workspace = await Sandbox.start(port=port, clock=line.slack_time, manifest=MANIFEST)
    async with line.bot(chat=TWO, more=ADMIN, slack=READS):
        await fault(line, kind="refused", method="chat.postMessage", error="cannot_dm_bot", about="D0OPS", times=1_000)
        began = time.monotonic()
        await line.ana._call("upload", channel="C0HELP", name="run.log", content=LONG, text=QUESTION)
        await line.ada.card(TOLD["cannot_dm_bot"], "cannot_dm_bot")
        await line.ada.card(TOLD["missing_scope"], "url_private")
        await line.ana.say(QUESTION)
        await line.ada.card('"approve"')
        for method in ("conversations.info", "chat.postMessage"):
            await fault(line, kind="refused", method=method, error="channel_not_found", about="C0HELP", times=1_000)
        await line.ada.press("approve", await line.ada.card('"approve"'))
        await line.ada.card(TOLD["channel_not_found"])
        assert time.monotonic() - began < 10
        assert is_told_once(await line.ada.now())
    async with line.bot(chat=TWO, more=ADMIN, slack=READS) as bot:
        for words in TOLD.values():
            await until(partial(is_listed, bot, words))
        assert is_told_once(await line.ada.now())
        await fault(line, kind="refused", error="account_inactive", times=1_000)
        await line.ana.say(QUESTION)
        end = await bot.core.stop.future
        assert "SLACK_BOT_TOKEN: Slack does not accept it any more (account_inactive)" in str(end)
    assert "account_inactive" in str(health(line)["problems"])
    with pytest.raises(Misconfigured, match="account_inactive"):
        async with line.bot(chat=TWO, more=ADMIN):
            pass


def is_listed(bot: Bot, words: str) -> bool:
    """Return whether a loss that the bot lists has these words."""
    return any(words in line for line in bot.core.access.losses.lines())


def is_told_once(view: View) -> bool:
    """Return whether each word stands in one message of the bot to an admin."""
    return all(len(notices(view, words)) == 1 for words in TOLD.values())
