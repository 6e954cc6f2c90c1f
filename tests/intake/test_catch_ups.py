"""How often the channels are read when the socket breaks again and again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.errors import Refused
from bot.intake.catch_up import EVERY, CatchUp, CatchUps
from bot.intake.read_cursors import ReadCursors
from bot.models.message import Message
from tests.fakes import HandClock, settle


@dataclass
class Channels:
    """Remembers from where they were read."""

    cursors: ReadCursors
    read: list[dict[str, str]] = field(default_factory=list)
    breaks: bool = False

    async def run(self, channels: Iterable[str]) -> int:
        self.read.append({channel: self.cursors.points[channel] for channel in channels})
        if self.breaks:
            raise ValueError("broken")
        for channel in self.read[-1]:
            self.cursors.close(channel, self.cursors.gap(channel))
        return 0

    async def save(self) -> None:
        """Keep nothing."""


@asynccontextmanager
async def catching_up(channels: Channels, clock: HandClock) -> AsyncIterator[CatchUps]:
    """Catch-ups that run."""
    read: Any = channels
    ups = CatchUps(catch_up=read, saved_cursors=read, cursors=channels.cursors, clock=clock)
    running = asyncio.create_task(ups.run())
    yield ups
    running.cancel()


def at_zero() -> Channels:
    """Two channels, read to the beginning."""
    return Channels(ReadCursors(points={"C0HELP": "0.0", "C0OTHER": "0.0"}))


async def test_many_sockets_are_caught_up_with_together() -> None:
    """A hundred in a minute are three readings, each from what was heard before the first socket after the last one."""
    channels, clock = at_zero(), HandClock()
    async with catching_up(channels, clock) as ups:
        for number in range(1, 101):
            ups.schedule_missed(["C0HELP", "C0UNKNOWN"])
            channels.cursors.advance("C0HELP", f"{number:03}.0")
            await settle()
            await clock.move(0.6)
        assert channels.read == [{"C0HELP": "0.0"}, {"C0HELP": "001.0"}, {"C0HELP": "050.0"}]
        await clock.move(EVERY)
        assert len(channels.read) == 3


async def test_a_reading_that_broke_ends_nothing() -> None:
    """The next socket is caught up with, from the same place."""
    channels, clock = at_zero(), HandClock()
    channels.breaks = True
    async with catching_up(channels, clock) as ups:
        for ts in ("1.0", "2.0"):
            ups.schedule_missed(["C0HELP"])
            channels.cursors.advance("C0HELP", ts)
            await settle()
            await clock.move(EVERY)
    assert channels.read == [{"C0HELP": "0.0"}, {"C0HELP": "0.0"}]


async def test_a_channel_that_the_bot_is_back_in_is_read_at_once_from_before_it_was_lost() -> None:
    """Whatever came in there since; one that was not lost costs no reading."""
    channels, clock = at_zero(), HandClock()
    async with catching_up(channels, clock) as ups:
        ups.schedule_missed(["C0OTHER"])
        await settle()
        ups.note_lost("C0HELP")
        ups.note_lost("C0UNKNOWN")
        channels.cursors.advance("C0HELP", "1.0")
        ups.schedule_back(["C0HELP", "C0OTHER", "C0UNKNOWN"])
        await settle()
        assert channels.read == [{"C0OTHER": "0.0"}, {"C0HELP": "0.0"}]
        assert channels.cursors.points["C0HELP"] == "1.0"


def test_a_gap_after_the_reading_began_stays() -> None:
    """What was read says nothing of it."""
    cursors = ReadCursors(points={"C0HELP": "0.0"})
    cursors.hold("C0HELP")
    first = cursors.gap("C0HELP")
    cursors.hold("C0HELP")
    cursors.advance("C0HELP", "2.0")
    cursors.close("C0HELP", first, "1.0")
    assert cursors.points == {"C0HELP": "0.0"}
    cursors.close("C0HELP", cursors.gap("C0HELP"), "1.5")
    assert cursors.points == {"C0HELP": "2.0"}


@dataclass
class Histories:
    """Two messages in the channel, and a thread whose first message was deleted."""

    taken: list[str] = field(default_factory=list)

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """The channel's own; those of one that the bot is not in are refused."""
        if channel == "C0GONE":
            raise Refused("conversations.history: not_in_channel", code="not_in_channel")
        return [{"ts": "3.0", "text": "b"}, {"ts": "2.0", "text": "a"}]

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Of no thread any more."""
        raise Refused("conversations.replies: thread_not_found", code="thread_not_found")

    async def thread_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """No whole thread is asked for."""
        raise AssertionError((channel, thread_ts, oldest))

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """No single message is asked for."""
        raise AssertionError((channel, ts))

    def roots(self, channel: str) -> list[str]:
        """The deleted one is open."""
        return ["1.0"]

    async def find_external(self, message: Message) -> None:
        """Nobody is looked up."""
        raise AssertionError(message)

    async def has_external_readers(self, channel: str) -> bool:
        """Another company does."""
        return True

    async def caught_up(self, body: dict[str, Any]) -> None:
        """Break on the first one."""
        assert body["is_ext_shared_channel"]
        self.taken.append(body["event"]["ts"])
        if len(self.taken) == 1:
            raise ValueError("broken")


async def test_neither_a_deleted_thread_nor_a_message_that_breaks_costs_the_others_their_turn() -> None:
    """All that the channel has had is taken in, in order, as of a channel that others read; one that is refused stays
    behind."""
    slack, cursors = Histories(), ReadCursors(points={"C0HELP": "1.5", "C0GONE": "1.5"})
    cursors.hold("C0GONE")
    cursors.hold("C0HELP")
    catch_up = CatchUp(
        history=slack,
        unhurried=slack,
        in_passing=slack,
        watcher=slack,  # type: ignore[arg-type]  # it has the one call
        open_threads=slack,
        team_id="T0SANDBOX",
        cursors=cursors,
        clock=HandClock(),
        externals=slack,
    )
    assert await catch_up.run(["C0GONE", "C0HELP"]) == 2
    assert slack.taken == ["2.0", "3.0"]
    assert cursors.points == {"C0HELP": "3.0", "C0GONE": "1.5"}
    assert (cursors.gap("C0GONE"), cursors.gap("C0HELP")) == (0, None)
