"""What was said while the bot was away, beyond what Slack still delivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import cards, replies
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_a_question_that_slack_gave_up_on_is_answered(line: Line) -> None:
    """Messages and replies that no event ever told of are read from the history, once."""
    async with line.bot():
        first = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
    missed = await line.ana.say("how is an order cancelled?")
    await line.ana.say("it is about a refund", thread_ts=first)
    line.slack_time.hours += 3  # Slack delivers no event that is older than two
    async with line.bot():
        await line.olu.card("how is an order cancelled?", '"approve"')
        await line.olu.card("Look again", "it is about a refund")
    async with line.bot():
        assert len(cards(await line.olu.now())) == 2
        assert replies(await line.ana.now(), missed) == []
    caught = [r["content"] for r in records(line.home / "events.ndjson") if r.get("caught_up")]
    caught = [
        text for text in caught if text != QUESTION
    ]  # said while the first start caught up, it may come both ways
    assert caught == ["how is an order cancelled?", "it is about a refund"]


OTHER = "how is an order cancelled?"


async def test_an_edit_that_no_event_told_of_is_seen_before_the_reply(line: Line) -> None:
    """Approve of a draft for the old wording posts nothing; the new question has a card and a reply of its own."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card(QUESTION, '"approve"')
    await line.ana.does("edit", ts=asked, text=OTHER)
    line.slack_time.hours += 3  # Slack delivers no event that is older than two
    async with line.bot():
        await line.olu.press("approve", card)
        await line.olu.press("approve", await line.olu.card(OTHER, '"approve"'))
        (reply,) = await line.ana.replies(asked)
        assert "cancel_order" in str(reply)


async def test_nothing_is_posted_below_a_question_whose_deletion_no_event_told_of(line: Line) -> None:
    """Approve closes the question and says why."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card(QUESTION, '"approve"')
    await line.ana.does("delete", ts=asked)
    line.slack_time.hours += 3
    async with line.bot():
        await line.olu.press("approve", card)
        await line.olu.card("deleted")
    assert not records(line.home / "replies.ndjson")


async def test_a_new_bot_does_not_dig_up_the_past(line: Line) -> None:
    """What was said before the bot ever listened is left alone."""
    await line.ana.say("how is an order cancelled?")
    line.slack_time.hours += 3  # Slack delivers no event that is older than two
    async with line.bot():
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        assert len(cards(await line.olu.now())) == 1


async def test_a_channel_that_goes_live_is_not_judged_backwards(line: Line) -> None:
    """Questions from its silent time, and from before it was watched, get no card at the next start."""
    async with line.bot(mode="silent"):
        await line.ana.say(QUESTION)
        await line.ana.say("how is an order cancelled?", channel="C0GENERAL")
        await line.olu.card("order cancelled?", '"approve"')
    async with line.bot(mode="live"):
        await line.ana.say("what is a refund?")
        await line.olu.card("what is a refund?")
        assert len(cards(await line.olu.now())) == 2


async def test_the_first_message_of_a_channel_is_not_lost(line: Line) -> None:
    """Nothing was ever heard there, and Slack has given the event up: it is read from the history."""
    async with line.bot():
        pass
    await line.ana.say(QUESTION)
    line.slack_time.hours += 3  # Slack delivers no event that is older than two
    async with line.bot():
        assert await line.olu.card(QUESTION, '"approve"')
