"""Channels shared with another company, on the whole line: both sides ask, add and press; one card, one reply each."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from sandbox.seed import SHARED_CHANNEL
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, SHOP, Line, SlackTime
from tests.line.human import Human, View, cards, replies, shows
from tests.line.test_commands import ADMINS
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

CHAT = f"- {{chat_id: {SHARED_CHANNEL}, name: shared-partner, mode: live}}"
ORG = "- {chat_id: C0ORG, name: org-wide, mode: live}"
VAULT_PROJECT = "  vault: {root: ./vault, description: Payments of the vault., external: no}"
VAULT = "VAULT_RETRY_LIMIT = 9\n\n\ndef retry_vault_payment(payment):\n    payment.tried_again()\n"
THEIRS = ("U0RITA", "U0RAY")
OTHER = "when does the money of a cancelled order come back?"


@asynccontextmanager
async def workspace(folder: Path, **wishes: Any) -> AsyncIterator[Line]:
    """Two companies and a channel of both, or what else is wished for."""
    (folder / "shop").mkdir()
    (folder / "shop" / "orders.py").write_text(SHOP)
    (folder / "vault").mkdir()
    (folder / "vault" / "vault.py").write_text(VAULT)
    time = SlackTime()
    made = await Sandbox.start(port=0, clock=time, manifest=MANIFEST, **wishes)
    yield Line(made, folder, time)
    await made.close()


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Line]:
    """A workspace, the company that shares a channel with it, and no bot yet."""
    async with workspace(tmp_path, shared=True) as line:
        yield line


def bot(line: Line, *, external: str = "warn", **keys: Any) -> Any:
    """A bot that reads the shared channel."""
    return line.bot(slack=f"debounce_ms: 0, external: {external}", chats=CHAT, **keys)


def bot_replies(view: View, root: str) -> list[View]:
    """List the bot's replies in this thread."""
    return [reply for reply in replies(view, root) if reply["user"] == "U0TRIAGE"]


def rita(line: Line) -> Human:
    """Who asks on the other side."""
    return Human(line.workspace.url, "U0RITA")


async def posted(line: Line) -> list[dict[str, Any]]:
    """The bot's replies in the shared channel, as Ana sees them."""
    view = await line.ana.now()
    (shared,) = [channel for channel in view["channels"] if channel["id"] == SHARED_CHANNEL]
    said = [reply for root in shared["messages"] for reply in root["replies"]]
    return [reply for reply in said if reply["user"] == "U0TRIAGE" and not reply.get("ephemeral")]


async def test_a_channel_of_cards_that_comes_to_be_shared_shows_none(both: Line) -> None:
    """What stands there goes, later cards come to the direct message, over a restart too, and an admin is told."""
    channel = await both.olu.makes_channel("cards", "U0TRIAGE", "U0ADMIN", is_private=True)
    mode, more = "live, cards: channel", f"admins: [U0ADMIN]\napproval: {{queue_channel: {channel}}}"

    def there(view: Any) -> list[Any]:
        (room,) = [room for room in view["channels"] if room["id"] == channel]
        return [m for m in room["messages"] if m["user"] == "U0TRIAGE" and m["blocks"]]

    async with both.bot(mode=mode, more=more):
        await both.ana.say(QUESTION)
        await both.olu.sees(there)
        await both.ada.calls("share", channel=channel, team="T0PARTNER")
        await both.ada.calls("invite", channel=channel, who="U0RITA")
        await both.ada.card("can be read by another company", "approval.queue_channel")
        await both.olu.card(QUESTION, '"approve"')
        await rita(both).sees(lambda view: there(view) == [])
    async with both.bot(mode=mode, more=more):
        await both.ana.say(OTHER)
        await both.olu.press("approve", await both.olu.card(OTHER, '"approve"'))
        await both.olu.card("The reply is posted.")
        assert there(await rita(both).now()) == []
        await both.ada.calls("unshare", channel=channel, team="T0PARTNER")
        await both.ada.card("*Over* since")
        await both.olu.sees(there)


async def test_both_sides_ask_add_and_press(both: Line) -> None:
    """Each question has one card and one reply, whoever adds to it; the other side's presses decide nothing."""
    olu, ana, ray = both.olu, both.ana, Human(both.workspace.url, "U0RAY")
    async with bot(both):
        theirs = await rita(both).say(QUESTION, channel=SHARED_CHANNEL)
        await olu.card(QUESTION, "Asked by Rita of another company", '"approve"')
        ours = await ana.say(OTHER, channel=SHARED_CHANNEL)
        await olu.card(OTHER, "This channel is shared with another company", '"approve"')
        await ana.say("It is about orders of version 2.", thread_ts=theirs, channel=SHARED_CHANNEL)
        await ray.say("And how often is a refund tried again?", thread_ts=theirs, channel=SHARED_CHANNEL)
        await rita(both).say("How often is it tried for an order?", thread_ts=theirs, channel=SHARED_CHANNEL)
        await ray.say("What about partial refunds of an order?", thread_ts=ours, channel=SHARED_CHANNEL)
        await olu.card("What about partial refunds", "Look again")
        first = await olu.card("How often is it tried for an order?", "Look again")
        for other in (rita(both), ray):
            assert not (await other.press("post_anyway", first))["ok"]
        for words in ("What about partial refunds", "How often is it tried for an order?"):
            card = await olu.card(words, "Look again", "post_anyway")
            assert (await olu.press("post_anyway", card))["ok"]
        for root in (theirs, ours):
            await olu.sees(partial(bot_replies, root=root))
        assert sorted(path.name for path in (both.home / "state").glob("*.json")) == [
            f"T0SANDBOX-C0SHARED-{root}.json" for root in (theirs, ours)
        ]
        await olu.sees(lambda view: not any(shows(card, "actions") for card in cards(view)))
    assert len(records(both.home / "replies.ndjson")) == len(await posted(both)) == 2


async def test_every_asker_of_the_other_company_is_marked(both: Line) -> None:
    """Four questions, each followed up by its asker and by the other side, and everything sent twice."""
    people = {name: Human(both.workspace.url, name) for name in ("U0RITA", "U0ANA", "U0RAY", "U0ADMIN")}
    asked: dict[str, str] = {}
    async with bot(both) as running:
        async with aiohttp.ClientSession() as session:
            assert (await session.post(f"{both.workspace.url}/faults", json={"kind": "duplicate", "times": 12})).ok
        for number, name in enumerate(people):
            text = f"{number}: how often is payment {number} tried again?"
            asked[await people[name].say(text, channel=SHARED_CHANNEL)] = name
            await both.olu.card(text, '"approve"')
        for root, name in asked.items():
            other = both.ana if name in THEIRS else people["U0RAY"]
            await other.say(f"what about order {root}, by the way?", thread_ts=root, channel=SHARED_CHANNEL)
            await people[name].say(f"I mean order {root}, is it the same?", thread_ts=root, channel=SHARED_CHANNEL)
        for root in asked:
            card = await both.olu.card(f"I mean order {root}", "Look again", "post_anyway")
            assert (await both.olu.press("post_anyway", card))["ok"]
            await both.olu.sees(partial(bot_replies, root=root))
        kept = [await running.core.orchestrator.store.load(path.stem) for path in (both.home / "state").glob("*.json")]
    assert {each.root_ts: each.external and each.external.asker for each in kept if each} == {
        root: name in THEIRS for root, name in asked.items()
    }
    assert len(records(both.home / "replies.ndjson")) == len(await posted(both)) == len(asked)


async def test_approve_names_the_readers_and_asks_once_more(both: Line) -> None:
    """The dialog of the button says who they are; the press is then one like any other."""
    async with bot(both):
        asked = await rita(both).say(QUESTION, channel=SHARED_CHANNEL)
        card = await both.olu.card(QUESTION, "Asked by Rita of another company", '"approve"')
        button = _approve(card)
        assert "Rita of another company will read this reply" in button["confirm"]["text"]["text"]
        assert button["style"] == "primary"
        await both.olu.press("approve", card)
        assert await both.ana.replies(asked)


async def test_allow_marks_and_asks_nothing(both: Line) -> None:
    """One press posts."""
    async with bot(both, external="allow"):
        asked = await rita(both).say(QUESTION, channel=SHARED_CHANNEL)
        card = await both.olu.card(QUESTION, "Asked by Rita of another company", '"approve"')
        assert "confirm" not in _approve(card)
        await both.olu.press("approve", card)
        assert await both.ana.replies(asked)


async def test_never_leaves_their_questions_alone_and_why_says_so(both: Line) -> None:
    """With a mention, too; a member's question beside it is taken up, and Approve asks once more."""
    async with bot(both, external="never"):
        plain = await rita(both).say(QUESTION, channel=SHARED_CHANNEL)
        to_bot = rita(both).say(f"<@U0TRIAGE> {QUESTION}", channel=SHARED_CHANNEL)
        assert await rita(both).whispered(to_bot, "for members of this workspace")
        await both.ana.say(OTHER, channel=SHARED_CHANNEL)
        card = await both.olu.card(OTHER, "This channel is shared with another company", '"approve"')
        assert "shared with another company" in _approve(card)["confirm"]["text"]["text"]
        link = f"{both.workspace.url}/archives/{SHARED_CHANNEL}/p{plain.replace('.', '')}"
        assert "author is of another company" in await both.olu.command(f"why {link}")
        assert len([*(both.home / "state").glob("*.json")]) == 1


async def test_a_mention_of_theirs_asks_and_orders_nothing(both: Line) -> None:
    """A question to the bot is one; for all else there is the line that guests read."""
    async with bot(both):
        lines = {
            "<@U0TRIAGE> pause": "for members of this workspace",
            "!triage help": "for members of this workspace",
        }
        for order, line in (lines | {"!triage status": "Only operators and admins"}).items():
            assert await rita(both).whispered(rita(both).say(order, channel=SHARED_CHANNEL), line)
        await rita(both).say(f"<@U0TRIAGE> {QUESTION}", channel=SHARED_CHANNEL)
        assert await both.olu.card(QUESTION, "Asked by Rita of another company", '"approve"')
        assert "*Running*" in await both.olu.command("status")
        assert len([*(both.home / "state").glob("*.json")]) == 1


async def test_a_project_that_they_may_not_see_is_not_searched(both: Line) -> None:
    """Its name stands on the card alone; where the channel is about nothing else there is no draft."""
    question = "what is VAULT_RETRY_LIMIT in retry_vault_payment?"
    async with bot(both, projects=VAULT_PROJECT):
        await both.ana.say(question)
        assert await both.olu.card(question, "vault.py:1")
        await rita(both).say(f"Hello, {question}", channel=SHARED_CHANNEL)
        card = await both.olu.card(f"Hello, {question}", "Asked by Rita", "Dismiss")
        assert shows(card, "*Not searched:* vault")
        assert not shows(card, "vault.py")
    about = CHAT.replace("mode: live", "mode: live, project: vault")
    async with both.bot(slack="debounce_ms: 0", chats=about, projects=VAULT_PROJECT):
        await rita(both).say(f"Again, {question}", channel=SHARED_CHANNEL)
        card = await both.olu.card(f"Again, {question}", "*No draft:*", "would read what is answered from vault")
        assert not shows(card, "vault.py")
    theirs = json.dumps(await rita(both).now())
    assert "vault.py" not in theirs
    assert "from vault" not in theirs


async def test_a_channel_that_is_shared_after_the_draft_is_noticed_at_approve(both: Line) -> None:
    """The operator looks again; a draft of a project that the others may not see is made anew without it."""
    question = "what is VAULT_RETRY_LIMIT in retry_vault_payment?"
    async with bot(both, projects=VAULT_PROJECT):
        asked = await both.ana.say(QUESTION)
        kept = await both.ana.say(question)
        first = await both.olu.card(QUESTION, '"approve"')
        second = await both.olu.card(question, "vault.py:1", '"approve"')
        await both.ana.calls("share", channel="C0HELP", team="T0PARTNER")
        await both.olu.press("approve", first)
        again = await both.olu.card(QUESTION, "read this channel since this draft was made", '"post_anyway"')
        await both.olu.press("approve", second)
        without = await both.olu.card(question, "This channel is shared", "*Not searched:* vault", "Dismiss")
        assert not shows(without, "vault.py")
        await both.olu.press("post_anyway", again)
        assert await both.ana.replies(asked)
        assert not replies(await both.ana.now(), kept)


async def test_their_app_home_names_no_channel(both: Line) -> None:
    """They read what Triage is; members read where to ask, too."""
    async with bot(both):
        assert not shows(await rita(both).home(), "C0HELP")
        assert shows(await both.ana.home(), "C0HELP")


async def test_people_of_a_sister_workspace_are_members(tmp_path: Path) -> None:
    """Of the same Enterprise Grid: unmarked, and they may give commands and decide."""
    async with workspace(tmp_path, grid=True) as line:
        sia = Human(line.workspace.url, "U0SIA")
        more = "admins: [U0SIA]"
        async with line.bot(slack="debounce_ms: 0, external: never", chats=ORG, more=more):
            asked = await sia.say(QUESTION, channel="C0ORG")
            card = await line.olu.card(QUESTION, '"approve"')
            assert not shows(card, "another company")
            assert "*Running*" in await sia.command("status", channel="C0ORG")
            await line.olu.press("approve", card)
            assert await line.ana.replies(asked)
        assert [path.name for path in (line.home / "state").glob("*.json")] == [f"T0SANDBOX-C0ORG-{asked}.json"]


async def test_what_they_asked_while_nobody_listened_is_marked_once(both: Line) -> None:
    """A history says nothing of who reads a channel; a follow-up of our side and a restart bring no second card."""
    async with bot(both):
        await both.ana.say("Hello everybody", channel=SHARED_CHANNEL)
    asked = await rita(both).say(QUESTION, channel=SHARED_CHANNEL)
    async with bot(both):
        await both.olu.card(QUESTION, "Asked by Rita of another company", '"approve"')
    await both.ana.say("It is about orders of version 2.", thread_ts=asked, channel=SHARED_CHANNEL)
    async with bot(both):
        assert await both.olu.card(QUESTION, "Asked by Rita of another company", "Look again")
        assert [path.name for path in (both.home / "state").glob("*.json")] == [f"T0SANDBOX-C0SHARED-{asked}.json"]


async def test_a_message_of_theirs_that_was_called_missed_is_marked(both: Line) -> None:
    """The payload of the shortcut says nothing of the channel, so Slack is asked."""
    async with bot(both):
        said = await rita(both).say("The parcels of yesterday.", channel=SHARED_CHANNEL)
        await both.olu.shortcut("missed_this", said, channel=SHARED_CHANNEL)
        assert await both.olu.card("The parcels of yesterday", "Asked by Rita of another company")


def _approve(card: dict[str, Any]) -> dict[str, Any]:
    """The Approve button of a card."""
    elements = [element for block in card["blocks"] for element in block.get("elements", ())]
    found: dict[str, Any] = next(element for element in elements if element.get("action_id") == "approve")
    return found


async def test_automatic_replies_are_refused_where_another_company_reads(both: Line) -> None:
    """They could never go out there, so there is nothing to consent to."""
    async with bot(both, more=ADMINS):
        refused = await both.ada.command(f"autoreply on <#{SHARED_CHANNEL}|shared-partner>")
        assert "People of another company read" in refused
    assert not (both.home / "auto-reply-channels.json").exists()
