"""Projects made at run time, through real sockets: made, asked, paused, resumed, over a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import shows
from tests.line.test_commands import ADMINS, ada

if TYPE_CHECKING:
    from tests.line.conftest import Line

REACH = f"{ADMINS}\nprojects_below: [.]\nrepository_hosts: [code.test]"
LOST = "when does a parcel count as lost?"


async def test_a_project_made_by_a_command_answers_waits_while_paused_and_goes_on(line: Line) -> None:
    """From the next question in its channel on, from its folder; who names it waits; its pause outlasts a restart."""
    parcels = line.folder / "parcels"
    parcels.mkdir()
    (parcels / "tracking.py").write_text('LOST_AFTER_DAYS = 21\n"""When a parcel counts as lost."""\n')
    async with line.bot(more=REACH):
        assert "Created `parcels`. It applies from the next" in await ada(line).command(
            f"create_project parcels {parcels}"
        )
        assert "go to `parcels` now" in await ada(line).command("set_project_channel parcels general")
        await line.ana.say(LOST, channel="C0GENERAL")
        card = await line.olu.card('"approve"', "tracking.py")
        await line.olu.evidence(card, "from parcels as Investigator", "project by the channel")
        assert (await ada(line).command("pause_project parcels")).startswith("Paused `parcels`")
        await line.ana.say("and where is LOST_AFTER_DAYS set?", channel="C0GENERAL")
        await line.olu.command_until("list_projects", "1 question waiting")
        assert shows(await line.olu.home(), "*Waits:* the project parcels is paused")
    async with line.bot(more=REACH):
        assert "`parcels` is paused since" in await line.olu.command("list_projects")
        assert "1 question had waited" in await ada(line).command("resume_project parcels")
        await line.olu.card("LOST_AFTER_DAYS set?", '"approve"', "tracking.py")
        await line.ana.say("how much does a parcel over 3 kg cost?")
        await line.olu.card("over 3 kg", "Nothing found in parcels", '"answer"')
        assert (await ada(line).command("pause_project parcels")).startswith("Paused `parcels`")
        await line.ana.whispered(line.ana.say("which file sets LOST_AFTER_DAYS?"), "about *parcels*, which is paused")
        await line.olu.card("which file sets LOST_AFTER_DAYS?", "*Paused:* parcels fits this better than shop")
        await line.ana.say("how many days until Parcels are lost?")
        await line.olu.command_until("list_projects", "1 question waiting")
        await line.ana.say("how often is a payment tried again?")
        assert not shows(await line.olu.card("payment tried again", '"approve"'), "*Paused:*")
        assert "1 question had waited" in await ada(line).command("resume_project parcels")
        await line.olu.card("until Parcels are lost?", '"approve"', "tracking.py")
        parcels.rename(line.folder / "was")
        parcels.symlink_to(line.home)
        assert "`parcels` cannot be read:" in await line.olu.command("list_projects")
        assert "never read there" in await ada(line).command("read_file audit.ndjson project=parcels")


async def test_a_project_has_notes_before_its_code_is_there(line: Line) -> None:
    """As typed in Slack, which wraps its address; who asks for a file hears no other project's name instead."""
    async with line.bot(more=REACH):
        wrong = await ada(line).command("create_project till git@code.test:shop")
        assert wrong.startswith("Repository: expected ssh://git@code.test/shop instead of git@code.test:shop.")
        assert "expected the usual port" in await ada(line).command("create_project till https://code.test:6379/shop")
        made = await ada(line).command("create_project till https://code.test/shop")
        assert made.startswith("Created `till`. Its code is being fetched")
        assert "Written: `limits.md` of `till`" in await line.olu.command(
            "write_note Limits project=Till Three & <four>."
        )
        assert "Three &amp; &lt;four&gt;." in await line.olu.command("read_note limits project=till")
        assert "does not exist or cannot be opened" in await line.olu.command("read_file a.py project=till")


async def test_a_channel_that_a_command_creates_is_watched_from_then_on(line: Line) -> None:
    """Its creator is in it, its questions are answered from its project, also after a restart and while away."""
    parcels = line.folder / "parcels"
    parcels.mkdir()
    (parcels / "tracking.py").write_text('LOST_AFTER_DAYS = 21\n"""When a parcel counts as lost."""\n')
    async with line.bot(more=REACH):
        created = await ada(line).command(f"create_project parcels {parcels} channel=help-parcels")
        channel = created.partition("<#")[2].partition(">")[0]
        assert created.startswith(f"Created `parcels` with its channel <#{channel}>, which is watched, live.")
        assert (await line.ana.calls("join", channel=channel))["ok"]
        asked = await line.ana.say(LOST, channel=channel)
        await line.olu.press("approve", await line.olu.card('"approve"', "tracking.py"))
        (reply,) = await line.ana.replies(asked)
        assert "LOST_AFTER_DAYS" in reply["text"]
        assert f"<#{channel}> live" in await ada(line).command("status")
    await line.ana.say("and where is LOST_AFTER_DAYS set?", channel=channel)
    async with line.bot(more=REACH):
        await line.olu.card("LOST_AFTER_DAYS set?", '"approve"', "tracking.py")
        assert "`parcels`" in await line.olu.command(f"get_project_for_channel <#{channel}|help-parcels>")
