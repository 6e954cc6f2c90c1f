"""Orders that reach the bot late: it runs each once, as its sender last wrote it, and none from before a stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.line.conftest import TriageTime
from tests.line.human import until
from tests.line.test_straight_line import records

if TYPE_CHECKING:
    from tests.line.conftest import Line

ADMINS = "admins: [U0ADMIN]"
A_MINUTE = 1 / 60


def commands(line: Line) -> list[str]:
    """The commands of the audit, in order."""
    path = line.home / "audit.ndjson"
    return [record["action"] for record in records(path) if record["kind"] == "command"] if path.exists() else []


@pytest.mark.parametrize(
    ("channel", "written", "edited", "run"),
    [
        ("C0HELP", "!triage resume", "!triage stop", "stop"),
        ("C0HELP", "!triage stop", "!triage status", "status"),
        ("C0HELP", "<@U0TRIAGE> resume", "<@U0TRIAGE> stop everything", "stop"),
        ("D0ADMIN", "resume", "stop everything", "stop"),
        ("D0ADMIN", "!triage stop", "!triage queue", "queue"),
    ],
)
async def test_an_order_that_was_edited_while_the_bot_was_down_is_run_once_as_it_stands(
    line: Line, channel: str, written: str, edited: str, run: str
) -> None:
    """By whichever way it is read first: its event, or the channel's history."""
    async with line.bot(more=ADMINS):
        pass
    ts = await line.ada.say(written, channel=channel)
    await line.ada.calls("edit", channel=channel, ts=ts, text=edited)
    async with line.bot(more=ADMINS, clock=TriageTime(A_MINUTE)):
        await until(lambda: commands(line))
    async with line.bot(more=ADMINS, clock=TriageTime(A_MINUTE)):
        await line.ada.say("!triage config", channel=channel)
        await until(lambda: "config" in commands(line))
    assert commands(line) == [run, "config"]


@pytest.mark.parametrize(("older", "newer"), [("!triage resume", "!triage stop"), ("resume", "please stop everything")])
async def test_an_older_order_that_comes_after_a_stop_takes_nothing_back(line: Line, older: str, newer: str) -> None:
    """Its sender reads so; a new one resumes."""
    async with line.bot(more=ADMINS) as bot:
        resumed = await line.ada.say(older, channel="D0ADMIN")
        await until(lambda: commands(line) == ["resume"])
        await line.ada.say(newer, channel="D0ADMIN")
        await until(lambda: commands(line) == ["resume", "stop"])
        event = {"type": "message", "channel": "D0ADMIN", "channel_type": "im", "user": "U0ADMIN", "text": older}
        body = {"type": "event_callback", "team_id": bot.core.identity.team_id, "event_id": "EvLate"}
        late = f"{float(resumed) - 0.5:.6f}"
        received = await bot.dispatcher.record({**body, "event": {**event, "ts": late}})
        await bot.dispatcher.handle(received)
        await until(lambda: commands(line) == ["resume", "stop", "resume"])
        assert bot.core.controls.state == "stopped"
        await line.ada.say(older, channel="D0ADMIN")
        await until(lambda: bot.core.controls.state == "running")
    results = [record["result"] for record in records(line.home / "audit.ndjson") if record["kind"] == "command"]
    assert results[2].startswith("This was written before Triage was stopped, and came late. Nothing was done.")


async def test_neither_an_edit_nor_a_message_that_was_deleted_gives_an_order(line: Line) -> None:
    """However often the edit is delivered; the message was read before it."""
    async with line.bot(more=ADMINS):
        ts = await line.ada.say("!triage status")
        await until(lambda: commands(line) == ["status"])
        for _ in range(2):
            await line.ada.calls("edit", channel="C0HELP", ts=ts, text="!triage stop")
    gone = await line.ada.say("!triage stop")
    await line.ada.calls("delete", channel="C0HELP", ts=gone)
    async with line.bot(more=ADMINS, clock=TriageTime(A_MINUTE)) as bot:
        await line.ada.say("!triage config")
        await until(lambda: "config" in commands(line))
        assert bot.core.controls.state == "running"
    assert commands(line) == ["status", "config"]
