"""How often the channels are read when the socket breaks again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.errors import Refused
from bot.intake.catch_up import EVERY, CatchUp, CatchUps
from tests.fakes import HandClock, settle


@dataclass
class Channels:
    """Remembers from where they were read."""

    read: list[dict[str, str]] = field(default_factory=list)
    breaks: bool = False

    async def __call__(self, read_to: Mapping[str, str]) -> int:
        self.read.append(dict(read_to))
        if self.breaks:
            raise ValueError("broken")
        return 0


async def test_many_sockets_are_caught_up_with_together() -> None:
    """A hundred in a minute are three readings, each from where the first socket after the last one found it."""
    channels, clock = Channels(), HandClock()
    ups = CatchUps(read=channels, clock=clock)
    tasks = []
    for number in range(100):
        if ups.missed({"C0HELP": f"{number}.0"}):
            tasks.append(asyncio.create_task(ups.run()))
        await settle()
        await clock.move(0.6)
    assert channels.read == [{"C0HELP": "0.0"}, {"C0HELP": "1.0"}, {"C0HELP": "50.0"}]
    await clock.move(EVERY)
    assert len(channels.read) == 3
    assert [task.done() for task in tasks] == [True]
    assert ups.missed({"C0HELP": "100.0"})


async def test_a_reading_that_broke_ends_nothing() -> None:
    """The next socket is caught up with."""
    channels, clock = Channels(breaks=True), HandClock()
    ups = CatchUps(read=channels, clock=clock)
    assert ups.missed({"C0HELP": "1.0"})
    running = asyncio.create_task(ups.run())
    await settle()
    assert not ups.missed({"C0HELP": "2.0"})
    await clock.move(EVERY)
    assert channels.read[-1] == {"C0HELP": "2.0"}
    running.cancel()


@dataclass
class Histories:
    """Two messages in the channel, and a thread whose first message was deleted."""

    taken: list[str] = field(default_factory=list)

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """The channel's own."""
        return [{"ts": "3.0", "text": "b"}, {"ts": "2.0", "text": "a"}]

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Of no thread any more."""
        raise Refused("conversations.replies: thread_not_found", code="thread_not_found")

    async def reads_along(self, channel: str) -> bool:
        """Another company does."""
        return True

    async def take(self, body: dict[str, Any]) -> None:
        """Break on the first one."""
        assert body["is_ext_shared_channel"]
        self.taken.append(body["event"]["ts"])
        if len(self.taken) == 1:
            raise ValueError("broken")


async def test_neither_a_deleted_thread_nor_a_message_that_breaks_costs_the_others_their_turn() -> None:
    """All that the channel has had is taken in, in order, as of a channel that others read."""
    slack = Histories()
    catch_up = CatchUp(
        history=slack,
        unhurried=slack,
        in_passing=slack,
        take=slack.take,
        roots=lambda channel: ["1.0"],
        team_id="T0SANDBOX",
        clock=HandClock(),
        reads_along=slack.reads_along,
    )
    assert await catch_up.run({"C0HELP": "1.5"}) == 2
    assert slack.taken == ["2.0", "3.0"]
