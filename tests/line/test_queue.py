"""What waits for a decision, as its operators meet it: nudge, reminder, hand-over, App Home, queue."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from bot.config.settings_checks import ready_to_run
from bot.errors import Misconfigured
from tests.line.conftest import TriageTime
from tests.line.human import Human, cards, newest_whisper, shows
from tests.line.test_straight_line import QUESTION, calls, records

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import View

TWO = "operators: [U0OPS, U0ADMIN]"
WAITS = ("Draft ready",)


def user(line: Line, name: str) -> Human:
    """Somebody else in the workspace."""
    return Human(line.workspace.url, name)


async def test_a_nudge_is_decided_on_in_the_channel_and_gives_way_to_the_outcome(line: Line) -> None:
    """The same buttons, the same bytes; the reply is posted, and nudge and card say by whom."""
    pressed: list[asyncio.Task[View]] = []

    def decided(view: View) -> View | None:
        nudge = newest_whisper(view, WAITS)
        if nudge and not pressed:
            pressed.append(asyncio.create_task(line.olu.press("approve", nudge)))
        done = newest_whisper(view, ("Settled: replied",))
        return done if done and cards(view) and shows(cards(view)[-1], "Approved") else None

    async with line.bot(mode="live, cards: both"):
        seeing = asyncio.create_task(line.olu.sees(decided))
        asked = await line.ana.say(QUESTION)
        outcome = await seeing
        assert shows(outcome, "*Approved* by <@U0OPS>")
        (reply,) = await line.ana.replies(asked)
        (card,) = cards(await line.olu.now())
        assert shows(outcome, f"/p{reply['ts'].replace('.', '')}?thread_ts={asked}")
        assert shows(card, "*Approved* by <@U0OPS>")
    assert len(await calls(line, "chat.postEphemeral")) == 1


async def test_an_operator_who_is_away_is_told_at_the_draft(line: Line) -> None:
    """Slack shows nobody what one person alone sees while they are away, so the card comes immediately."""
    async with line.bot(mode="live, cards: ephemeral"):
        await line.olu.is_active(False)
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await line.ana.replies(asked)
    assert await calls(line, "chat.postEphemeral") == []


async def test_a_nudge_that_nobody_acted_on_gives_way_to_a_card_and_then_to_reminders(line: Line) -> None:
    """Its operator was there and did nothing; what is missed is told once, and goes with the decision."""
    clock = TriageTime()
    async with line.bot(mode="live, cards: ephemeral", clock=clock):
        await line.ana.say(QUESTION)
        while not await calls(line, "chat.postEphemeral"):
            await line.ana.now()
        assert cards(await line.olu.now()) == []
        clock.move(hours=1.1)
        await line.olu.card(QUESTION, '"approve"')
        clock.move(hours=30)
        await line.olu.sees(lambda view: [m for m in cards(view) if "1 question waits" in m["text"]])
        assert len(cards(await line.olu.now())) == 2
        await line.olu.press("approve")
        await line.olu.sees(lambda view: len(cards(view)) == 1 and shows(cards(view)[0], "Approved"))


async def test_a_card_passes_to_the_next_operator(line: Line) -> None:
    """The card of before says so, and the new one is decided on by its own operator."""
    clock = TriageTime()
    async with line.bot(mode=f"live, {TWO}", clock=clock, more="approval: {hand_over_min: 30}"):
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        clock.move(hours=0.6)
        await line.olu.card("*Handed over* to <@U0ADMIN>", "nobody had decided")
        await user(line, "U0ADMIN").card(QUESTION, '"approve"')
        await user(line, "U0ADMIN").press("approve")
        await line.ana.replies(asked)


async def test_cards_in_a_queue_channel_are_seen_by_all_in_it(line: Line) -> None:
    """Instead of in the direct message; the channel is not read for questions, and must be private."""
    queue = await line.olu.makes_channel("triage-queue", "U0TRIAGE", "U0ADMIN", is_private=True)
    async with line.bot(mode="live, cards: channel", more=f"approval: {{queue_channel: {queue}}}"):
        asked = await line.ana.say(QUESTION)

        def card(view: View) -> list[Any]:
            rooms = [room for room in view["channels"] if room["id"] == queue]
            return [m for room in rooms for m in room["messages"] if shows(m, "For <@U0OPS>.") and shows(m, "approve")]

        (found,) = await user(line, "U0ADMIN").sees(card)
        assert cards(await line.olu.now()) == []
        await line.olu.home()
        await line.olu.press("show_card")
        await line.olu.sees(lambda view: shows(view["home"], f"newest message in <#{queue}>"))
        moved = await line.olu.sees(lambda view: [m for m in card(view) if m["ts"] != found["ts"]])
        await line.olu.press("approve", moved[0])
        await line.ana.replies(asked)


async def test_the_home_shows_what_waits_and_brings_its_card(line: Line) -> None:
    """It is kept up to date while it is looked at; Show Card posts the card anew and takes the old one away."""
    clock = TriageTime()
    async with line.bot(clock=clock):
        empty = await line.olu.home()
        assert shows(empty, "Nothing: every question is")
        await line.ana.say(QUESTION)
        card = await line.olu.card(QUESTION, '"approve"')
        clock.move(hours=0.01)
        home = await line.olu.sees(lambda view: view["home"] if shows(view["home"], "Show Card") else None)
        assert shows(home, QUESTION)
        await line.olu.press("show_card")

        def moved(view: View) -> bool:
            return len(cards(view)) == 1 and cards(view)[0]["ts"] != card["ts"] and shows(cards(view)[0], "approve")

        assert await line.olu.sees(moved)
        assert shows(await line.ana.home(), "How to ask")
        assert shows((await line.olu.now())["home"], "newest message")


async def test_the_home_pauses_and_resumes_for_admins(line: Line) -> None:
    """By the commands' own way, so that the audit has it; an operator finds no such button."""
    async with line.bot(more="admins: [U0ADMIN]") as bot:
        ada = user(line, "U0ADMIN")
        await line.olu.home()
        assert not (await line.olu.press("home_pause"))["ok"]
        await ada.home()
        await ada.press("home_pause")
        await ada.sees(lambda view: shows(view["home"], "*Paused* since") and shows(view["home"], "home_resume"))
        assert bot.core.controls.state == "paused"
        await ada.press("home_resume")
        await ada.sees(lambda view: shows(view["home"], "*Running*") and shows(view["home"], "home_pause"))
        said = records(line.home / "audit.ndjson")
        assert [(x["action"], x["via"], x["outcome"]) for x in said if x.get("kind") == "command"] == [
            ("pause", "home", "done"),
            ("resume", "home", "done"),
        ]


async def test_a_colleague_is_shown_a_copy_of_a_card(line: Line) -> None:
    """From the queue; the card itself stays where it is, and the copy's buttons decide as the card's do."""
    async with line.bot(mode=f"live, {TWO}"):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card(QUESTION, '"approve"')
        ada = user(line, "U0ADMIN")
        listed = await ada.whispered(ada.command("queue"), "1 question waits")
        await ada.press("show_card", listed)
        while not (copy := newest_whisper(await ada.now(), WAITS)):  # to open a page would be to lose it
            pass
        assert shows(listed, "Show Card")
        await ada.press("approve", copy)
        await line.ana.replies(asked)
        (same,) = cards(await line.olu.now())
        assert same["ts"] == card["ts"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", "queue_channel: expected the private channel"),
        ("approval: {queue_channel: C0GENERAL}", "expected a channel that is not watched"),
    ],
)
def test_cards_without_a_place_are_refused_at_the_start(line: Line, more: str, said: str) -> None:
    """Before anything is connected, naming the key."""
    settings = line.configure(mode="live, cards: channel", more=more)
    with pytest.raises(Misconfigured, match=said):
        ready_to_run(settings, line.config)


@pytest.mark.parametrize(
    ("others", "is_private", "said"),
    [(("U0TRIAGE",), False, "expected a private channel"), ((), True, "channel_not_found")],
)
async def test_a_queue_channel_that_is_no_private_one_of_ours_is_refused(
    line: Line, others: tuple[str, ...], is_private: bool, said: str
) -> None:
    """A draft that nobody has approved is not for everybody, and the bot must be able to speak there."""
    queue = await line.olu.makes_channel("queue", *others, is_private=is_private)
    with pytest.raises(Misconfigured, match=f"queue_channel: {queue}: .*{said}"):
        async with line.bot(mode="live, cards: channel", more=f"approval: {{queue_channel: {queue}}}"):
            pass


async def test_a_reminder_outlives_a_restart(line: Line) -> None:
    """It is the only one, no other comes sooner than its time, and it goes with the decision."""

    def reminders(view: View) -> list[Any]:
        return [m for m in cards(view) if "1 question waits" in m["text"]]

    clock = TriageTime()
    async with line.bot(clock=clock):
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        clock.move(hours=1.1)
        (before,) = await line.olu.sees(reminders)
    clock.move(hours=1.1)
    async with line.bot(clock=clock):
        (after,) = await line.olu.sees(lambda view: [m for m in reminders(view) if m["ts"] != before["ts"]])
        await line.olu.sees(lambda view: reminders(view) == [after])
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await line.olu.sees(lambda view: not reminders(view) or None)
