"""Thumbs, their dialogs and shortcuts at the watcher: journaled before the ack, acted on once, also after a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.intake.record import read
from bot.models.feedback import Complaint, Vote
from bot.models.shortcut import Shortcut
from tests.approval import test_corrections, test_feedback
from tests.fakes import MemoryJournal
from tests.intake.test_watcher import OpenThread, intake, watcher

if TYPE_CHECKING:
    from bot.intake.dispatcher import Dispatcher
    from bot.intake.watcher import Watcher
    from bot.models.interaction import TypedCommand
    from bot.ports.outbound import Journal

THUMB = test_feedback.pressed(f"down {test_feedback.DRAFT}")
DIALOG = test_feedback.submitted()
SHORTCUT = test_corrections.BODY | {"response_url": "https://hooks.example/1", "trigger_id": "1.2.3"}


class Clerk:
    """A handler of feedback, shortcuts and interrupted commands that keeps what it gets."""

    def __init__(self) -> None:
        self.got: list[tuple[Any, bool]] = []
        self.interrupted: list[TypedCommand] = []

    async def report_interrupted(self, command: TypedCommand) -> None:
        """Keep it."""
        self.interrupted.append(command)

    async def record_vote(self, vote: Vote, *, replayed: bool = False) -> None:
        """Keep it."""
        self.got.append((vote, replayed))

    async def handle_shortcut(self, shortcut: Shortcut, *, replayed: bool = False) -> None:
        """Keep it."""
        self.got.append((shortcut, replayed))

    async def record_complaint(self, complaint: Complaint, *, replayed: bool = False) -> dict[str, str]:
        """Keep it."""
        self.got.append((complaint, replayed))
        return {}


def dispatcher(of: Watcher, clerk: Clerk, audit: Journal | None = None) -> Dispatcher:
    """A dispatcher with this handler."""
    return intake(of, audit=audit, feedback=clerk, corrections=clerk)


async def act(dispatcher: Dispatcher, body: dict[str, Any]) -> None:
    """As the listeners do after the ack, or for it."""
    await dispatcher.handle(await dispatcher.record(body))


@pytest.mark.parametrize(
    ("body", "kind", "noun"), [(THUMB, "press", Vote), (DIALOG, "dialog", Complaint), (SHORTCUT, "shortcut", Shortcut)]
)
async def test_it_is_recorded_and_then_acted_on(body: dict[str, Any], kind: str, noun: type) -> None:
    """The record holds no key that lets a reader answer in Slack."""
    clerk, one = Clerk(), watcher(OpenThread())
    await act(dispatcher(one, clerk), body)
    (record,) = [record async for record in one.events.records()]
    assert (record["kind"], type(clerk.got[0][0]), clerk.got[0][1]) == (kind, noun, False)
    assert not {"trigger_id", "response_url"} & {*record, *record["raw"]}


@pytest.mark.parametrize("body", [THUMB, SHORTCUT])
async def test_what_comes_twice_is_acted_on_once(body: dict[str, Any]) -> None:
    """Slack delivers again what it thinks was lost."""
    one = dispatcher(watcher(OpenThread()), clerk := Clerk())
    await act(one, body)
    await act(one, body)
    assert len(clerk.got) == 1


async def test_a_start_acts_on_what_a_crash_left_undone() -> None:
    """All that the audit does not know, once, wherever it was done."""
    before, clerk, audit = watcher(OpenThread()), Clerk(), MemoryJournal()
    for body in (THUMB, DIALOG, SHORTCUT):
        await intake(before).record(body)
    done = read(DIALOG, chat_names={}).event_id
    await audit.append({"interaction_id": done})
    restarted = watcher(OpenThread())
    restarted.events = before.events
    after = dispatcher(restarted, clerk, audit)
    assert await after.recover() == 2
    assert [(type(noun), replayed) for noun, replayed in clerk.got] == [(Vote, True), (Shortcut, True)]
    await act(after, SHORTCUT)
    assert len(clerk.got) == 2


def slash(trigger: str, text: str) -> dict[str, Any]:
    """The body of a slash command in a channel that is not watched."""
    where = {"team_id": "T0A", "channel_id": "C0ELSE", "user_id": "U0ADMIN"}
    return {"command": "/triage", "text": text, "trigger_id": trigger, **where}


async def test_a_start_reports_the_slash_commands_that_a_crash_interrupted() -> None:
    """Each without a record in the audit, once, by the id that its deliveries share; none of long ago."""
    before, clerk, audit = watcher(OpenThread()), Clerk(), MemoryJournal()
    for number in range(3):
        await intake(before).record(slash(f"{number}.1", f"pause {number}"))
    done = read(slash("0.1", "pause 0"), chat_names={}).event_id
    await audit.append({"interaction_id": done})
    kept: list[dict[str, Any]] = before.events.kept  # type: ignore[attr-defined]  # a journal in memory
    kept[1]["received_at"] = "2001-01-01T00:00:00+00:00"
    restarted = watcher(OpenThread())
    restarted.events = before.events
    after = intake(restarted, audit=audit, commands=clerk)
    assert await after.recover() == 1
    (command,) = clerk.interrupted
    assert (command.text, command.interaction_id) == ("pause 2", kept[2]["event_id"])
    again = await after.handle(await after.record(slash("2.1", "pause 2")))
    assert "was already received" in again["text"]
