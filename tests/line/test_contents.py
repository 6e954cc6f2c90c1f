"""What a message says beside its text, on the whole line: alerts, shared messages, blocks, snippets, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes import HeldEngine
from tests.line.human import Human, shows, until
from tests.line.test_straight_line import records
from tests.models.slack_messages import (
    ALERTMANAGER,
    BLOCKS,
    GRAFANA,
    PAGERDUTY,
    SCREENSHOT,
    SHARED,
    SNIPPET,
)

if TYPE_CHECKING:
    from tests.line.conftest import Line

ASKED = "how often is a payment tried again?"
LISTENS = "classifier: {alert_bots: [U0ALERTS]}"


@pytest.mark.parametrize(
    ("alert", "words"),
    [
        pytest.param(GRAFANA, "RETRY_LIMIT was reached for 17 orders", id="Grafana"),
        pytest.param(ALERTMANAGER, "RETRY_LIMIT reached, payments are not", id="Alertmanager", marks=pytest.mark.long),
        pytest.param(PAGERDUTY, "refund fails", id="PagerDuty", marks=pytest.mark.long),
        pytest.param(BLOCKS, "RETRY_LIMIT* was raised", id="blocks"),
    ],
)
async def test_an_alert_is_investigated(line: Line, alert: dict[str, Any], words: str) -> None:
    """All of it stands on the card, and its words are searched for."""
    async with line.bot(more=LISTENS):
        await Human(line.workspace.url, "U0ALERTS").sends(**alert)
        card = await line.olu.card(words, "orders.py")
        assert shows(card, "1 file not read: picture [FIRING:1] PaymentRetries") == (alert is GRAFANA)
        assert "|alerts>" in await line.olu.command("queue")
    (record,) = records(line.home / "events-classified.ndjson")
    assert (record["classification"], record["reasons"][0]["feature"]) == ("actionable", "alert")


async def test_a_shared_question_is_one(line: Line) -> None:
    """What somebody forwards is asked, and the card says whose words they are."""
    async with line.bot():
        await line.ana.sends(**SHARED)
        card = await line.olu.card(ASKED, "orders.py:3", '"approve"')
        assert shows(card, "Holds a shared message of Ben Okri")


async def test_a_question_stays_one_with_a_picture_and_thanks_stay_thanks_with_a_shared_question(line: Line) -> None:
    """The words of a message's author decide where they ask or close; what is attached is read all the same."""
    async with line.bot():
        await line.ana.sends(**{**SHARED, "text": "thanks, that worked!"})
        await line.ana.sends("where does RETRY_LIMIT come from?", files=[SCREENSHOT])
        await line.olu.card("where does RETRY_LIMIT come from?", "orders.py:3")
    kinds = [record["classification"] for record in records(line.home / "events-classified.ndjson")]
    assert kinds == ["ack", "actionable"]


async def test_files_are_read_as_far_as_slack_shows_them(line: Line) -> None:
    """A snippet's words are searched for; card and engine are told of what nobody read."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        await line.ana.sends("why does this fail, and when is it fixed?", files=[SNIPPET, SCREENSHOT])
        await engine.arrived.wait()
        (assignment,) = engine.asked
        engine.answer(assignment.question, "Nobody knows.")
        unread = "2 files not read: orders.log, but for its beginning, screenshot.png"
        card = await line.olu.card(unread, "RETRY_LIMIT reached", '"approve"')
        assert shows(card, "The checkout says payment failed")
    assert assignment.unread == ("orders.log, but for its beginning", "screenshot.png")
    assert assignment.search_text is not None
    assert "RETRY_LIMIT reached" in assignment.search_text
    assert "screenshot.png" not in assignment.search_text


async def test_an_error_that_a_person_shows_without_a_word_is_investigated(line: Line) -> None:
    """In a snippet or an attachment; the card says what it holds."""
    snippet = {**SNIPPET, "preview": "TypeError: RETRY_LIMIT must be a number\nwhere does this come from?"}
    alert = {"title": "[FIRING] payments", "text": "Error: RETRY_LIMIT was reached for an order"}
    async with line.bot():
        await line.ana.sends(files=[snippet])
        await line.olu.card("TypeError: RETRY_LIMIT must be a number")
        await Human(line.workspace.url, "U0ADMIN").sends(attachments=[alert])
        await line.olu.card("Error: RETRY_LIMIT was reached")


async def test_what_came_while_the_bot_was_away_is_read_whole(line: Line) -> None:
    """A shared question stands in the channel's history, as does a message that is shown below its link later."""
    async with line.bot():
        pass
    await line.ana.sends(**SHARED)
    line.slack_time.hours += 3  # Slack delivers no event that is older than two
    engine, link = HeldEngine(), "@Triage what of https://sandbox.example/archives/C0SHOP/p1767500000000100 now?"
    for question in (ASKED, link, f"{link}\n{ASKED}"):
        engine.answer(question, f"This answers {len(question)} characters.")
    async with line.bot(engine=engine):
        await line.olu.card(ASKED, f"This answers {len(ASKED)} characters.")
        asked = await line.ana.say(link)
        await line.olu.card("what of https", f"This answers {len(link)} characters.")
        await line.ana.does("edit", ts=asked, attachments=SHARED["attachments"])
        await line.olu.card("what of https", ASKED, "This answers", "Holds a shared message of Ben Okri")


async def test_a_picture_alone_is_no_acknowledgement(line: Line) -> None:
    """Nor a question: it opens no card."""
    async with line.bot():
        await line.ana.sends(files=[SCREENSHOT | {"alt_txt": ""}])
        await line.ana.say(ASKED)
        await line.olu.card(ASKED)
    kinds = [record["classification"] for record in records(line.home / "events-classified.ndjson")]
    assert kinds == ["ambient", "actionable"]


@pytest.mark.parametrize(
    "said",
    [
        "stop Triage",
        *(pytest.param(said, marks=pytest.mark.long) for said in ("pause project shop", "!triage stop")),
        "set help-platform to silent",
    ],
)
async def test_a_forwarded_or_pasted_order_is_nobodys(line: Line, said: str) -> None:
    """Whoever forwards or pastes it, alone or below a word of their own, to the bot directly or by a mention."""
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": said}]]}
    image = {"type": "image", "image_url": "https://example.com/a.png", "alt_text": said}
    shared = [{"is_share": True, "is_msg_unfurl": True, "author_name": "Eve", "text": said}]
    async with line.bot(more="admins: [U0ADMIN]") as bot:
        await line.ada.sends(channel="D0ADMIN", attachments=shared)
        await line.ada.sends("please see to this", channel="D0ADMIN", attachments=shared)
        await line.ada.sends("<@U0TRIAGE>", attachments=shared)
        await line.ada.sends(channel="D0ADMIN", blocks=[table])
        await line.ada.sends("look at this", channel="D0ADMIN", blocks=[image, {"type": "markdown", "text": said}])
        assert "Pending" not in await line.ada.command("status")
        await until(lambda: len(records(line.home / "events.ndjson")) >= 6)
        state = await line.ada.command("status")
        assert "Running" in state, state
        assert bot.core.controls.modes["C0HELP"] == "live"
        assert "paused since" not in await line.ada.command("list_projects")
