"""Alerts of another program, on the whole line: one thread for one alert, until it is resolved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.documents.storage import TABLE
from tests.decide.alerts.programs import alertmanager, attached, grafana, pagerduty, plain
from tests.line.human import Human, cards, shows, until
from tests.line.test_straight_line import calls, records

if TYPE_CHECKING:
    from tests.line.conftest import Line

LISTENS = "classifier: {alert_bots: [U0ALERTS]}"
RATE = "*Description:* RETRY_LIMIT reached, payments are not tried again"
FIRING = alertmanager("[FIRING:1] PaymentRetries shop (critical)", text=RATE)
AGAIN = alertmanager("[FIRING:3] PaymentRetries shop (critical)", text=RATE)
RESOLVED = alertmanager("[RESOLVED] PaymentRetries shop (critical)", text=RATE, firing=False)


def alerts(line: Line) -> Human:
    """The program that posts alerts."""
    return Human(line.workspace.url, "U0ALERTS")


async def sends(line: Line, message: dict[str, Any], **more: Any) -> str:
    """Post a message of that program."""
    parts = {name: message[name] for name in ("text", "attachments", "blocks") if name in message}
    return await alerts(line).sends(**parts, **more)


def documents(line: Line) -> list[dict[str, Any]]:
    """The saved threads."""
    return [json.loads(path.read_text())[TABLE]["1"] for path in sorted(line.home.glob("state/*.json"))]


async def has(line: Line, **fields: Any) -> dict[str, Any]:
    """The only document, once it has these fields."""

    def is_so() -> bool:
        return any(all(each[name] == value for name, value in fields.items()) for each in documents(line))

    await until(is_so)
    (document,) = documents(line)
    return document


async def test_an_alert_is_one_thread_from_its_first_message_to_its_end(line: Line) -> None:
    """One card, which counts; the end closes it, and nothing is posted in the channel."""
    async with line.bot(more=LISTENS):
        await sends(line, FIRING)
        await line.olu.card("PaymentRetries", "fired once", '"approve"')
        await sends(line, AGAIN)
        await line.olu.card("Alert of Alertmanager", "fired 2 times, last", '"approve"')
        assert len(cards(await line.olu.now())) == 1
        await sends(line, RESOLVED)
        card = await line.olu.card("*Recovered*", "the alert is resolved")
        assert not shows(card, '"approve"')
        document = await has(line, status="closed")
        assert len(cards(await line.olu.now())) == 1
        posts = [call for call in await calls(line, "chat.postMessage") if call["channel"] == "C0HELP"]
    assert (document["outcome"], document["alert"]["fired"], posts) == ("recovered", 2, [])
    kinds = [record["classification"] for record in records(line.home / "events-classified.ndjson")]
    assert kinds == ["actionable", "actionable", "ambient"]


@pytest.mark.parametrize(
    "text",
    [
        "<@U0TRIAGE> where is RETRY_LIMIT set?",
        "Bei mir druckt auch nichts mehr, alles steht seit 20 Minuten",
    ],
)
async def test_a_question_or_report_below_an_alert_outlives_its_end(line: Line, text: str) -> None:
    """It gets its own card; the alert's card is closed as recovered."""
    words = text.removeprefix("<@U0TRIAGE> ")
    async with line.bot(more=LISTENS):
        root = await sends(line, FIRING)
        await line.olu.card("PaymentRetries", '"approve"')
        await line.ana.say(text, thread_ts=root)
        await line.olu.card("in the thread since this draft was", words)
        await sends(line, RESOLVED)
        await line.olu.card("*Recovered*", "the alert is resolved")
        card = await line.olu.card(words, '"dismiss"')
        assert not shows(card, "Recovered")
        (document,) = documents(line)
    assert (document["original_sender_id"], document["status"]) == (line.ana.user, "pending-user")


async def test_an_end_without_its_alert_opens_nothing_and_a_late_alert_neither(line: Line) -> None:
    """Only the next outage does."""
    async with line.bot(more=LISTENS):
        await sends(line, RESOLVED)
        await sends(line, attached(title="[RESOLVED] Backup late", color="good"))
        await sends(line, FIRING)
        await line.olu.card("PaymentRetries", '"approve"')
    assert len(documents(line)) == 1


async def test_a_restart_knows_the_alerts(line: Line) -> None:
    """Their identities come from the documents, also those of a thread that ended lately."""
    async with line.bot(more=LISTENS):
        await sends(line, FIRING)
        await line.olu.card("PaymentRetries", '"approve"')
    async with line.bot(more=LISTENS):
        await sends(line, RESOLVED)
        await line.olu.card("*Recovered*")
    async with line.bot(more=LISTENS):
        await sends(line, AGAIN)
        await line.olu.card("PaymentRetries", "fired 2 times", '"approve"')
    (document,) = documents(line)
    assert document["question_round"] == 2


async def test_an_incident_that_is_updated_in_place_is_closed(line: Line) -> None:
    """PagerDuty edits its message, once somebody works on it and once it is over."""
    triggered = pagerduty("Triggered", 4211, "Q1ABC", "RETRY_LIMIT reached")
    worked_on = pagerduty("Acknowledged", 4211, "Q1ABC", "RETRY_LIMIT reached")
    over = pagerduty("Resolved", 4211, "Q1ABC", "RETRY_LIMIT reached")
    async with line.bot(more=LISTENS):
        ts = await sends(line, triggered)
        await line.olu.card("RETRY_LIMIT reached", '"dismiss"')
        await alerts(line).does("edit", ts=ts, text="", attachments=worked_on["attachments"])
        await line.olu.card("Alert of PagerDuty", "acknowledged", '"dismiss"')
        await alerts(line).does("edit", ts=ts, text="", attachments=over["attachments"])
        await line.olu.card("*Recovered*")
        await has(line, outcome="recovered")


async def test_other_bots_and_ordinary_notices_stay_as_they_were(line: Line) -> None:
    """A bot that is not allowed opens nothing; a notice of an allowed one is a question of its own."""
    async with line.bot():
        await sends(line, FIRING)
        await line.ana.say("where does RETRY_LIMIT come from?")
        await line.olu.card("where does RETRY_LIMIT come from?", '"approve"')
    assert len(documents(line)) == 1
    async with line.bot(more=LISTENS):
        await sends(line, plain("Deployed shop: RETRY_LIMIT was raised, payments fail"))
        await line.olu.card("Deployed shop", '"dismiss"')
    assert [document["alert"] for document in documents(line)] == [None, None]


async def test_a_flood_of_three_alerts_is_three_threads(line: Line) -> None:
    """Sixty messages, three cards; each counts its own."""
    names = ("PaymentRetries", "OrdersLost", "RefundsFail")
    async with line.bot(more=LISTENS):
        for number in range(60):
            await sends(line, grafana(f"[FIRING:{1 + number // 3}] {names[number % 3]} shop", text="RETRY_LIMIT"))
        for name in names:
            await line.olu.card(name, "fired 20 times", '"approve"')
        assert len(cards(await line.olu.now())) == 3
    assert [document["alert"]["fired"] for document in documents(line)] == [20, 20, 20]


async def test_a_message_with_several_alerts_is_over_when_all_of_them_are(line: Line) -> None:
    """The card names which are over; one that fires again opens no second thread, also after a restart."""
    lines = "\n".join(f"[FIRING] PaymentRetries {name} late" for name in ("api-a", "api-b", "api-c"))
    async with line.bot(more=LISTENS):
        await sends(line, plain(lines))
        await line.olu.card("3 alerts of another program", "fired once", '"dismiss"')
        await sends(line, plain("[RESOLVED] PaymentRetries api-b late"))
        await line.olu.card("resolved: PaymentRetries api-b late", '"dismiss"')
        await sends(line, plain("[FIRING] PaymentRetries api-c late"))
        await line.olu.card("fired 2 times", '"dismiss"')
    async with line.bot(more=LISTENS):
        await sends(line, plain("[RESOLVED] PaymentRetries api-a late"))
        await line.olu.card("resolved: PaymentRetries api-a late, PaymentRetries api-b late", '"dismiss"')
        await sends(line, plain("[RESOLVED] PaymentRetries api-c late"))
        await line.olu.card("*Recovered*", "all its alerts are resolved")
    assert len(documents(line)) == 1
