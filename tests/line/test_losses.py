"""People, channels and the app that go away: whoever must act is told once, and questions still find somebody."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from bot.errors import Misconfigured
from tests.line.human import View, cards, newest, replies, until
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line

ADMIN = "admins: [U0ADMIN]"
TWO = "operators: [U0OPS, U0ADMIN]"


async def fault(line: Line, **wish: Any) -> None:
    """Order a fault of the workspace."""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{line.workspace.url}/faults", json=wish) as answer:
            assert answer.status == 200, await answer.text()


async def mended(line: Line) -> None:
    """Take back every fault that was ordered."""
    async with aiohttp.ClientSession() as session:
        await session.delete(f"{line.workspace.url}/faults")


async def does(line: Line, deed: str, **said: Any) -> None:
    """Do something to a channel, a person or the app."""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{line.workspace.url}/human/{deed}", json={"user": "U0ANA", **said}) as answer:
            assert answer.status == 200, await answer.text()


def notices(view: View, *words: str) -> list[View]:
    """The messages of the bot to this person that have all of these words."""
    return [m for m in cards(view) if newest([m], words)]


def health(line: Line) -> dict[str, Any]:
    """The bot's last word of itself."""
    said: dict[str, Any] = json.loads((line.home / "health.json").read_text())
    return said


async def test_cards_that_do_not_reach_an_operator_go_to_the_next(line: Line) -> None:
    """Seven cards whose operator is gone reach the other; an admin is told once, over a restart too, which goes on."""
    async with line.bot(chat=TWO, more=ADMIN):
        for about in ("U0OPS", "D0OPS"):
            await fault(line, kind="refused", error="user_disabled", about=about, times=1_000)
        await asyncio.gather(*(line.ana.say(f"{QUESTION} Case {number}.") for number in range(7)))
        shown = await line.ada.sees(lambda view: len(found := notices(view, '"approve"')) == 7 and found)
        assert newest(shown, ("*Handed over* to <@U0ADMIN>", "<@U0OPS>"))
        told = await line.ada.card("<@U0OPS> cannot be given questions any more", "user_disabled", "operators")
        assert "<@U0OPS> cannot be given questions" in await line.ada.command("status")
    async with line.bot(chat=TWO, more=ADMIN):
        await line.ada.press("approve", shown[0])
        await line.ada.card("The reply is posted.")
        assert [m["ts"] for m in notices(await line.ada.now(), "cannot be given questions")] == [told["ts"]]
        await mended(line)


async def test_cards_of_a_deactivated_operator_pass_on_at_the_next_start(line: Line) -> None:
    """Those that stood in their direct messages, too; the start goes on while one operator can be reached."""
    async with line.bot(chat=TWO, more=ADMIN):
        await line.ana.say(QUESTION)
        await line.olu.card('"approve"')
    await does(line, "deactivate", who="U0OPS")
    async with line.bot(chat=TWO, more=ADMIN):
        await line.ada.press("approve", await line.ada.card('"approve"', "*Handed over* to <@U0ADMIN>"))
        await line.ada.card("The reply is posted.")
        assert len(notices(await line.ada.now(), "<@U0OPS> cannot be given questions")) == 1
    with pytest.raises(Misconfigured, match="no operator can receive cards"):
        async with line.bot(more=ADMIN):
            pass


CHANNEL = {
    "kick": ({"who": "U0TRIAGE"}, "/invite @Triage"),
    "archive": ({}, "Unarchive it"),
    "rename": ({"name": "infra"}, "name: infra"),
    "delete_channel": ({}, "deleted"),
}
MISSED = "how is an order cancelled?"
GONE = ("delete_channel", False)
"""A deed that only its event tells apart from another one."""
BACK: dict[str, list[tuple[str, dict[str, str]]]] = {
    "kick": [("invite", {"who": "U0TRIAGE"})],
    "archive": [("unarchive", {})],
    "rename": [("rename", {"name": "help-platform"})],
}


@pytest.mark.parametrize(
    ("deed", "is_away"),
    [
        *((deed, False) for deed in CHANNEL),
        ("kick", True),
        ("delete_channel", True),
        *(pytest.param(deed, True, marks=pytest.mark.long) for deed in ("archive", "rename")),  # found by the same look
    ],
)
async def test_what_becomes_of_a_channel_is_told_once_and_is_over_when_the_bot_is_back(
    line: Line, deed: str, *, is_away: bool
) -> None:
    """Within ten seconds, whether it ran then or was away; status, Home, health and the waiting card say so."""
    said, words = CHANNEL[deed]
    async with line.bot(more=ADMIN):
        asked = await line.ana.say(QUESTION)
        await line.olu.card('"approve"')
        if not is_away:
            await does(line, deed, channel="C0HELP", **said)
            began = time.monotonic()
            await line.ada.card(words)
            assert time.monotonic() - began < 10
    if is_away:
        await does(line, deed, channel="C0HELP", **said)
    async with line.bot(more=ADMIN) as bot:
        await line.ada.card(words)
        assert words in await line.ada.command("status", channel="C0GENERAL")
        assert newest([await line.olu.home()], (words,))
        await until(lambda: any(words in problem for problem in health(line)["problems"]))
        assert "<#" not in str(health(line)["problems"])
        if deed != "rename":
            why = "*Archived:*" if deed == "archive" else "*Deleted:*" if (deed, is_away) == GONE else "*Not in"
            assert "<#C0HELP>" not in str(await line.ana.home())
            await line.olu.press("approve", await line.olu.card('"approve"', why))
            await line.olu.card('"post_anyway"')
        if deed == "kick":
            await line.ana.say(MISSED)
        for name, more in BACK.get(deed, []):
            await does(line, name, channel="C0HELP", **more)
        if deed in BACK:
            await line.ada.card("*Over* since")
            assert bot.core.access.losses.lines() == ()
        assert len(cards(await line.ada.now())) == 1
        if deed == "kick":
            await line.ana.say("thank you all")
            await line.olu.card(MISSED, '"approve"')
            await line.olu.press("post_anyway", await line.olu.card('"post_anyway"'))
            assert len(await line.ana.sees(lambda view: replies(view, asked))) == 1


@pytest.mark.parametrize(("deed", "code"), [("revoke", "token_revoked"), ("uninstall", "account_inactive")])
async def test_a_revoked_token_ends_the_bot_and_says_what_to_do(line: Line, deed: str, code: str) -> None:
    """In its health, in what it ends with, and at the next start; once the app is installed again all goes on."""
    async with line.bot(more=ADMIN) as bot:
        await line.ana.say(QUESTION)
        await line.olu.card('"approve"')
        await does(line, deed)
        async with asyncio.timeout(10):
            end = await asyncio.shield(bot.core.stop.future)
        assert isinstance(end, Misconfigured)
        assert f"SLACK_BOT_TOKEN: Slack does not accept it any more ({code})" in str(end)
    assert "Install the app again" in health(line)["problems"][0]
    assert not health(line)["connected"]
    with pytest.raises(Misconfigured, match=code):
        async with line.bot(more=ADMIN):
            pass
    await does(line, "install")
    async with line.bot(more=ADMIN):
        await line.olu.card('"approve"')
        await until(lambda: health(line)["problems"] == [])


@pytest.mark.parametrize(
    "code", ["not_in_channel", "missing_scope", pytest.param("invalid_auth", marks=pytest.mark.long), "token_revoked"]
)
async def test_a_refused_call_alone_gives_reason_to_look(line: Line, code: str) -> None:
    """Without an event; what a look finds in order is nobody's business, and ends nothing."""
    async with line.bot(more=ADMIN) as bot:
        await fault(line, kind="refused", method="chat.postMessage", error=code, about="C0HELP", times=1)
        await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card('"approve"'))
        await line.olu.card("The reply was not posted", code)
        if code == "missing_scope":
            await line.ada.card("The app lacks a scope")
        assert not bot.core.stop.future.done()
        assert len(cards(await line.ada.now())) == (code == "missing_scope")


async def test_an_app_token_that_opens_no_socket_any_more_ends_the_bot(line: Line) -> None:
    """In place of asking for another socket for ever."""
    async with line.bot(more=ADMIN) as bot:
        await fault(line, kind="refused", method="apps.connections.open", error="token_revoked", times=100)
        await fault(line, kind="disconnect", reason="refresh_requested")
        async with asyncio.timeout(10):
            end = await asyncio.shield(bot.core.stop.future)
        assert "SLACK_APP_TOKEN: Slack does not accept it any more (token_revoked)" in str(end)
    assert "SLACK_APP_TOKEN" in health(line)["problems"][0]


async def test_a_card_that_is_too_large_and_a_person_of_whom_slack_says_nothing(line: Line) -> None:
    """The card comes shorter, with its buttons; who presses is no stranger because Slack cannot be asked."""
    await fault(line, kind="refused", method="users.info", error="unnamed_refusal", times=1_000)
    async with line.bot(more=ADMIN):
        await fault(
            line, kind="refused", method="chat.postMessage", error="msg_blocks_too_long", about="D0OPS", times=1
        )
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"', "shown without formatting")
        await line.olu.whispered(line.olu.press("approve", card), "could not confirm who you are", "press again")
        await mended(line)
        await line.olu.press("approve", card)
        assert len(await line.ana.replies(asked)) == 1
