"""Reactions at the watcher: in the journal first, heard of once, and in watched channels only."""

from __future__ import annotations

from typing import Any

import pytest

from bot.intake.dispatcher import Dispatcher
from bot.intake.record import read
from bot.intake.watched import Watched
from bot.models.reaction import Reaction
from tests.intake.test_watcher import OpenThread, intake, watcher


class Listener:
    """Keeps the reactions that it hears of; fails once if the test says so."""

    def __init__(self, *, fails: bool = False) -> None:
        self.heard: list[Reaction] = []
        self._fails = fails

    async def handle_reaction(self, reaction: Reaction) -> None:
        """Keep it."""
        if self._fails:
            self._fails = False
            raise OSError("once")
        self.heard.append(reaction)


def reaction(**changes: Any) -> dict[str, Any]:
    """What Slack sends of a reaction."""
    item = {"type": "message", "channel": changes.pop("channel", "C0HELP"), "ts": "100.000001"}
    event = {"type": "reaction_added", "user": "U0ANA", "reaction": "mute", "item": item, "event_ts": "200.000001"}
    return {"type": "event_callback", "team_id": "T0A", "event_id": "Ev1", "event": event | changes}


def listening(listener: Listener, before: Dispatcher | None = None) -> Dispatcher:
    """A dispatcher; with the journals of another one, the process after it."""
    made = watcher(OpenThread())
    made.watched = {"C0HELP": Watched("help", "live"), "C0QUIET": Watched("quiet", "silent")}
    if before:
        made.events = before.watcher.events
    return intake(made, audit=before.audit if before else None, reactions=(listener,))


async def test_a_reaction_is_recorded_before_it_is_heard_of() -> None:
    """With what it is, where it stands, and the mode of its channel."""
    listener = Listener()
    one = listening(listener)
    received = await one.record(reaction(reaction="mute::skin-tone-3"))
    [record] = [record async for record in one.watcher.events.records()]
    assert not listener.heard
    kept = ("kind", "name", "user_id", "chat_id", "message_id", "added", "mode", "event_id")
    assert [record[key] for key in kept] == [
        *("reaction", "mute", "U0ANA", "C0HELP", "100.000001", True, "live"),
        received.payload and received.event_id,
    ]
    await one.handle(received)
    assert [heard.name for heard in listener.heard] == ["mute"]


async def test_a_reaction_that_comes_twice_is_heard_of_once() -> None:
    """By what it is, whatever id its event has; taken away and put back it is another one."""
    listener = Listener()
    one = listening(listener)
    again = reaction(event_ts="200.000009")
    for body in (reaction(), reaction() | {"event_id": "Ev2"}, reaction(type="reaction_removed"), again):
        await one.handle(await one.record(body))
    assert [heard.added for heard in listener.heard] == [True, False, True]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(reaction(channel="C0ELSE"), id="a channel that is not watched"),
        pytest.param(reaction(item={"type": "file", "file": "F1"}), id="under a file"),
        pytest.param(reaction(user=None), id="by nobody"),
        pytest.param(reaction(item=7), id="on nothing"),
    ],
)
async def test_a_reaction_elsewhere_is_heard_of_by_nobody(body: dict[str, Any]) -> None:
    """It is recorded, as everything is."""
    listener = Listener()
    one = listening(listener)
    await one.handle(await one.record(body))
    assert listener.heard == []
    assert len([record async for record in one.watcher.events.records()]) == 1


async def test_a_start_goes_through_reactions_that_the_audit_does_not_know() -> None:
    """In a silent channel too; one of a channel that was not watched then stays unheard."""
    first = Listener()
    before = listening(first)
    quiet, strange = reaction(channel="C0QUIET"), reaction(channel="C0NEW")
    for body in (reaction(), reaction(reaction="eyes"), quiet, strange):
        await before.record(body)
    await before.audit.append({"kind": "reaction", "interaction_id": read(reaction(), chat_names={}).event_id})
    second = Listener()
    after = listening(second, before)
    after.watcher.watched = {**after.watcher.watched, "C0NEW": Watched("new", "live")}
    assert await after.recover() == 2
    assert [(heard.name, heard.chat_id) for heard in second.heard] == [("eyes", "C0HELP"), ("mute", "C0QUIET")]


async def test_a_reaction_that_failed_counts_when_it_comes_again() -> None:
    """Nothing is forgotten because of a failure that passes."""
    listener = Listener(fails=True)
    one = listening(listener)
    with pytest.raises(OSError, match="once"):
        await one.handle(await one.record(reaction()))
    await one.handle(await one.record(reaction()))
    assert len(listener.heard) == 1
