"""Edited drafts, through real sockets: the text decides which references stand, and Approve asks once more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.line import conftest
from tests.line.human import View, cards, replies, shows, until
from tests.line.test_again import AGAIN, engine
from tests.line.test_straight_line import QUESTION, records
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    import pytest

    from tests.line.conftest import Line


def approve(card: View) -> dict[str, Any]:
    """The button that posts."""
    rows = [block["elements"] for block in card["blocks"] if block["type"] == "actions"]
    return next(each for each in rows[-1] if each.get("action_id") in ("approve", "post_anyway"))


def row(card: View) -> list[str]:
    """The buttons, in their order."""
    return [each["action_id"] for block in card["blocks"] if block["type"] == "actions" for each in block["elements"]]


async def edits(line: Line, card: View, text: str) -> None:
    """Olu saves another text for the draft."""
    await line.olu.press("edit", card)
    assert (await line.olu.submit(await line.olu.dialog(), text=text))["ok"]


async def test_a_file_that_does_not_exist_is_named_first_and_approve_asks_once_more(line: Line) -> None:
    """The edit keeps no ✓ of the draft before; what a person posts all the same is not served as checked again."""
    told = engine()
    async with line.bot(engine=told):
        asked = await line.ana.say(QUESTION)
        await edits(line, await line.olu.card(QUESTION, '"approve"'), "Three times, see `config/nope.toml:3`.")
        card = await line.olu.card("`config/nope.toml:3` does not exist in shop.", "0 of 1 reference open")
        assert not shows(card, "✓")
        assert row(card)[:3] == ["answer", "take_over", "approve"]
        button = approve(card)
        assert button["confirm"]["text"]["text"] == "`config/nope.toml:3` does not exist in shop."
        assert "style" not in button
        await line.olu.press("approve", card)
        await line.ana.replies(asked)
        await line.ana.say(AGAIN)
        again = await line.olu.card(AGAIN, "is not reused", "config/nope.toml:3", '"approve"')
        assert not shows(again, "Answered before")
    assert len(told.asked) == 2
    (record,) = records(line.home / "replies.ndjson")
    assert record["validator_verdict"] == "escalate-then-user-approved"
    assert [each["ref"] for each in record["evidence_refs"]] == ["config/nope.toml:3"]
    assert [each["result"] for each in record["evidence"]] == ["failed"]


async def test_what_is_no_longer_cited_goes_and_what_is_newly_cited_gets_its_lines(line: Line) -> None:
    """Without a mark of failure, in one word's difference or in another file, and the record says the same."""
    (line.folder / "shop" / "refunds.py").write_text("DAYS = 2\nCURRENCY = 'EUR'\n")
    async with line.bot(engine=engine()):
        asked = await line.ana.say(QUESTION)
        await edits(line, await line.olu.card(QUESTION, '"approve"'), "Within 2 days, see shop/refunds.py, line 1.")
        card = await line.olu.card("Within 2 days", "1 of 1 reference open", '"approve"')
        assert "confirm" not in approve(card)
        await line.olu.press("show_evidence", card)
        dialog = await line.olu.dialog()
        assert shows(dialog, "refunds.py:1")
        assert shows(dialog, "DAYS = 2")
        assert not shows(dialog, "RETRY_LIMIT")
        await line.olu.press("approve", card)
        await line.ana.replies(asked)
    (record,) = records(line.home / "replies.ndjson")
    assert [(each["ref"], each["quote"]) for each in record["evidence_refs"]] == [("refunds.py:1", "DAYS = 2")]
    assert (record["edited_by"], record["validator_verdict"]) == ("U0OPS", "not-validated")


async def test_a_value_that_no_cited_line_holds_is_named_and_so_is_a_cited_line_that_changes(line: Line) -> None:
    """Approve asks by the value; when the newly cited line changes before it, the press settles nothing."""
    async with line.bot(engine=engine()):
        asked = await line.ana.say(QUESTION)
        await edits(line, await line.olu.card(QUESTION, '"approve"'), "It is tried 17 times, see `orders.py:3`.")
        card = await line.olu.card("`17` is not supported by any cited line.", "1 of 1 reference open", '"approve"')
        assert approve(card)["confirm"]["text"]["text"] == "`17` is not supported by any cited line."
        await edits(line, card, "It is tried 3 times, see `orders.py:3-4`.")
        card = await line.olu.card("It is tried 3 times", "1 of 1 reference open", '"approve"')
        assert "confirm" not in approve(card)
        assert not shows(card, "Confidence")
        await edits(line, card, "It is tried 3 times, see `orders.py:3-4`.")  # as it stands, so nothing comes of it
        assert await line.olu.card("It is tried 3 times") == card
        orders = line.folder / "shop" / "orders.py"
        orders.write_text(orders.read_text().replace("How often", "However often"))
        said = await line.olu.whispered(line.olu.press("approve", card), "The card has changed since")
        assert shows(said, "cited lines have changed")
        assert not shows(said, "has edited the draft")
        stale = await line.olu.card("cited lines have changed", "orders.py:3-4", '"post_anyway"')
        assert replies(await line.ana.now(), asked) == []
        fault = "does not match these lines word for word"
        assert fault in approve(stale)["confirm"]["text"]["text"]
        assert [fault in json.dumps(block) for block in stale["blocks"]].count(True) == 2  # once, and the question


async def test_an_edit_goes_on_after_a_crash(line: Line) -> None:
    """A document that was saved with the look under way is looked at again at the next start."""
    async with line.bot(engine=engine()) as bot:
        await line.ana.say(QUESTION)
        card = await line.olu.card(QUESTION, '"approve"')
        bot.core.orchestrator._effects = _Nothing()  # the process ends before the look does
        await edits(line, card, "Three times, see `nope.py:3`.")
        await line.olu.card("Opening what the new text cites")
    async with line.bot(engine=engine()):
        await line.olu.card("`nope.py:3` does not exist in shop.", '"approve"')


class _Nothing:
    async def run(self, *_: object) -> None:
        """Run no effect."""

    def is_started(self, *_: object) -> bool:
        """Return that nothing was started."""
        return False


async def test_a_search_that_found_nothing_has_no_approve_and_an_answer_of_ones_own_has(line: Line) -> None:
    """Two lines on the search; what the operator writes is approved as any text, and marked as answered."""
    async with line.bot():
        asked = await line.ana.say("where is the kafka broker configured?")
        card = await line.olu.card("Nothing found in shop", "No similar place was found", '"answer"')
        assert row(card)[:2] == ["answer", "take_over"]
        assert "approve" not in row(card)
        await edits(line, card, "Ana does.")
        mine = await line.olu.card("Ana does.", '"approve"')
        assert "confirm" not in approve(mine)
        await line.olu.press("approve", mine)
        await line.ana.replies(asked)
    (record,) = records(line.home / "replies.ndjson")
    assert not record["found_nothing"]


async def test_drafts_of_low_confidence_are_held_and_listed_in_the_brief(line: Line) -> None:
    """No message comes, the queue is empty; Show Card in the App Home brings the card."""
    question = "where is the kafka broker configured?"
    async with line.bot(more="approval: {hold_low: true}") as bot:
        await line.ana.say(question)
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await until(lambda: not bot.core.orchestrator.running)
        assert "1 question waits for a decision" in await line.olu.command("queue")
        brief = await line.olu.command("brief")
        assert "Held, of low confidence" in brief
        assert "kafka" in brief
        assert not [card for card in cards(await line.olu.now()) if shows(card, "kafka")]
        home = await line.olu.home()
        assert shows(home, "kafka")
        assert (await line.olu.press("show_card"))["ok"]


async def test_the_lines_of_a_project_that_is_gone_are_not_posted_as_open(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Approve settles nothing once nobody can open the cited lines; the card says why, and Post Anyway asks."""
    async with line.bot(engine=engine()):
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
    monkeypatch.setattr(conftest, "SETTINGS", conftest.SETTINGS.replace("  shop:", "  store:"))
    async with line.bot(engine=engine()):
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        stale = await line.olu.card("its project shop no longer exists", '"post_anyway"')
        assert replies(await line.ana.now(), asked) == []
        assert "confirm" in approve(stale)


async def test_one_file_cited_twice_in_words_leads_to_each_of_its_lines(line: Line) -> None:
    """What stands for two places is no link, the words for the lines are; why one is not open is said."""
    git(line.folder / "shop", "init", "--quiet")
    commit(line.folder / "shop", "first")
    async with line.bot(engine=engine(), project="web_url: https://github.com/example/shop"):
        await line.ana.say(QUESTION)
        text = (
            "See orders.py, line 3, then orders.py lines 7 to 8, `orders.py:4` (line 5 as well), https://example.org/a"
        )
        await edits(line, await line.olu.card(QUESTION, '"approve"'), text)
        card = await line.olu.card("4 of 5 references open · 1 *not opened:* an address outside shop")
    assert all(shows(card, f'"text": "{words}"') for words in ("line 3", "lines 7 to 8", "line 5"))
    assert shows(card, '"text": "orders.py:4"')
    assert not shows(card, '"text": "orders.py"')


async def test_a_text_without_its_reference_still_has_its_values_named(line: Line) -> None:
    """Neither a reference that was taken out nor one that has failed makes the warning of a wrong number go."""
    async with line.bot(engine=engine()):
        await line.ana.say(QUESTION)
        await edits(line, await line.olu.card(QUESTION, '"approve"'), "It is tried 17 times.")
        card = await line.olu.card("`17` is not supported by any cited line.", '"approve"')
        assert row(card)[:3] == ["answer", "take_over", "approve"]
        await edits(line, card, "It is tried 17 times, see [there](nope.py#L3).")
        card = await line.olu.card("`nope.py:3` does not exist in shop.", "`17` is not supported by any cited line.")
        await edits(line, card, "Ask Ben, he is back tomorrow.")
        card = await line.olu.card("Ask Ben", "No reference", '"approve"')
        assert "confirm" not in approve(card)
