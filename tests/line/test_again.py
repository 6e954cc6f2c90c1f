"""The same question asked again, through real sockets: linked, answered before, looked into anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.line.human import View, shows, until
from tests.line.test_secrets import Telling
from tests.line.test_straight_line import QUESTION, records
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    from tests.line.conftest import Line

AGAIN = "Hi, how often is a payment tried again?"


def engine(quote: str = "RETRY_LIMIT = 3") -> Telling:
    """Answers with one reference."""
    reference = {"kind": "file", "ref": "orders.py:3", "supports_claim": "It is set there.", "quote": quote}
    return Telling("Three times, see `orders.py:3`.", evidence_refs=(reference,))


async def answered(line: Line, text: str = QUESTION) -> View:
    """Ana asks, Olu approves; the answer is the reply, once it is on record."""
    asked = await line.ana.say(text)
    await line.olu.press("approve", await line.olu.card(text, '"approve"'))
    (reply,) = await line.ana.replies(asked)
    await line.olu.card("The reply is posted.")
    return reply


async def test_an_approved_answer_serves_again_as_it_was_edited(line: Line) -> None:
    """No engine is asked; the card links to the first thread and says what it is; the record names no engine either.

    Words that name a place lead there both times.
    """
    told = engine()
    git(line.folder / "shop", "init", "--quiet")
    commit(line.folder / "shop", "first")
    async with line.bot(engine=told, project="web_url: https://github.com/example/shop"):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("edit", await line.olu.card('"approve"'))
        await line.olu.submit(await line.olu.dialog(), text="Three times, as orders.py, Zeile 3 says.")
        await line.olu.press("approve", await line.olu.card("/orders.py#L3", '"approve"', "not validated again"))
        (reply,) = await line.ana.replies(asked)
        again = await line.ana.say(AGAIN)
        card = await line.olu.card(
            "Answered before", "/orders.py#L3", "1 of 1 reference open", "edited by <@U0OPS>", '"approve"', '"redraft"'
        )
        assert shows(card, reply["ts"].replace(".", ""))
        assert shows(card, "answered by <@U0OPS>")
        await line.olu.press("approve", card)
        (second,) = await line.ana.replies(again)
        await until(lambda: len(records(line.home / "replies.ndjson")) == 2)  # a reply is seen before it is recorded
    assert len(told.asked) == 1
    first, last = records(line.home / "replies.ndjson")
    assert first["reply_text"] == last["reply_text"] == "Three times, as orders.py, Zeile 3 says."
    assert (last["engine"], last["posted_message_id"]) == ("answered before", second["ts"])
    assert (last["edited_by"], last["validator_verdict"]) == ("U0OPS", "not-validated")
    heads = [path.read_text() for path in (line.home / "tasks").glob("*/investigator.md")]
    assert sorted("- Model: answered before" in head for head in heads) == [False, True]


async def test_redraft_looks_into_it_anew(line: Line) -> None:
    """The engine is asked then, and the link stays."""
    told = engine()
    async with line.bot(engine=told):
        await answered(line)
        await line.ana.say(AGAIN)
        await line.olu.press("redraft", await line.olu.card("Answered before", '"redraft"'))
        card = await line.olu.card("/2 ", "Asked before", '"approve"')
        assert not shows(card, "Answered before")
    assert len(told.asked) == 2


async def test_changed_evidence_and_a_thumb_down_each_end_it(line: Line) -> None:
    """The card still links to the answer, and says why it does not serve again."""
    told = engine()
    orders = line.folder / "shop" / "orders.py"
    before = orders.read_text()
    async with line.bot(engine=told):
        reply = await answered(line)
        orders.write_text(before.replace("= 3", "= 5"))
        told.changes = engine("RETRY_LIMIT = 5").changes
        await line.ana.say(AGAIN)
        card = await line.olu.card(AGAIN, "orders.py:3 has changed since", '"approve"')
        await line.olu.dismiss(card)
        orders.write_text(before)
        told.changes = engine().changes
        assert (await line.ana.thumb("down", reply))["ok"]
        assert await line.ana.dialog()  # it asks why once the thumb is on record
        await line.ana.say(f"{AGAIN} Thanks")
        await line.olu.card(f"{AGAIN} Thanks", "thumb is down", '"approve"')
    assert len(told.asked) == 3


async def test_a_bounce_of_it_ends_it_for_all_that_ask_again(line: Line) -> None:
    """The engine drafts with the operator's words, and the next one who asks does not get the bounced answer."""
    told = engine()
    async with line.bot(engine=told):
        await answered(line)
        await line.ana.say(AGAIN)
        await line.olu.press("bounce", await line.olu.card("Answered before", '"bounce"'))
        assert (await line.olu.submit(await line.olu.dialog(), feedback="it is five by now"))["ok"]
        await line.olu.dismiss(await line.olu.card("/2 ", '"approve"'))
        await line.ana.say(f"{AGAIN} Thanks")
        await line.olu.card(f"{AGAIN} Thanks", "bounced it since", '"approve"')
    assert [assignment.feedback for assignment in told.asked] == [None, "it is five by now", None]
    (word,) = records(line.home / "feedback.ndjson")
    assert (word["vote"], word["by"]) == ("bounced", "U0OPS")


async def test_another_channel_gets_neither_answer_nor_link(line: Line) -> None:
    """What was said in one channel is not shown in another."""
    told = engine()
    async with line.bot(engine=told):
        await answered(line)
        await line.ana.say(AGAIN, channel="C0GENERAL")
        card = await line.olu.card(AGAIN, '"approve"')
        assert not shows(card, "sked before")
    assert len(told.asked) == 2


async def test_a_question_that_is_still_open_is_linked(line: Line) -> None:
    """Both are investigated; only the card knows of the other."""
    told = engine()
    async with line.bot(engine=told):
        first = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say(AGAIN)
        card = await line.olu.card(AGAIN, "Also asked", "still open", '"approve"')
        assert shows(card, first.replace(".", ""))
    assert len(told.asked) == 2


async def test_it_is_off_with_no_days(line: Line) -> None:
    """`approval.again_days: 0`."""
    told = engine()
    async with line.bot(engine=told, more="approval: {again_days: 0}"):
        await answered(line)
        await line.ana.say(AGAIN)
        card = await line.olu.card(AGAIN, '"approve"')
        assert "sked before" not in json.dumps(card)
    assert len(told.asked) == 2
