"""What an operator can decide beside Approve, through real sockets, as the people of the workspace see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.errors import Misconfigured
from bot.models.findings import ProposedTriageFile
from tests.fakes import HeldEngine
from tests.line.human import Human, cards, replies, shows, until
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line


def ada(line: Line) -> Human:
    """Another operator, where the settings say so."""
    return Human(line.workspace.url, "U0ADMIN")


async def test_a_bounce_with_a_reason_alone(line: Line) -> None:
    """One press of a reason is enough; the next round shows it, and the audit has it."""
    async with line.bot():
        await line.ana.say(QUESTION)
        await line.olu.press("bounce", await line.olu.card("Approve"))
        dialog = await line.olu.dialog()
        nothing = await line.olu.submit(dialog)
        assert "Choose a reason" in nothing["errors"]["feedback"]
        assert (await line.olu.submit(dialog, reason="outdated"))["ok"]
        card = await line.olu.card("/2 ", '"approve"')
        await line.olu.evidence(card, "round 2", "sent back by an operator", "Outdated")
    submitted = [r for r in records(line.home / "audit.ndjson") if r.get("reason")]
    assert [(r["user_id"], r["action"], r["reason"], r["result"]) for r in submitted] == [
        ("U0OPS", "bounce", "outdated", "done")
    ]


async def test_a_dismissal_says_why_and_a_late_press_is_told(line: Line) -> None:
    """The outcome stands where the controls stood; who presses afterwards learns who, what and when."""
    async with line.bot():
        await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        await line.olu.press("dismiss", card)
        await line.olu.press("edit", card)
        views = await line.olu.sees(lambda view: len(view["views"]) == 2 and view["views"])
        edit, dismissal = (next(v for v in views if v["callback_id"] == name) for name in ("edit", "dismiss"))
        wanting = await line.olu.submit(dismissal, reason="duplicate")
        assert "needs the link" in wanting["errors"]["link"]
        link = "https://sandbox.slack.com/archives/C0HELP/p100000001"
        assert (await line.olu.submit(dismissal, reason="duplicate", link=link))["ok"]
        settled = await line.olu.card("*Dismissed* by <@U0OPS>", "duplicate of", link, "Nothing was posted")
        assert not shows(settled, '"actions"')
        assert settled["blocks"][1]["block_id"].startswith("outcome-")
        late = await line.olu.submit(edit, text="Three.")
        assert "already decided. Dismissed by Olu" in late["errors"]["text"]


async def test_an_operator_takes_over_and_the_bot_stands_back(line: Line) -> None:
    """The run ends, nothing is posted, and a follow-up is the operator's until somebody mentions the bot."""
    engine = HeldEngine()
    async with line.bot(engine=engine) as bot:
        asked = await line.ana.say("what is one?")
        await engine.arrived.wait()
        await line.olu.home()
        await line.olu.press("take_over")
        await line.olu.sees(lambda view: not shows(view["home"], "what is one?"))
        assert bot.core.orchestrator.running == 0
        await line.olu.say("It is one of two things.", thread_ts=asked)
        await line.ana.say("which of the two is it?", thread_ts=asked)
        await line.ana.say("<@U0TRIAGE> what is two?", thread_ts=asked)
        engine.answer("@Triage what is two?", "The answer is TWO.")
        card = await line.olu.card("The answer is TWO.", '"approve"')
        assert not shows(card, "which of the two")
        assert len(replies(await line.ana.now(), asked)) == 3


async def test_a_question_is_delegated(line: Line) -> None:
    """The card moves to whoever may decide; the old one says so, and what Olu presses on it does nothing."""
    async with line.bot(chat="operators: [U0OPS, S0ONCALL, U0ADMIN]"):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        await line.olu.chooses("delegate", card)
        dialog = await line.olu.dialog()
        assert shows(dialog, "<@U0ADMIN>")
        assert not shows(dialog, "U0ANA")
        assert (await line.olu.submit(dialog, to="U0ADMIN"))["ok"]
        moved = await ada(line).card("Handed over* to <@U0ADMIN> by <@U0OPS>", '"approve"')
        old = await line.olu.card("Handed over* to <@U0ADMIN>", "No action is needed here")
        assert old["ts"] == card["ts"]
        assert not shows(old, '"actions"')
        await ada(line).press("approve", moved)
        assert len(await line.ana.replies(asked)) == 1
        await until(lambda: records(line.home / "replies.ndjson"))
    (record,) = records(line.home / "replies.ndjson")
    assert record["approved_by"] == "U0ADMIN"


async def test_two_must_approve_and_an_edit_takes_the_first_back(line: Line) -> None:
    """The card passes to the second; what was changed stands on it, and in the record of the reply."""
    async with line.bot(more="approval: {second_approver: true}", project="operators: [U0ADMIN]"):
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card('"approve"'))
        second = await ada(line).card("Approved* by <@U0OPS>", "waits for a second person", '"approve"')
        await ada(line).press("edit", second)
        assert (await ada(line).submit(await ada(line).dialog(), text="Three times, always."))["ok"]
        edited = await ada(line).card("Rewritten by <@U0ADMIN>", '"approve"')
        assert not shows(edited, "waits for a second person")
        await ada(line).press("approve", edited)
        again = await line.olu.card("Approved* by <@U0ADMIN>", "waits for a second person", '"approve"')
        assert replies(await line.ana.now(), asked) == []
        await line.olu.press("approve", again)
        assert shows((await line.ana.replies(asked))[0], "Three times, always.")
        settled = await line.olu.card("Approved* by <@U0ADMIN> and <@U0OPS>", "The reply is posted.")
        await line.olu.sees(lambda view: all(shows(card, "The reply is posted.") for card in cards(view)))
        await ada(line).card("Approved* by <@U0ADMIN> and <@U0OPS>", "|The reply is posted.>")
        await line.olu.evidence(settled, "The old text*, edited by <@U0ADMIN>", "RETRY_LIMIT")
    (record,) = records(line.home / "replies.ndjson")
    assert (record["reply_text"], record["edited_by"]) == ("Three times, always.", "U0ADMIN")
    assert "RETRY_LIMIT" in record["drafted_text"]


async def test_where_nobody_may_be_the_second_the_card_says_so(line: Line) -> None:
    """Whoever has approved has no Approve, wherever they look; the other operator asked, and may not approve."""
    more = "approval: {second_approver: true, asker_may_approve: false}"
    async with line.bot(more=more, project="operators: [U0ADMIN]"):
        await ada(line).say(QUESTION)
        card = await line.olu.card('"approve"')
        await line.olu.whispered(line.olu.press("approve", card), "nobody else may approve")
        stands = await line.olu.card("Approved* by <@U0OPS>", "No second person", "Take Over")
        assert not shows(stands, '"approve"')
        assert not shows(await line.olu.home(), '"approve"')


async def test_a_note_is_kept_with_the_approval(line: Line) -> None:
    """It lies in the project's notes, and the document and the record name it."""
    (line.folder / "shop" / "notes").mkdir()
    engine = HeldEngine()
    project = f"knowledge: [{line.folder / 'shop' / 'notes'}]"
    note = ProposedTriageFile(filename="../../Payment retries.txt", content="A payment is tried again three times.")
    async with line.bot(engine=engine, project=project):
        asked = await line.ana.say("what is one?")
        engine.answer("what is one?", "The answer is ONE.", proposed_triage_file=note)
        card = await line.olu.card("Note to keep", "Approve and Save Note")
        await line.olu.chooses("show_note", card)
        shown = await line.olu.dialog()
        assert shows(shown, note.content)
        await line.olu.press("approve_and_save", card)
        assert await line.olu.card("The reply is posted.", "The note is kept in `notes/payment-retries.md`")
        assert len(await line.ana.replies(asked)) == 1
    assert (line.folder / "shop" / "notes" / "payment-retries.md").read_text() == f"{note.content}\n"
    (record,) = records(line.home / "replies.ndjson")
    assert record["triage_file"] == "notes/payment-retries.md"


async def test_the_operators_of_a_channel_decide_there(line: Line) -> None:
    """The first of them gets the cards; a group is read from Slack, and one that names nobody is refused."""
    async with line.bot(chat="operators: [U0ADMIN, S0ONCALL]"):
        await line.ana.say(QUESTION)
        await ada(line).card("Approve")
        assert cards(await line.olu.now()) == []
    with pytest.raises(Misconfigured, match="C0HELP"):
        async with line.bot(chat="operators: [S0NOWHERE]"):
            pass
