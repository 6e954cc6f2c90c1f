"""Ask an Owner, through real sockets: whom CODEOWNERS names is asked, once, and nobody else sees it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.line.human import Human, cards, newest, shows
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line

OWNERS = 'owners: {"@octo/shop": U0ADMIN}'


def owned(line: Line) -> None:
    """The shop names its owners."""
    (line.folder / "shop" / ".github").mkdir()
    (line.folder / "shop" / ".github" / "CODEOWNERS").write_text("* @octo/everybody\n/*.py @octo/shop\n")


async def test_an_owner_is_asked_once_in_their_direct_message(line: Line) -> None:
    """With the question, its link and the draft; the operator is told in private, the card and the audit say so."""
    owned(line)
    ada = Human(line.workspace.url, "U0ADMIN")
    async with line.bot(more=OWNERS):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Approve", "Ask an Owner")
        await line.olu.whispered(line.olu.chooses("ask_owner", card), "<@U0ADMIN> was asked in a direct message")
        message = await ada.card("<@U0ADMIN>, <@U0OPS> asks you as an owner", "orders.py:", asked.replace(".", ""))
        assert shows(message, QUESTION)
        assert not shows(message, '"actions"')
        now_drawn = await line.olu.card("<@U0ADMIN> is asked by <@U0OPS>", '"approve"')
        assert not shows(now_drawn, "Ask an Owner")
        assert len([m for m in cards(await ada.now()) if shows(m, "asks you as an owner")]) == 1
        assert not [m for m in (await line.ana.now())["channels"][0]["messages"] if "owner" in json.dumps(m)]
    (press,) = [r for r in records(line.home / "audit.ndjson") if r.get("action") == "ask_owner"]
    assert press["result"].startswith("<@U0ADMIN> was asked")


async def test_owners_are_asked_among_operators_where_they_have_a_channel(line: Line) -> None:
    """In the thread of the card when it stands there, and nowhere else."""
    owned(line)
    ada = Human(line.workspace.url, "U0ADMIN")
    queue = await line.olu.makes_channel("triage-queue", "U0TRIAGE", "U0ADMIN", is_private=True)
    more = f"{OWNERS}\napproval: {{queue_channel: {queue}}}"
    async with line.bot(more=more, chat="cards: channel"):
        await line.ana.say(QUESTION)

        def in_queue(view: dict[str, object], *words: str) -> object:
            channels = view["channels"]
            assert isinstance(channels, list)
            held = [m for c in channels if c["id"] == queue for m in c["messages"]]
            return newest(held, words)

        card = await line.olu.sees(lambda view: in_queue(view, "Ask an Owner"))
        await line.olu.whispered(line.olu.chooses("ask_owner", card), "was asked in", queue)
        seen = await ada.sees(lambda view: in_queue(view, "is asked by <@U0OPS>"))
        (reply,) = seen["replies"]
        assert shows(reply, "<@U0ADMIN>, <@U0OPS> asks you as an owner")
        assert not [m for m in cards(await ada.now()) if shows(m, "asks you as an owner")]


async def test_without_a_known_owner_there_is_no_such_button(line: Line) -> None:
    """A team of CODEOWNERS that the settings do not know is nobody to ask; who is on call is."""
    owned(line)
    async with line.bot():
        await line.ana.say(QUESTION)
        assert not shows(await line.olu.card('"approve"'), "Ask an Owner")
    async with line.bot(project="on_call: [U0ADMIN]"):
        await line.ana.say(f"One more thing: {QUESTION}")
        assert await line.olu.card('"approve"', "One more thing", "Ask an Owner")
