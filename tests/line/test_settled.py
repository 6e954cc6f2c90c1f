"""A question that its asker settles, as the people of the workspace see it."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from tests.fakes import HeldEngine
from tests.line.dying_bot import dying
from tests.line.human import PATIENCE, View, cards, replies, shows, until
from tests.line.test_pace_and_floods import hold, saved
from tests.line.test_reactions import shows as stands
from tests.line.test_straight_line import QUESTION, calls, records

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_the_asker_settles_it_while_it_is_looked_up(line: Line) -> None:
    """The run ends, the reaction goes, no operator is told of anything; the next message opens it again."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        asked = await line.ana.say(QUESTION)
        await engine.arrived.wait()
        await stands(line.ana, asked, "hammer")
        await line.ana.say("nvm, that didn't work", thread_ts=asked)
        await line.ana.say("nvm, found it", thread_ts=asked)
        await stands(line.ana, asked)
        assert cards(await line.olu.now()) == []
        await line.ana.say("thanks all", thread_ts=asked)
        await line.ana.say("hm, and how often is a refund tried again?", thread_ts=asked)
        await until(lambda: len(engine.asked) >= 2)
        assert shows(await line.olu.home(), "how often is a refund tried again?")
    assert [reply["user"] for reply in replies(await line.ana.now(), asked)] == ["U0ANA"] * 4


async def test_a_colleague_answers_and_the_asker_thanks(line: Line) -> None:
    """The card proposes Dismiss with the sentence, and its dialog has the reason chosen; nothing is posted by that."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ada.say("three times, it stands in orders.py", thread_ts=asked)
        await line.olu.card("Look again", "three times, it stands")
        await line.ana.say("hm thanks but that's not it", thread_ts=asked)
        await line.olu.card("Look again", "that's not it")
        await line.ana.say("thanks, but is that true for refunds", thread_ts=asked)
        await line.ana.say("ah right. thanks!", thread_ts=asked)
        proposed = await line.olu.card("Perhaps settled", "ah right. thanks!", "<@U0ADMIN>")
        (row,) = [block for block in proposed["blocks"] if block["type"] == "actions"]
        assert (row["elements"][0]["action_id"], row["elements"][0].get("style")) == ("dismiss", "primary")
        await line.olu.press("dismiss", proposed)
        dialog = await line.olu.dialog()
        assert shows(dialog, '"initial_option": {"text": {"type": "plain_text", "text": "Answered elsewhere"')
        assert (await line.olu.submit(dialog))["ok"]
        await line.olu.card("Dismissed", "answered elsewhere")
    assert [reply["user"] for reply in replies(await line.olu.now(), asked)] == ["U0ADMIN", *["U0ANA"] * 3]


async def test_a_word_to_the_bot_settles_it_with_an_emoji(line: Line) -> None:
    """A mention in its own thread is no order and no question; it is met with the emoji of thanks."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        said = await line.ana.say("<@U0TRIAGE> never mind, figured it out", thread_ts=asked)
        await line.olu.card("Settled", "never mind, figured it out")
        await stands(line.ana, asked)
        await line.ana.sees(lambda view: reply_marks(view, asked, said))
    assert await calls(line, "chat.postEphemeral") == []


def reply_marks(view: View, root: str, ts: str) -> list[str]:
    """The emoji under a reply."""
    return [each["name"] for reply in replies(view, root) if reply["ts"] == ts for each in reply["reactions"]]


async def test_the_askers_next_word_in_the_channel_settles_it(line: Line) -> None:
    """A denial before it does not."""
    async with line.bot():
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say("nvm, that didn't work")
        await line.ana.say("nvm, found it")
        await line.olu.card(QUESTION, "Settled", "nvm, found it")


async def test_a_word_of_another_person_settles_no_question(line: Line) -> None:
    """Nor does the asker's word after theirs."""
    async with line.bot():
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ada.say("found it, thanks")
        await line.ana.say("found it, thanks")
        assert "1 question of yours is open" in await line.ana.command("mine")


async def test_an_order_to_close_settles_the_last_question_alone(line: Line) -> None:
    """The earlier one stays open."""
    async with line.bot():
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say("what does cancel_order do with the money?")
        await line.olu.card("what does cancel_order do with the money?", '"approve"')
        assert "2 questions of yours are open" in await line.ana.command("mine")
        await line.ana.say("<@U0TRIAGE> close my question")
        await line.olu.card("what does cancel_order do with the money?", "Settled")
        assert "1 question of yours is open" in await line.ana.command("mine")


async def test_what_fails_is_shown_as_the_next_word_and_a_mention_settles_the_last_question(line: Line) -> None:
    """Code below one's question belongs to it; `nvm` said to the bot means the question before."""
    async with line.bot():
        first = await line.ana.say("where is RETRY_LIMIT set?")
        await line.olu.card("where is RETRY_LIMIT set?", '"approve"')
        await line.ana.say("why is a refund slow?")
        await line.olu.card("why is a refund slow?")
        await line.ana.say("```\n>>> orders.refund(7)\nNone\n```")
        await line.olu.card("why is a refund slow?", "orders.refund(7)")
        await line.ana.say("<@U0TRIAGE> nvm")
        await line.olu.card("*Settled* by <@U0ANA>", "why is a refund slow?")
        await stands(line.ana, first, "hourglass_flowing_sand")


async def test_the_bot_is_told_to_close_a_question_from_anywhere(line: Line) -> None:
    """In a direct message or another channel; of several that which its words name, or all, else none with a list."""
    async with line.bot():
        direct = "D0ANA"
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say("where is my stuff at?", channel=direct)
        await line.ana.sees(lambda view: said(view, "1 question of yours is open"))
        await line.ana.say("how is an order cancelled?")
        await line.olu.card("how is an order cancelled?", '"approve"')
        await line.ana.say("please close my question, no longer needed", channel=direct)
        (listed,) = await line.ana.sees(lambda view: said(view, "2 questions of yours are open, and none was closed"))
        assert QUESTION in listed["text"]
        assert "|how is an order cancelled?&gt; in " in listed["text"].replace(">", "&gt;")
        await line.ana.say("the deploy is sorted, thanks", channel=direct)
        await line.ana.sees(lambda view: len(said(view, "none was closed")) == 2)
        await line.ada.say("hello")
        await line.ana.say("what does cancel_order do with the money?", channel="C0GENERAL")
        await line.olu.card("what does cancel_order do with the money?", '"approve"')
        text = "<@U0TRIAGE> you can close my question, it works now"
        await line.ana.whispered(line.ana.say(text, channel="C0GENERAL"), "Your question is closed")
        await line.olu.card("what does cancel_order do with the money?", "Settled")
        await line.ana.say("the cancelled order one is solved, thanks", channel=direct)
        await line.olu.card("how is an order cancelled?", "Settled")
        assert "1 question of yours is open" in await line.ana.command("mine")
        await line.ana.say("what does cancel_order do with the money?")
        await line.olu.card("what does cancel_order do with the money?", '"approve"')
        await line.ana.say("withdraw all my questions", channel=direct)
        await line.ana.sees(lambda view: said(view, "These questions of yours are closed"))
        assert "No question of yours is open" in await line.ana.command("mine")


async def test_hold_on_ends_what_is_near_and_never_the_whole_bot(line: Line) -> None:
    """Of an admin, too: below their own question, right after it, and when it has ended; told once."""
    async with line.bot(more="admins: [U0ADMIN]") as bot:
        for question, where, text in (
            (QUESTION, "C0HELP", "<@U0TRIAGE> hold on"),
            ("how is an order cancelled?", "D0ADMIN", "pause it"),
            ("what does cancel_order do with the money?", "C0HELP", "<@U0TRIAGE> drop it, thanks"),
        ):
            asked = await line.ada.say(question, channel=where)
            await line.olu.card(question, '"approve"')
            await line.ada.say(text, channel=where, thread_ts=asked if "drop" in text else None)
            await line.olu.card(question, "*Settled* by <@U0ADMIN>")
        await line.ada.say("where is RETRY_LIMIT set?")
        edited = await line.ada.say("<@U0TRIAGE> why is a refund slow?")
        await line.olu.card("why is a refund slow?")
        edit = line.ada.does("edit", ts=edited, text="<@U0TRIAGE> status")
        await line.ada.whispered(edit, "no longer asks anything. I take no orders from an edit")
        await line.olu.card("why is a refund slow?", "*Settled* by <@U0ADMIN>")
        await line.ada.say("stop that, please", channel="D0ADMIN")
        await line.ada.sees(lambda view: said(view, "there was nothing to stop. To pause all"))
        assert bot.core.controls.state == "running"
        lines = await calls(line, "chat.postEphemeral") + await calls(line, "chat.postMessage")
        told = [said["text"] for said in lines if said["channel"] != "D0OPS"]
        assert sum("nobody works on it" in text for text in told) == 3
        assert any("nobody works on it" in text and "*pause everything* pauses all" in text for text in told)
        assert not [text for text in told if "Only operators" in text or "An operator has it" in text]


def said(view: View, text: str) -> list[View]:
    """The messages of the bot that say this in the threads of somebody's direct messages."""
    return [
        reply
        for place in view["dms"]
        for message in place["messages"]
        for reply in message.get("replies", ())
        if text in reply["text"]
    ]


async def test_an_edit_and_a_check_mark_settle(line: Line) -> None:
    """The question edited to say so, and a reaction of its asker under another; somebody else's says nothing."""
    async with line.bot():
        first = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.does("edit", ts=first, text=f"[solved] {QUESTION}")
        await line.olu.card("Settled", "[solved]", "Nothing was posted")
        second = await line.ana.say("how is an order cancelled?")
        await line.olu.card("how is an order cancelled?", '"approve"')
        await line.ada.react(second, "white_check_mark")
        await line.ana.react(second, "white_check_mark")
        await line.olu.card("how is an order cancelled?", "Settled", ":white_check_mark:")
        await line.ana.react(second, "white_check_mark", remove=True)
        await line.olu.card("how is an order cancelled?", '"approve"')
        await line.ana.does("edit", ts=second, text="how is an order cancelled? EDIT: got it, thanks")
        await line.olu.card("how is an order cancelled?", "Perhaps settled", "got it, thanks")


async def test_a_kill_and_a_restart_settle_once(line: Line) -> None:
    """Killed as the word was saved: it is settled after the restart, and what its asker asks then stays open."""
    async with dying(line, "after", "closed") as bot:
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say("nvm, found it", thread_ts=asked)
        assert await bot.wait() == -signal.SIGKILL
    async with dying(line, "never", "any"):
        await line.olu.card("Settled", "nvm, found it")
        await line.ana.say("how is an order cancelled?", thread_ts=asked)
        await line.olu.card("how is an order cancelled?", '"approve"')
    async with dying(line, "never", "any"):
        await stands(line.ana, asked)
        await line.olu.card("how is an order cancelled?", '"approve"')
        assert len(cards(await line.olu.now())) == 2


async def test_thanks_after_the_reply_close_the_loop(line: Line) -> None:
    """No card comes of them, said with or without a mention; they are counted; what is asked then is looked up."""
    async with line.bot(more="admins: [U0OPS]"):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await line.ana.replies(asked)
        await line.ada.say("thanks, that helped me, too", thread_ts=asked)
        await line.ana.say("perfect, that is what I was looking for, works for me now :tada:", thread_ts=asked)
        await line.ana.say("I restarted the pod and everything is green again", thread_ts=asked)
        await line.ana.say("<@U0TRIAGE> thank you!", thread_ts=asked)
    async with line.bot(more="admins: [U0OPS]"):
        async with asyncio.timeout(PATIENCE):  # the last one may have been cut off by the end of the first bot
            while "5 messages" not in (figures := await line.olu.command("metrics")):  # each counts once
                pass
        assert "1 reply; 1 reply acknowledged by the asker." in figures
        edited = await line.ana.say("thanks again", thread_ts=asked)
        assert len(cards(await line.olu.now())) == 1
        await line.ana.does("edit", ts=edited, text="and how is an order cancelled?")
        await line.olu.card("and how is an order cancelled?", '"approve"')
        assert len(cards(await line.olu.now())) == 2


async def test_thanks_in_the_channel_right_after_the_reply_are_for_it(line: Line) -> None:
    """Of the asker, where nobody else has spoken since; in the channel or in the thread. No card comes of them."""
    async with line.bot(more="admins: [U0OPS]") as bot:
        for asker, question, between in (
            (line.ana, QUESTION, None),
            (line.ada, "how is an order cancelled?", line.ana),
        ):
            asked = await asker.say(question)
            await line.olu.press("approve", await line.olu.card(question, '"approve"'))
            await asker.replies(asked)
            await until(lambda: not bot.core.orchestrator.open_threads.ids())
            if between:
                await between.say("morning all")
            await asker.say("thanks!")
        await until(lambda: len(records(line.home / "events-classified.ndjson")) == 5)
        figures = await line.olu.command("metrics")
        assert "2 replies; 1 reply acknowledged by the asker." in figures
        assert len(cards(await line.olu.now())) == 2


async def test_a_reply_that_did_not_work_goes_on(line: Line) -> None:
    """A denied success below an approved reply is no acknowledgement: the question is looked up again, elsewhere."""
    async with line.bot(more="admins: [U0OPS]"):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await line.ana.replies(asked)
        await stands(line.ana, asked, "white_check_mark")
        denied = await line.ana.say("thanks, but it did not work", thread_ts=asked)
        card = await line.olu.card("it did not work", '"answer"', "*Did not help:* <@U0ANA>", QUESTION)
        await stands(line.ana, asked)
        assert len(cards(await line.olu.now())) == 2
        figures = await line.olu.command("metrics")
        assert "1 reply; 1 reply that did not serve" in figures
        assert "acknowledged" not in figures
        await line.olu.press("edit", card)
        await line.olu.submit(await line.olu.dialog(), text="Update the shop.")
        await line.olu.press("approve", await line.olu.card("Update the shop.", '"approve"'))
        await line.ana.sees(lambda view: reply_marks(view, asked, denied) == ["white_check_mark"])
        await line.ada.say("thanks from me as well", thread_ts=asked)
        await line.ada.say("hm, that doesn't work on our side either", thread_ts=asked)
        await line.olu.card("on our side either", "*Did not help:* <@U0ADMIN>")
        assert len(cards(await line.olu.now())) == 3


async def test_a_bare_no_right_below_the_reply_goes_on(line: Line) -> None:
    """Below a colleague's question it answers that, and thanks of the asker begin nothing."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await stands(line.ana, asked, "white_check_mark")
        await line.ada.say("did you restart it?", thread_ts=asked)
        await line.ana.say("nope", thread_ts=asked)
        other = await line.ana.say("how is an order cancelled?")
        await line.olu.press("approve", await line.olu.card("how is an order cancelled?", '"approve"'))
        await stands(line.ana, other, "white_check_mark")
        await line.ana.say("thanks, will try", thread_ts=other)
        await line.ana.say("nope", thread_ts=other)
        await line.olu.card("*Did not help:* <@U0ANA>", "how is an order cancelled?")
        assert len(cards(await line.olu.now())) == 3


async def test_an_edit_into_another_question_starts_a_new_draft(line: Line) -> None:
    """A typo leaves the draft, marked; another question gets its own, without what others said to the one before."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        asked = await line.ana.say("where is the retry limit set")
        engine.answer("where is the retry limit set", "In one place.")
        await line.olu.card("In one place.", '"approve"')
        await line.ana.does("edit", ts=asked, text="Where is the retry limit set?")
        await line.olu.card("In one place.", "Look again", "Edited since")
        await line.olu.say("the retry limit stands in orders.py", thread_ts=asked)
        await line.olu.card("Look again", "stands in orders.py")
        await line.ana.does("edit", ts=asked, text="how long is a session kept?")
        engine.answer("how long is a session kept?", "For a day.")
        card = await line.olu.card("how long is a session kept?", "For a day.", '"approve"')
        await line.olu.press("approve", card)
        await line.ana.replies(asked, 2)
        await line.olu.card("how long is a session kept?", "The reply is posted.")
        await line.ana.does("edit", ts=asked, text="how long is a session kept then?")
        await line.ana.does("edit", ts=asked, text="how is a refund made?")
        engine.answer("how is a refund made?", "By hand.")
        await line.olu.card("how is a refund made?", "By hand.", '"approve"')
    assert [each.question for each in engine.asked] == [
        "where is the retry limit set",
        "how long is a session kept?",
        "how is a refund made?",
    ]


async def test_an_edit_while_the_reply_is_held_up_is_answered_after_it(line: Line) -> None:
    """Slack wants no post for a moment: the reply that was approved is posted then, and what it became is asked."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        asked = await line.ana.say(QUESTION)
        engine.answer(QUESTION, "Three times.")
        card = await line.olu.card("Three times.", '"approve"')
        await hold(line, "chat.postMessage", 1)
        await line.olu.press("approve", card)
        await saved(line, "approved", 1)
        await line.ana.does("edit", ts=asked, text="how long is a session kept?")
        assert len(await line.ana.replies(asked)) == 1
        engine.answer("how long is a session kept?", "For a day.")
        await line.olu.press("approve", await line.olu.card("how long is a session kept?", "For a day.", '"approve"'))
        posted = await line.ana.replies(asked, 2)
    assert [text in each["text"] for text, each in zip(("Three times.", "For a day."), posted, strict=True)] == [
        True
    ] * 2
    assert [each.question for each in engine.asked] == [QUESTION, "how long is a session kept?"]
