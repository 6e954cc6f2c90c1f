"""A command that waits for its asker's press, through real sockets, over a restart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bot.models.interaction import Asker
from tests.line.conftest import TriageTime
from tests.line.human import cards, shows
from tests.line.test_commands import ADMINS, ada
from tests.line.test_straight_line import records

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line


async def chosen(bot: Bot, name: str) -> None:
    """The chat agent has chosen a command for the admin, after it read what others wrote."""
    asker = Asker(interaction_id="turn-1", team_id="T0SANDBOX", user_id="U0ADMIN", channel_id="C0HELP", via="chat")
    answer = await bot.surfaces.homes.handler.execute(name, {}, asker, tainted=True)
    assert answer.outcome == "asked"


async def test_what_cannot_be_deleted_is_not_asked_about(line: Line) -> None:
    """Nobody types a name only to hear that there is no such thing, or that it stands in the settings."""
    async with line.bot(more=ADMINS):
        for text, words in (
            ("delete_project shop", "is defined in `triage.yml`"),
            ("delete_project shpo", "There is no project `shpo`"),
            ("delete_note Limits project=shop", "No note has this title"),
            ("delete_note Limits project=shpo", "There is no project `shpo`"),
        ):
            assert words in await ada(line).command(text)


async def test_a_press_after_a_restart_does_what_was_asked_once(line: Line) -> None:
    """The buttons give way to what came of it; the journal holds no address."""
    async with line.bot(more=ADMINS) as bot:
        await chosen(bot, "pause")
        await ada(line).card("Not done yet", "command_confirm")
        assert bot.core.controls.state == "running"
    async with line.bot(more=ADMINS) as bot:
        await ada(line).press("command_confirm")
        await ada(line).card("Paused.")
        assert bot.core.controls.state == "paused"
        assert not [card for card in cards(await ada(line).now()) if shows(card, "command_confirm")]
    async with line.bot(more=ADMINS) as bot:
        assert bot.core.controls.state == "paused"
    audit = [x for x in records(line.home / "audit.ndjson") if x["kind"] == "command"]
    assert [(x["outcome"], x.get("settled")) for x in audit] == [("asked", None), ("done", "confirmed")]
    (press,) = [x for x in records(line.home / "events.ndjson") if x["kind"] == "press"]
    assert not {"response_url", "trigger_id", "token"} & press["raw"].keys()
    assert not (line.home / "control.sock").exists()


async def test_confirm_and_cancel_disappear_when_they_expire(line: Line) -> None:
    """Typed in a channel or chosen in a talk, over a restart; nothing was done, and the message says so."""
    clock = TriageTime()
    async with line.bot(more=ADMINS, clock=clock) as bot:
        await ada(line).command("write_note Deploys never on Fridays")
        asked = await ada(line).command("delete_note Deploys")
        assert "the buttons are in your direct message" in asked
        await ada(line).card("Not done yet", "Deploys", "command_confirm")
        await chosen(bot, "pause")
        await ada(line).card("Not done yet", "pause", "command_cancel")
    clock.move(0.3)
    async with line.bot(more=ADMINS, clock=clock) as bot:
        await ada(line).card("`delete_note`: This has expired after 15 minutes; nothing was done.")
        await ada(line).card("`pause`: This has expired")
        assert not [card for card in cards(await ada(line).now()) if shows(card, "command_c")]
        assert bot.core.controls.state == "running"
        assert "never on Fridays" in await ada(line).command("read_note Deploys")


async def test_what_nothing_takes_back_is_done_when_its_name_is_typed(line: Line) -> None:
    """Another word is told so in the dialog; the buttons give way to what came of it."""
    async with line.bot(more=ADMINS) as bot:
        assert "Written" in await ada(line).command("write_note Deploys never on Fridays")
        asker = Asker(interaction_id="turn-1", team_id="T0SANDBOX", user_id="U0ADMIN", channel_id="C0HELP", via="chat")
        await bot.surfaces.homes.handler.execute("delete_note", {"title": "Deploys"}, asker)
        await ada(line).card("Not done yet", "Deploys")
        await ada(line).press("command_confirm")
        dialog = await ada(line).dialog()
        assert "not the name" in json.dumps(await ada(line).submit(dialog, typed="deploys"))
        assert "never on Fridays" in await ada(line).command("read_note Deploys")
        assert (await ada(line).submit(dialog, typed="Deploys"))["ok"]
        await ada(line).card("Deleted `deploys.md`")
        assert "never on Fridays" not in await ada(line).command("read_note Deploys")
