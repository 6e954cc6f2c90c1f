"""From a question to a reply, through real sockets, as the people of the workspace see it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from bot.errors import Misconfigured
from tests.fakes import HeldEngine
from tests.line.human import cards, newest, replies, shows, until

if TYPE_CHECKING:
    from pathlib import Path

    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

QUESTION = "how often is a payment tried again?"


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a journal."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def calls(line: Line, method: str) -> list[dict[str, Any]]:
    """The calls of one method that the workspace has seen."""
    async with aiohttp.ClientSession() as session, session.get(f"{line.workspace.url}/calls") as answer:
        seen = (await answer.json())["calls"]
    return [call["arguments"] for call in seen if call["method"] == method]


async def test_question_card_edit_approve_reply(line: Line) -> None:
    """What the operator approved stands in the thread, once, by the bot, and is on record."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        assert await line.olu.card(QUESTION)
        drafted = await line.olu.card("RETRY_LIMIT = 3", "orders.py", "Evidence checked", "Approve")
        assert not shows(drafted, "Delegate")  # nobody else may decide here
        assert (await line.olu.press("edit", drafted))["ok"]
        dialog = await line.olu.dialog()
        refused = await line.olu.submit(dialog, text="   ")
        assert refused["errors"] == {"text": "Please write something."}
        assert (await line.olu.submit(dialog, text="Three times, see `orders.py:3`. <!channel>"))["ok"]
        edited = await line.olu.card("Three times", "not validated again", "Approve")
        assert (await line.olu.press("approve", edited))["ok"]
        reply, *more = await line.ana.replies(asked)
        assert not more
        assert reply["user"] == "U0TRIAGE"
        settled = await line.olu.card("The reply is posted.")
        assert shows(settled, "<@U0OPS>")
        assert not shows(settled, '"actions"')
        shown = [block for block in edited["blocks"] if block["type"] == "rich_text"]
        stripped = [{**block, "block_id": ""} for block in shown]
        assert {**reply["blocks"][0], "block_id": ""} in stripped
    (post,) = [call for call in await calls(line, "chat.postMessage") if call.get("thread_ts")]
    assert post["thread_ts"] == asked
    assert not post["unfurl_links"]
    assert not post["unfurl_media"]
    (record,) = records(line.home / "replies.ndjson")
    assert record["posted_message_id"] == reply["ts"]
    assert (record["approved_by"], record["edited_by"], record["validator_verdict"]) == (
        "U0OPS",
        "U0OPS",
        "not-validated",
    )
    assert reply["metadata"]["event_payload"]["draft_id"] == record["draft_id"]


async def test_bounce_leads_to_another_draft_with_the_operators_words(line: Line) -> None:
    """The dialog asks why, and the next draft is made with it."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        drafted = await line.olu.card("RETRY_LIMIT = 3", "Approve")
        await line.olu.press("bounce", drafted)
        assert (await line.olu.submit(await line.olu.dialog(), feedback="look at cancel_order"))["ok"]
        again = await line.olu.card("/2 ", "Approve")
        assert [card["ts"] for card in cards(await line.olu.now())] == [again["ts"]] != [drafted["ts"]]
        assert shows(again, "def cancel_order")
        await line.olu.press("approve", again)
        assert len(await line.ana.replies(asked)) == 1


async def test_dismiss_posts_nothing(line: Line) -> None:
    """A dismissed question ends with a line that says so, and nothing else."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.dismiss(await line.olu.card("Approve"))
        assert await line.olu.card("Dismissed", "Nothing was posted")
        assert replies(await line.ana.now(), asked) == []


async def test_nothing_found_is_said_as_such(line: Line) -> None:
    """A question that the project does not answer gets no draft and no badge: two lines on the search."""
    async with line.bot():
        await line.ana.say("where are the fax numbers of the suppliers kept?")
        card = await line.olu.card("Nothing found in shop", '"answer"', '"take_over"')
        assert not shows(card, "Evidence checked")
        assert not shows(card, '"approve"')


async def test_acks_and_chatter_get_no_card(line: Line) -> None:
    """What is no question is classified, recorded and left alone."""
    async with line.bot():
        for text in ("thanks!", "deployed v3 to staging"):
            await line.ana.say(text)
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION)
        assert len(cards(await line.olu.now())) == 1
    kinds = [record["classification"] for record in records(line.home / "events-classified.ndjson")]
    assert kinds == ["ack", "ambient", "actionable"]


async def test_the_bot_does_not_hear_itself(line: Line) -> None:
    """Slack delivers the bot's own reply to it like any message; it is acknowledged and leaves no record.

    That its thread is in use is known, and once more after a start.
    """

    def in_threads(bot: Bot) -> int:
        return bot.core.watcher._assigner.message_classifier._contexts.thread_context._channels["C0HELP"].replies

    async with line.bot() as bot:
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Approve"))
        await line.ana.replies(asked)
        await line.ana.say("where are invoices sent?")
        await line.olu.card("where are invoices sent?")
        assert in_threads(bot) == 1
    async with line.bot() as bot:
        await until(lambda: bot.core.watcher._assigner.message_classifier._contexts.thread_context._channels)
        assert in_threads(bot) == 1
    said = [record for record in records(line.home / "events.ndjson") if record["kind"] == "message"]
    assert {record["sender"]["id"] for record in said} == {"U0ANA"}


async def test_a_follow_up_of_the_asker_opens_the_same_document(line: Line) -> None:
    """The thread goes on in one document, with a card of its own, and its reply lands in the same thread."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Approve"))
        await line.ana.replies(asked)
        await line.ana.say("and how is an order cancelled?", thread_ts=asked)
        second = await line.olu.card("how is an order cancelled", '"approve"')
        assert len(cards(await line.olu.now())) == 2
        await line.olu.press("approve", second)
        assert len(await line.ana.replies(asked, 3)) == 3
        assert len(list((line.home / "state").glob("*.json"))) == 1
        await line.ana.say("and where is that tested?", thread_ts=asked)
        await line.olu.card("where is that tested?", "Nearest, perhaps about something else", "orders.py:7-10")


async def test_a_message_after_the_draft_makes_it_stale(line: Line) -> None:
    """The operator is told, and decides again with the message in view."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        await line.ana.say("never mind, is it about refunds?", thread_ts=asked)
        stale = await line.olu.card("Look again", "never mind", "Post Anyway")
        assert not shows(stale, "Approve")
        await line.olu.press("redraft", stale)
        await line.olu.press("approve", await line.olu.card("Approve"))
        assert len(await line.ana.replies(asked, 2)) == 2


async def test_what_somebody_else_writes_puts_the_card_behind(line: Line) -> None:
    """The operator sees it before deciding; it stays ambient, and no investigation is made for it."""
    async with line.bot() as bot:
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        await line.olu.say("deployed the new limits to staging", thread_ts=asked)
        stale = await line.olu.card("Look again", "Somebody wrote", "deployed the new limits", "Post Anyway")
        (thread_id,) = await bot.core.orchestrator.store.thread_ids()
        thread = await bot.core.orchestrator.store.load(thread_id)
        assert thread is not None
        assert (thread.status, thread.investigator_round) == ("pending-user", 1)
        await line.olu.press("post_anyway", stale)
        await line.ana.replies(asked, 2)
    kinds = [record["classification"] for record in records(line.home / "events-classified.ndjson")]
    assert kinds == ["actionable", "ambient"]


async def test_a_user_group_names_the_team(line: Line) -> None:
    """Slack says who is in it; a group that is not there keeps the bot from nothing."""
    async with line.bot(more="classifier: {team_members: [S0ONCALL, S0NOWHERE, U0ADMIN]}") as bot:
        assert bot.core.watcher.team.members == {"U0OPS", "U0ADMIN"}
        await line.olu.say("deployed the new limits to staging")
        await line.ana.say(QUESTION)
        await line.olu.card("Approve")
    told = [record["is_internal_chatter"] for record in records(line.home / "events-classified.ndjson")]
    assert told == [True, False]
    assert bot.core.watcher.team.named == ("S0ONCALL", "S0NOWHERE", "U0ADMIN")


async def test_broken_weights_are_said_at_the_start(line: Line) -> None:
    """The bot does not judge by other weights than its team has made."""
    line.home.mkdir()
    (line.home / "weights.json").write_text("{")
    with pytest.raises(Misconfigured, match=r"weights\.json.*triage retrain --undo"):
        async with line.bot():
            pass


async def test_only_operators_decide(line: Line) -> None:
    """Somebody else who reaches a button is told so, and nothing moves."""
    async with line.bot() as bot:
        await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        (thread_id,) = await bot.core.orchestrator.store.thread_ids()
        button = next(b for b in card["blocks"] if b["type"] == "actions")["elements"][0]
        action = {**button, "action_ts": "1.1"}
        body = {
            "type": "block_actions",
            "team": {"id": "T0SANDBOX"},
            "user": {"id": "U0ANA"},
            "channel": {"id": "C0HELP"},
            "trigger_id": "1.2",
            "actions": [action],
        }
        await bot.dispatcher.handle(await bot.dispatcher.record(body))
        thread = await bot.core.orchestrator.store.load(thread_id)
        assert thread is not None
        assert thread.status == "pending-user"
        assert "Only an operator" in (await calls(line, "chat.postEphemeral"))[0]["text"]


async def test_pressed_twice_at_once_posts_once(line: Line) -> None:
    """The second press finds the decision settled."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        await asyncio.gather(*(line.olu.press("approve", card) for _ in range(4)), return_exceptions=True)
        await line.olu.card("The reply is posted.")
        assert len(replies(await line.ana.now(), asked)) == 1


async def test_two_questions_at_once_do_not_swap_drafts(line: Line) -> None:
    """Each thread gets the reply to its own question, though the second run ends first."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        first, second = await line.ana.say("what is one?"), await line.ana.say("what is two?")
        engine.answer("what is two?", "The answer is TWO.")
        two = await line.olu.card("The answer is TWO.", "Approve")
        engine.answer("what is one?", "The answer is ONE.")
        one = await line.olu.card("The answer is ONE.", "Approve")
        assert shows(one, "what is one?")
        assert shows(two, "what is two?")
        await line.olu.press("approve", one)
        await line.olu.press("approve", two)
        assert shows((await line.ana.replies(first))[0], "ONE")
        assert shows((await line.ana.replies(second))[0], "TWO")


async def test_a_held_investigation_holds_up_nobody(line: Line) -> None:
    """Another question, a follow-up and a dismissal are settled while a run goes on."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        held = await line.ana.say("what is held?")
        await engine.arrived.wait()
        engine.answer("what is quick?", "The answer is QUICK.")
        quick = await line.ana.say("what is quick?")
        await line.olu.press("approve", await line.olu.card("The answer is QUICK.", "Approve"))
        assert shows((await line.ana.replies(quick))[0], "QUICK")
        await line.ana.say("it is about staging", thread_ts=held)
        await line.olu.home()
        await line.olu.press("dismiss")
        assert (await line.olu.submit(await line.olu.dialog()))["ok"]
        await line.olu.sees(lambda view: shows(view["home"], "Running") and not shows(view["home"], "staging"))
        assert len(cards(await line.olu.now())) == 1


async def test_in_preview_approve_posts_nothing(line: Line) -> None:
    """The card says that it is practice, before and after."""
    async with line.bot(mode="preview"):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Practice", '"approve"'))
        assert await line.olu.card("Practice: nothing was posted")
        assert replies(await line.ana.now(), asked) == []


async def test_in_silence_nothing_is_shown(line: Line) -> None:
    """A silent channel is classified and recorded, no more."""
    async with line.bot(mode="silent"):
        await line.ana.say(QUESTION)
        await line.ana.say("how is an order cancelled?", channel="C0GENERAL")
        await line.olu.card("how is an order cancelled?", '"approve"')
        assert len(cards(await line.olu.now())) == 1
    kinds = [record["classification"] for record in records(line.home / "events-classified.ndjson")]
    assert kinds == ["actionable", "actionable"]
    assert [path.name.split("-")[1] for path in (line.home / "state").glob("*.json")] == ["C0GENERAL"]


@pytest.mark.parametrize("kind", ["duplicate", "disconnect"])
async def test_slack_at_its_worse_changes_nothing(line: Line, kind: str) -> None:
    """An event that comes twice, or after the socket was cut, is one question."""
    async with line.bot(), aiohttp.ClientSession() as session:
        async with session.post(f"{line.workspace.url}/faults", json={"kind": kind, "times": 2}) as answer:
            assert (await answer.json())["ok"]
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Approve"))
        await line.olu.card("The reply is posted.")
        assert len(replies(await line.ana.now(), asked)) == 1
        assert len(cards(await line.olu.now())) == 1


async def test_a_post_whose_answer_was_lost_is_found_and_not_made_again(line: Line) -> None:
    """Slack took the reply and the line was cut: it is looked up after its settling time, and stands there once."""
    async with line.bot() as bot, aiohttp.ClientSession() as session:
        bot.delivery.search_delay_seconds = 0.2
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        fault = {"method": "chat.postMessage", "kind": "timeout_after_accept", "times": 1, "seconds": 0.1}
        async with session.post(f"{line.workspace.url}/faults", json=fault) as answer:
            assert (await answer.json())["ok"]
        await line.olu.press("approve", card)
        await line.olu.card("The reply is posted.")
        assert len(replies(await line.ana.now(), asked)) == 1
    assert len(records(line.home / "replies.ndjson")) == 1


@pytest.mark.parametrize("times", [1, 2])
async def test_a_post_that_was_lost_is_made_again_and_then_asked_about(line: Line, times: int) -> None:
    """Slack answered with an error and the reply is not there: after the second time a person looks."""
    async with line.bot() as bot, aiohttp.ClientSession() as session:
        bot.delivery.search_delay_seconds = 0.2
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        fault = {"method": "chat.postMessage", "kind": "500", "times": times}
        async with session.post(f"{line.workspace.url}/faults", json=fault) as answer:
            assert (await answer.json())["ok"]
        await line.olu.press("approve", card)
        if times == 2:
            doubt = await line.olu.card("In doubt", "Post Again")
            assert replies(await line.ana.now(), asked) == []
            await line.olu.press("post_again", doubt)
        assert len(await line.ana.replies(asked)) == 1
        await line.olu.card("The reply is posted.")


async def test_no_token_is_in_any_file_of_the_home(line: Line) -> None:
    """Tokens are in no journal, no document and no log."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("Approve"))
        await line.ana.replies(asked)
        await line.olu.card("The reply is posted.")
    content = b"".join(path.read_bytes() for path in line.home.rglob("*") if path.is_file())
    for secret in ("xoxb-sandbox", "xapp-sandbox", "sandbox-verification", "hooks/", "response_url"):
        assert secret.encode() not in content


async def test_an_edited_question_is_investigated_again_and_a_deleted_one_is_withdrawn(line: Line) -> None:
    """The card follows what the asker does to the question."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        asked = await line.ana.say("what is one?")
        await engine.arrived.wait()
        await line.ana.does("edit", ts=asked, text="what is two?")
        engine.answer("what is two?", "The answer is TWO.")
        card = await line.olu.card("what is two?", "The answer is TWO.", '"approve"')
        assert not shows(card, "what is one?")
        await line.ana.does("delete", ts=asked)
        assert await line.olu.card("Withdrawn")


async def test_an_edit_can_make_a_question_of_a_message(line: Line) -> None:
    """What was chatter at first is answered once it asks."""
    async with line.bot():
        said = await line.ana.say("payments are tried again")
        await line.ana.does("edit", ts=said, text=QUESTION)
        assert await line.olu.card(QUESTION, '"approve"')


async def test_lines_that_changed_since_the_draft_stop_its_approval(line: Line) -> None:
    """The press settles nothing, and the card says which lines are others now."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("RETRY_LIMIT = 3", '"approve"')
        source = line.folder / "shop" / "orders.py"
        source.write_text(source.read_text().replace("RETRY_LIMIT = 3", "RETRY_LIMIT = 5"))
        await line.olu.press("approve", card)
        changed = await line.olu.card("cited lines have changed", "FAILED", '"post_anyway"')
        assert replies(await line.ana.now(), asked) == []
        await line.olu.press("redraft", changed)
        await line.olu.press("approve", await line.olu.card("RETRY_LIMIT = 5", '"approve"'))
        assert shows((await line.ana.replies(asked))[0], "RETRY_LIMIT = 5")


def test_the_newest_card_is_the_last_that_matches() -> None:
    """The waiting of these tests looks at the right message."""
    messages = [{"blocks": ["a"]}, {"blocks": ["a", "b"]}, {"blocks": ["b"]}]
    assert newest(messages, ("a",)) == {"blocks": ["a", "b"]}


async def test_the_text_of_a_bot_and_of_its_large_parts_is_short(line: Line) -> None:
    """A failed assertion about one of them, or a log line with it, takes a moment and no gigabytes."""
    async with line.bot() as bot:
        core = bot.core
        for part in (bot, core, core.controls, core.orchestrator, core.access, core.losses, core.watcher):
            assert len(repr(part)) < 100_000
