"""Dialogs of cards: the content that each opens with, and the thread after each is submitted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.approval.answers import NOT_KEPT, ONLY_ONE
from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater
from bot.models.findings import ProposedTriageFile
from bot.models.settlement import SettledWord
from bot.models.task import EarlierQuestion
from bot.models.thread import Thread
from tests.approval.test_actions import BEN, Office, submitted
from tests.builders import ASKER, LIMITS, OPERATOR, at

SECRET = "a-loaded" + "-secret-0815"


async def on_second_question(office: Office) -> Thread:
    """Return a thread whose first question was answered with its first draft."""
    thread = await office.pending()
    assert thread.draft_pending
    draft_id = f"{thread.thread_id}/1"
    earlier = EarlierQuestion(
        question="where is it?", summary="", refs=(), said="It is there.", outcome="replied", draft_id=draft_id
    )
    now = thread.evolve(
        question_round=2,
        earlier=(earlier,),
        draft_pending=thread.draft_pending.evolve(draft_id=f"{thread.thread_id}/2"),
        messages=tuple(each.evolve(round=2) for each in thread.messages),
    )
    office.store.saved[thread.thread_id] = now
    return now


@pytest.mark.parametrize(
    ("draft", "nonce", "shown", "answer"),
    [
        pytest.param("1", None, "earlier", None, id="the earlier question"),
        pytest.param("2", None, "current", None, id="the current question"),
        pytest.param("0", None, "current", None, id="the current card without a draft"),
        pytest.param("0", "older", None, NOT_KEPT, id="an earlier card without a draft"),
    ],
)
async def test_a_card_shows_the_evidence_of_its_own_question(
    draft: str, nonce: str | None, shown: str | None, answer: str | None
) -> None:
    """A settled card in the thread of another question still shows what its draft rested on."""
    office = Office()
    thread = await on_second_question(office)
    values = {"draft_id": f"{thread.thread_id}/{draft}", "nonce": nonce or thread.card.nonce, "trigger_id": "t7"}
    await office.approval.handle_press(office.press(thread, "show_evidence", **values))
    seen = ["earlier" if "It is there." in str(view) else "current" for view in office.chat.views]
    assert (seen, office.chat.notices) == ([shown] if shown else [], [answer] if answer else [])
    assert office.chat.triggers == (["t7"] if shown else [])
    await office.orchestrator.stop()


async def test_the_note_is_shown_in_full() -> None:
    """And can only be closed."""
    office = Office()
    thread = await office.pending()
    assert thread.investigator_return
    note = ProposedTriageFile(filename="limit.md", content="The limit is three.")
    drafted = thread.investigator_return.evolve(proposed_triage_file=note)
    office.store.saved[thread.thread_id] = thread.evolve(investigator_return=drafted)
    await office.approval.handle_press(office.press(thread, "show_note"))
    (view,) = office.chat.views
    assert ("submit" in view, "The limit is three." in str(view["blocks"])) == (False, True)
    await office.orchestrator.stop()


@pytest.mark.parametrize(("is_settled", "reason"), [(True, "answered_elsewhere"), (False, "no_reply_needed")])
async def test_a_settled_question_is_dismissed_as_answered(is_settled: bool, reason: str) -> None:
    """The most frequent reason is chosen already."""
    office = Office()
    thread = await office.pending()
    word = SettledWord(at=at(5), by=ASKER, message_id="1.2", text="solved", how="said")
    office.store.saved[thread.thread_id] = thread.evolve(settled_word=word if is_settled else None)
    await office.approval.handle_press(office.press(thread, "dismiss"))
    assert office.chat.views[0]["blocks"][0]["element"]["initial_option"]["value"] == reason
    await office.orchestrator.stop()


async def test_a_delegated_question_changes_its_operator() -> None:
    """To somebody who may decide on it, and to nobody else."""
    office = Office()
    thread = await office.pending()
    refused = await office.approval.handle_dialog(submitted(thread, "delegate", values={"to": ASKER}))
    assert list(refused) == ["to"]
    assert await office.approval.handle_dialog(submitted(thread, "delegate", values={"to": BEN})) == {}
    assert office.store.saved[thread.thread_id].operator == BEN
    await office.orchestrator.stop()


async def test_an_edited_draft_is_saved_without_secrets() -> None:
    """Its buttons get a new nonce; a text with a secret of the settings changes nothing."""
    office = Office()
    office.approval = replace(office.approval, redactor=Redactor([SECRET]))
    thread = await office.pending()
    refused = await office.approval.handle_dialog(submitted(thread, "edit", values={"text": f"Use {SECRET}."}))
    assert (list(refused), office.store.saved[thread.thread_id]) == (["text"], thread)
    assert await office.approval.handle_dialog(submitted(thread, "edit", values={"text": "It is three."})) == {}
    draft = office.store.saved[thread.thread_id].draft_pending
    assert draft
    assert thread.draft_pending
    assert (draft.text, draft.edited_by) == ("It is three.", OPERATOR)
    assert draft.nonce not in ("", thread.draft_pending.nonce)
    await office.orchestrator.stop()


@pytest.mark.parametrize(("replayed", "counts"), [(True, True), (False, False)])
async def test_a_replayed_dialog_counts_while_slack_does_not_answer(replayed: bool, counts: bool) -> None:
    """Its person was told that it was accepted; a new one waits until Slack says that they are a member."""
    office = Office()
    thread = await office.pending()
    office.town.failure = RetryLater("users.info")
    errors = await office.approval.handle_dialog(submitted(thread), replayed=replayed)
    assert (not errors, office.store.saved[thread.thread_id] != thread) == (counts, counts)
    await office.orchestrator.stop()


async def test_the_first_of_two_approvals_says_that_nobody_may_be_the_second() -> None:
    """The reply waits, and the operator knows for what."""
    office = Office()
    office.orchestrator.limits = replace(LIMITS, second_approver=True)
    office.approval.operators.everywhere = (OPERATOR,)
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread))
    assert office.chat.notices == [ONLY_ONE]
    assert office.store.saved[thread.thread_id].status == "pending-user"
    await office.orchestrator.stop()


@pytest.mark.parametrize(("values", "block"), [({}, "text"), ({"feedback": "No.", "reason": "tone"}, "feedback")])
async def test_an_error_of_the_whole_dialog_is_shown_at_its_first_input(values: dict[str, str], block: str) -> None:
    """Slack shows no error without one; the audit has the error as that of a new delivery."""
    office = Office()
    thread = await office.pending()
    errors = await office.approval.handle_dialog(submitted(thread, user_id="U0EVIL", values=values))
    assert list(errors) == [block]
    assert (office.audit.kept[-1]["result"], office.audit.kept[-1]["replayed"]) == (errors[block], False)
    await office.orchestrator.stop()
