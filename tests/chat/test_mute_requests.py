"""Who may silence the bot in a thread, what an emoji does when it is taken away, and what the audit keeps."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.chat.mute_requests import MuteRequests
from bot.decide.addressing.mute_words import load_mute_words
from bot.errors import RetryLater
from bot.models.reaction import Reaction
from bot.triage.controls import Controls
from bot.triage.thread_muting import ThreadMuter
from tests.builders import CHANNEL, TEAM, added, at, fresh, message
from tests.chat.crew import ADMIN, FOREIGNER, GUEST, MEMBER, OPERATOR, Crew, permission
from tests.decide.unhealthy import incident
from tests.fakes import HandClock, MemoryJournal, MemoryKept, MemoryStore, RememberingChat, operators, settle
from tests.fakes import orchestrator as build_orchestrator

ROOT, REPLY = "100.000001", "101.000001"
HOME = f"{TEAM}-{CHANNEL}-{ROOT}"


@dataclass
class Said:
    """A `History` of one thread, in which the asker and a guest have written; it may fail first."""

    failures: int = 0
    author: str = "U0BEN"

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """The root or the reply."""
        if self.failures:
            self.failures -= 1
            raise RetryLater("later", after=2)
        shape = {ROOT: {"ts": ROOT, "user": self.author}, REPLY: {"ts": REPLY, "thread_ts": ROOT, "user": GUEST}}
        return shape.get(ts)

    async def replies_since(self, **_: Any) -> list[dict[str, Any]]:
        """The one reply."""
        return [{"ts": REPLY, "user": GUEST}]

    async def messages_since(self, **_: Any) -> list[dict[str, Any]]:
        """Nobody asks."""
        raise AssertionError


@dataclass
class Told:
    """Notices to people."""

    lines: list[tuple[str, str]] = field(default_factory=list)

    async def tell(self, user: str, text: str) -> None:
        """Keep it."""
        self.lines.append((user, text))


@dataclass
class Room:
    """A thread that `U0ANA` has asked in, and whoever hears that it is to be muted."""

    chat: RememberingChat = field(default_factory=RememberingChat)
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    clock: HandClock = field(default_factory=HandClock)
    history: Said = field(default_factory=Said)
    mutes: MemoryKept = field(default_factory=MemoryKept)
    told: Told = field(default_factory=Told)

    async def open(self, **about: Any) -> MuteRequests:
        """With the question in it; `about` are changes of its message's event."""
        controls = Controls(file=MemoryKept(), mutes_file=self.mutes, modes={CHANNEL: "live"})
        await controls.load()
        orchestrator = build_orchestrator(MemoryStore())
        await orchestrator.add(HOME, replace(added(ts=ROOT), **about))
        return MuteRequests(
            words=load_mute_words(["!mute"], ("en",)),
            emoji=frozenset({"mute"}),
            bot_id="U0BOT",
            operators=operators(OPERATOR),
            muting=ThreadMuter(controls=controls, orchestrator=orchestrator, clock=self.clock),
            permission=permission(Crew()),
            history=self.history,
            chat=self.chat,  # type: ignore[arg-type]  # only `notice` is called
            audit=self.audit,
            notices=self.told,  # type: ignore[arg-type]  # only `tell` is called
            url="https://example.slack.com/",
        )


async def _nothing(*_: Any) -> None:
    """Nothing comes of it."""


def reacted(user: str = MEMBER, *, ts: str = REPLY, **changes: Any) -> Reaction:
    """The emoji under the reply."""
    values = {"interaction_id": fresh(), "team_id": TEAM, "chat_id": CHANNEL, "message_id": ts, "user_id": user}
    return Reaction(**(values | {"name": "mute", "added": True} | changes))


@pytest.mark.parametrize(
    ("who", "may"),
    [
        pytest.param(MEMBER, True, id="the asker"),
        pytest.param(OPERATOR, True, id="an operator"),
        pytest.param(GUEST, False, id="a guest who has written there"),
        pytest.param(FOREIGNER, False, id="somebody of another workspace"),
        pytest.param("U0BOT", False, id="a bot's user"),
    ],
)
async def test_a_word_silences_where_the_one_who_says_it_may(who: str, *, may: bool) -> None:
    """It is no question either way; whoever says it is told, and the audit has it."""
    room = Room()
    hush = await room.open()
    assert await hush.handle_mute_request(message("!mute", ts=REPLY, root=ROOT, sender=who))
    assert (HOME in hush.muting.controls.muted, hush.muting.orchestrator.is_open(HOME)) == (may, not may)
    assert [record["result"] for record in room.audit.kept] == ["done" if may else "refused"]
    assert len(room.chat.notices) == 1


@pytest.mark.parametrize(("who", "is_told"), [(MEMBER, True), (OPERATOR, False)])
async def test_the_operator_of_an_outage_learns_who_muted_its_thread(who: str, *, is_told: bool) -> None:
    """Once; the work on it goes on, and the member is told so. A mute by an operator ends it without a notice."""
    room = Room()
    hush = await room.open(incident=incident())
    for ts in (REPLY, "102.000001"):
        await hush.handle_mute_request(message("!mute", ts=ts, root=ROOT, sender=who))
    assert (HOME in hush.muting.controls.muted, hush.muting.orchestrator.is_open(HOME)) == (True, is_told)
    assert [user for user, _ in room.told.lines] == [OPERATOR] * is_told
    assert all(line.startswith(f"<@{who}> muted <https://example.slack.com/archives/") for _, line in room.told.lines)
    assert ("The outage stays with its operator" in room.chat.notices[0]) == is_told


@pytest.mark.parametrize(
    "said",
    [
        message("!mute", ts=REPLY),
        message("!mute", ts=REPLY, root=ROOT, sender_type="bot"),
        message("how do I !mute it?", ts=REPLY, root=ROOT),
    ],
    ids=["in no thread", "by a bot", "in a question"],
)
async def test_nothing_else_is_taken_for_the_word(said: Any) -> None:
    """It goes the way of every message."""
    room = Room()
    hush = await room.open()
    assert not await hush.handle_mute_request(said)
    assert hush.muting.controls.muted == {}


@pytest.mark.parametrize(("who", "may"), [(MEMBER, True), (OPERATOR, True), (GUEST, False), (FOREIGNER, False)])
async def test_an_emoji_silences_where_its_owner_takes_part(who: str, *, may: bool) -> None:
    """Slack is asked in which thread it stands, again when it does not answer immediately."""
    room = Room(history=Said(failures=1))
    hush = await room.open()
    doing = hush.handle_reaction(reacted(who))
    await _through(doing, room.clock)
    assert (HOME in hush.muting.controls.muted, hush.muting.orchestrator.is_open(HOME)) == (may, not may)


@pytest.mark.parametrize(("author", "may"), [("U0BEN", False), (ADMIN, True)])
async def test_a_member_who_only_looks_on_mutes_nothing(author: str, *, may: bool) -> None:
    """Whoever has written in the thread may, be it its first message."""
    room = Room(history=Said(author=author))
    hush = await room.open()
    await hush.handle_reaction(reacted(ADMIN))
    assert (HOME in hush.muting.controls.muted) == may
    assert [record["result"] for record in room.audit.kept] == ["done" if may else "refused"]


async def test_an_emoji_that_is_taken_away_lifts_its_own_mute_only() -> None:
    """By the one who put it, over a restart; a mute by a command stays."""
    room = Room()
    first = await room.open()
    await first.handle_reaction(reacted())
    again = await room.open()
    await again.handle_reaction(reacted(OPERATOR, added=False))
    assert HOME in again.muting.controls.muted
    await again.handle_reaction(reacted(added=False))
    assert again.muting.controls.muted == {}
    await again.muting.mute(HOME)
    await again.handle_reaction(reacted())
    await again.handle_reaction(reacted(added=False))
    assert HOME in again.muting.controls.muted


async def test_another_emoji_and_a_message_that_is_gone_mean_nothing() -> None:
    """Nobody is told anything."""
    room = Room()
    hush = await room.open()
    await hush.handle_reaction(reacted(name="eyes"))
    await hush.handle_reaction(reacted(ts="1.000001"))
    assert (hush.muting.controls.muted, room.chat.notices, room.audit.kept) == ({}, [], [])


async def test_a_mention_after_the_word_brings_the_bot_back() -> None:
    """One from before it, which Slack delivers later, does not."""
    room = Room()
    hush = await room.open()
    await hush.handle_mute_request(message("!mute", ts=REPLY, root=ROOT, create_time=at(10)))
    assert not await hush.allows(HOME, mentioned=True, at=at(9))
    assert await hush.allows(HOME, mentioned=True, at=at(11))


async def _through(doing: Any, clock: HandClock) -> None:
    """Run it to its end while time passes."""
    task = asyncio.ensure_future(doing)
    await settle()
    await clock.move(5)
    await task
