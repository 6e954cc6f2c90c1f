"""Late orders: whichever of message, edit and history is read first, one order runs, as its author last wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.errors import RetryLater
from bot.intake.late_messages import LateMessages
from bot.intake.record import read as payload_of
from bot.models.message import Message
from tests.fakes import HandClock
from tests.intake.test_watcher import OpenThread, intake, watcher

if TYPE_CHECKING:
    from bot.models.interaction import MalformedCommand, TypedCommand, UnheardReason

FIRST, LAST = "!triage resume", "!triage stop"


@dataclass
class Slack:
    """One message as it stands in Slack, and the commands that came of it."""

    text: str | None = LAST
    fails: bool = False
    asked: int = 0
    commands: list[str] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """The message; `None` where it was deleted."""
        self.asked += 1
        if self.fails:
            raise RetryLater("Slack does not answer")
        return None if self.text is None else message(ts, self.text)

    async def messages_since(self, **_: Any) -> list[dict[str, Any]]:
        """No channel is read."""
        raise AssertionError

    async def replies_since(self, **_: Any) -> list[dict[str, Any]]:
        """Nor is a thread."""
        raise AssertionError

    async def answer(self, command: TypedCommand) -> dict[str, Any]:
        """No slash command is given."""
        raise AssertionError(command)

    async def answer_in_thread(self, command: TypedCommand) -> None:
        """Keep it."""
        self.commands.append(f"!triage {command.text}")

    async def report_interrupted(self, command: TypedCommand) -> None:
        """Nor one that was interrupted."""
        raise AssertionError(command)

    async def refuse_malformed(self, command: MalformedCommand) -> dict[str, Any]:
        """None is malformed."""
        raise AssertionError(command)

    async def record_unheard(self, command: TypedCommand, reason: UnheardReason) -> None:
        """Keep that it was not run."""
        self.unheard.append(f"{command.text}: {reason}")


def message(ts: str, text: str) -> dict[str, Any]:
    """A message of an admin, in Slack's shape."""
    return {"type": "message", "user": "U0ADMIN", "ts": ts, "text": text}


def body(kind: str, ts: str) -> dict[str, Any]:
    """The event of the message, that of its edit, or what a history makes of it."""
    event: dict[str, Any] = {**message(ts, LAST if kind == "history" else FIRST), "channel": "C0HELP"}
    if kind == "edit":
        before, now = message(ts, FIRST), message(ts, LAST)
        event = {"type": "message", "subtype": "message_changed", "channel": "C0HELP", "ts": ts}
        event |= {"message": now, "previous_message": before}
    about = {"caught_up": True} if kind == "history" else {"event_id": f"Ev{kind}"}
    return {"type": "event_callback", "team_id": "T0A", "event": event, **about}


async def read(slack: Slack, *kinds: str, age: float = 60.0) -> list[str]:
    """Read these, one after another, so many seconds after the message was sent; the answer is what was ordered."""
    clock = HandClock()
    ts = f"{(clock.now() - timedelta(seconds=age)).timestamp():.6f}"
    made = watcher(OpenThread())
    made.clock, made.commands, made.late = clock, slack, LateMessages(history=slack, clock=clock)
    dispatcher = intake(made)
    for kind in kinds:
        if kind == "history":
            await made.caught_up(body(kind, ts))
        else:
            await dispatcher.handle(await dispatcher.record(body(kind, ts)))
    return slack.commands


@pytest.mark.parametrize(
    "kinds",
    [
        ("message", "edit"),
        ("edit", "message"),
        ("edit", "edit", "message", "message"),
        ("history", "message", "edit"),
        ("edit", "history", "message"),
        ("message", "history", "edit", "edit"),
    ],
)
async def test_a_late_order_is_run_once_as_it_stands(kinds: tuple[str, ...]) -> None:
    """Its own event has the text from before the edit."""
    assert await read(Slack(), *kinds) == [LAST]


async def test_an_order_that_comes_at_once_is_not_read_again_and_its_edit_orders_nothing() -> None:
    """Slack delivers within a second; nobody edits before that."""
    slack = Slack()
    assert await read(slack, "message", "edit", "edit", age=1.0) == [FIRST]
    assert slack.asked == 0


@pytest.mark.parametrize(
    ("slack", "age", "run"),
    [
        pytest.param(Slack(text=None), 60.0, [], id="deleted"),
        pytest.param(Slack(text="never mind"), 60.0, [], id="no order any more"),
        pytest.param(Slack(fails=True), 60.0, [FIRST], id="Slack does not answer"),
        pytest.param(Slack(), 3_600.0, [], id="too late for any order"),
    ],
)
async def test_a_late_order_that_is_gone_is_not_run(slack: Slack, age: float, run: list[str]) -> None:
    """Without an answer of Slack's, the event is all that is known; one that came too late is on record."""
    assert await read(slack, "message", age=age) == run
    assert slack.unheard == ([f"{FIRST.removeprefix('!triage ')}: late"] if age == 3_600.0 else [])


@pytest.mark.parametrize("kinds", [("message", "edit"), ("history", "message"), ("message", "history", "edit")])
async def test_an_order_that_a_crash_cut_off_is_run_once_as_it_stands(kinds: tuple[str, ...]) -> None:
    """Its records are on disk with the text of each."""
    slack, clock = Slack(), HandClock()
    ts = f"{(clock.now() - timedelta(seconds=60)).timestamp():.6f}"
    before = watcher(OpenThread())
    for kind in kinds:
        await intake(before).record(body(kind, ts))
    made = watcher(OpenThread())
    made.events, made.clock, made.commands = before.events, clock, slack
    made.late = LateMessages(history=slack, clock=clock)
    await intake(made).recover()
    await intake(made).handle(await intake(made).record(body("message", ts)))
    assert slack.commands == [LAST]


@pytest.mark.parametrize(
    ("slack", "is_revised"),
    [
        (Slack(text=FIRST), False),
        (Slack(text=LAST), True),
        (Slack(text=None), True),
        (Slack(fails=True), False),
    ],
)
async def test_a_revision_is_noticed_before_its_event(slack: Slack, is_revised: bool) -> None:
    """A message of any age, since its edit or deletion may be on the way."""
    event = payload_of(body("message", "100.000001"), chat_names={}, team="T0A").payload
    assert isinstance(event, Message)
    assert await LateMessages(history=slack, clock=HandClock()).was_revised(event) is is_revised
