"""Recent channels: one question to Slack for many, and never an old answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.errors import RetryLater
from bot.triage.recent_channels import RecentChannels
from tests.fakes import HandClock


class Slack:
    """A `Channels` that counts what it is asked, and fails the first time if told to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[str] = []
        self._fails = fails

    async def channel(self, channel: str) -> dict[str, Any]:
        """The channel, with how often it was asked for."""
        self.asked.append(channel)
        await asyncio.sleep(0)
        if self._fails:
            self._fails = False
            raise RetryLater("later")
        return {"id": channel, "asked": len(self.asked)}


async def test_many_at_once_ask_once_and_ten_seconds_later_anew() -> None:
    """Also those that ask while the first one is still waiting; each channel is its own."""
    slack, clock = Slack(), HandClock()
    channels = RecentChannels(channels=slack, clock=clock)
    await asyncio.gather(*(channels.channel("C0HELP") for _ in range(20)), channels.channel("C0GENERAL"))
    assert sorted(slack.asked) == ["C0GENERAL", "C0HELP"]
    await clock.move(9)
    await channels.channel("C0HELP")
    assert len(slack.asked) == 2
    await clock.move(1)
    assert (await channels.channel("C0HELP"))["asked"] == 3


async def test_a_failure_is_not_remembered() -> None:
    """The next one asks again."""
    slack = Slack(fails=True)
    channels = RecentChannels(channels=slack, clock=HandClock())
    with pytest.raises(RetryLater):
        await channels.channel("C0HELP")
    assert (await channels.channel("C0HELP"))["asked"] == 2
