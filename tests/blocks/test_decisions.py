"""What stands in place of the controls, what an edit changed, and that each surface passes Slack's own limits."""

from __future__ import annotations

import random
from typing import Any

import pytest

from blocks import dialogs
from blocks.card import build_card
from blocks.edit_diff import _pieces, _separate_code
from blocks.evidence_dialog import build_evidence_dialog
from blocks.retired_card import build_retired_card
from blocks.text import Block
from bot.decide.workflow.desk import hand_over_question
from bot.models.findings import MAX_NOTE_CHARS, ProposedTriageFile
from bot.models.reasons import DISMISSED
from bot.models.status_change import StatusChange
from bot.models.thread import Thread
from bot.models.thread_event import Approve, CardRetired, Delegate, Dismiss, Due, EditSubmitted, Posted, TakeOver
from sandbox.blockkit import checked_blocks, checked_view
from tests.blocks.test_card import LINK, PIECES, actions, shown
from tests.builders import LIMITS, OPERATOR, at, draft_for, found, fresh, moved, opened, validated
from tests.decide import test_workflow as story
from tests.decide.test_presses import BEN, TWO, first_approved

VALUE = "T1-C1-1.1/1 n"


def edited(text: str) -> Thread:
    """A draft that somebody rewrote."""
    thread = story.pending()
    draft = draft_for(thread, text).evolve(edited_by=OPERATOR)
    return opened(moved(thread, story.press(EditSubmitted, thread, draft=draft)))


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        (Dismiss, {"code": "not_for_us"}, "*Dismissed* by <@U0OPS> · <!date^"),
        (Dismiss, {"code": "not_for_us"}, ": not for us. Nothing was posted."),
        (Dismiss, {}, "UTC>. Nothing was posted."),
        (Dismiss, {"code": "duplicate", "link": "https://x.test/1"}, ": duplicate of <https://x.test/1|this one>."),
        (Dismiss, {"code": "answered_elsewhere", "link": "https://x.test/1"}, "elsewhere <https://x.test/1|here>."),
        (TakeOver, {}, "*Taken over* by <@U0OPS> · <!date^"),
        (Approve, {}, "*Approved* by <@U0OPS> · <!date^"),
    ],
)
def test_the_outcome_says_who_what_and_when(kind: Any, said: dict[str, str], words: str) -> None:
    """In two lines below a rule, the first in a block of its own name; only Show Evidence is left to press."""
    thread = story.pending()
    before = build_card(thread, link=LINK)["blocks"][-1]["block_id"]
    after = moved(thread, story.press(kind, thread, **said))
    rule, outcome, question = build_card(after, link=LINK)["blocks"]
    assert (rule["type"], question["type"]) == ("divider", "context")
    assert words in outcome["text"]["text"]
    assert outcome["block_id"] != before
    assert outcome["accessory"]["action_id"] == "show_evidence"
    assert actions(after) == []


def test_both_approvals_are_named() -> None:
    """While the second is awaited, and afterwards."""
    thread = first_approved()
    assert "it waits for a second person" in shown(thread)
    assert "asked to approve it, too" in str(build_retired_card(thread, thread.hand_overs[-1], link=LINK))
    after = moved(thread, story.press(Approve, thread, by=BEN), TWO)
    assert "*Approved* by <@U0OPS> and <@U0BEN>" in shown(after)
    told = moved(after, Posted(at=at(11), fresh=fresh(), ts="111.000001"))
    (first,) = told.to_retire
    outcome = str(build_retired_card(told, first, link=LINK))
    assert "by <@U0OPS> and <@U0BEN>" in outcome
    assert "p111000001?thread_ts=" in outcome
    assert moved(told, CardRetired(at=at(12), fresh=fresh(), nonce=first.card.nonce)).to_retire == ()
    later = told.evolve(
        status_history=(*told.status_history, StatusChange(at=at(20), previous="closed", next="collecting"))
    )
    earlier = str(build_retired_card(later.evolve(status="collecting"), first, link=LINK))
    assert "An earlier question in" in earlier
    assert "*Approved*" not in earlier


def test_a_hand_over_is_named_on_the_new_card_until_the_question_ends() -> None:
    """By whom, to whom."""
    thread = story.pending()
    assert "Handed over" not in shown(thread)
    assert "*Handed over* to <@U0BEN> by <@U0OPS>" in shown(moved(thread, story.press(Delegate, thread, to=BEN)))
    late = hand_over_question(thread, Due(at=at(99), fresh=fresh()), to=BEN)
    assert late is not None
    assert late.thread is not None
    assert "since nobody had decided" in shown(late.thread)


def test_what_an_edit_changed_is_shown_word_by_word() -> None:
    """Struck out and bold; what stayed is shortened."""
    thread = edited("It was set in `bot/a.py:1` then.")
    blocks = build_card(thread, link=LINK)["blocks"]
    (quote,) = [e for b in blocks if b["type"] == "rich_text" for e in b["elements"] if _is_change(e)]
    pieces = [(piece["text"], *piece.get("style", ())) for piece in quote["elements"]]
    assert ("is", "strike") in pieces
    assert ("was", "bold") in pieces


def test_what_stayed_is_cut_between_words() -> None:
    """A line in which one word was changed names it between whole words; a word too long for that is cut."""
    was, now = (
        "A payment is tried again three times within two days.",
        "A payment is tried again three times within 2 days.",
    )
    assert [piece["text"] for piece in _pieces(was, now)] == [
        "A payment is tried … three times within ",
        "two",
        "2",
        " days.",
    ]
    assert [piece["text"] for piece in _pieces("x" * 50, "x" * 50)] == ["x" * 20 + "…" + "x" * 20]


def test_a_practice_card_does_not_offer_to_post() -> None:
    """Its header asks whether one would."""
    thread = story.pending()
    assert title(thread) == "Waiting for you: post this reply?"
    practice = thread.evolve(mode="preview")
    assert title(practice) == "Practice: would you post this reply?"
    assert "*Practice*, Approve posts nothing" in shown(practice)


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        (story.collecting, "In progress: no draft yet"),
        (story.investigating, "In progress: no draft yet"),
        (story.in_doubt, "In doubt: was this reply posted?"),
        (lambda: story.pending().evolve(draft_pending=None), "Failed: there is no draft"),
    ],
)
def test_the_header_tells_cards_apart(thread: Any, words: str) -> None:
    """By what they ask of their operator."""
    assert title(thread()) == words


def title(thread: Thread) -> str:
    """The header of the card."""
    line, first = build_card(thread, link=LINK)["blocks"][:2]
    assert (line["type"], first["type"]) == ("divider", "header")
    return str(first["text"]["text"])


def test_a_settled_card_leads_to_the_reply() -> None:
    """By the address that Slack gives a reply; where the question is gone there is none."""
    thread = story.replied()
    reply = f"https://sandbox.slack.com/archives/C0HELP/p{(thread.posted_message_id or '').replace('.', '')}"
    assert f"<{reply}?thread_ts={thread.root_ts}&cid=C0HELP|The reply is posted.>" in shown(thread)
    assert "The reply is posted." in str(build_card(thread, link="slack://channel?team=T1&id=C1"))


def test_delegate_is_offered_only_where_somebody_else_may_decide() -> None:
    """While there is a draft, and before."""
    for thread in (story.pending(), story.investigating(), story.pending().evolve(draft_pending=None)):
        assert '"Delegate"' in shown(thread)
        alone = str(build_card(thread, link=LINK, may_delegate=False))
        assert "Delegate" not in alone
        assert "Take Over" in alone


def _is_change(element: Block) -> bool:
    return any("strike" in piece.get("style", {}) for piece in element["elements"])


def test_a_draft_that_nobody_edited_shows_no_change() -> None:
    """Nor one whose edit was taken back."""
    assert "Changed by" not in shown(story.pending())


@pytest.mark.parametrize("length", [1, 300, 2_900])
@pytest.mark.parametrize("pieces", [PIECES, PIECES[:1], PIECES[5:6]], ids=["mixed", "code", "wide"])
def test_every_surface_of_a_decision_passes_slacks_limits(length: int, pieces: list[str]) -> None:
    """Cards with a change, a hand-over, a first approval and a note; the card of before; each dialog."""
    rng = random.Random(length)
    text = " ".join("".join(rng.choice(pieces) for _ in range(length))[:length].split()[:250]) or "x"
    thread = story.investigating()
    note = ProposedTriageFile(filename=text[:200], content=(text * 20)[:MAX_NOTE_CHARS])
    thread = moved(thread, found(thread, text, proposed_triage_file=note, open_questions=(text,)))
    thread = moved(thread, validated(thread))
    draft = draft_for(thread, " ".join(reversed(text.split(" ")))).evolve(edited_by=OPERATOR)
    thread = opened(moved(thread, story.press(EditSubmitted, thread, draft=draft)))
    thread = moved(thread, story.press(Approve, thread, second=BEN), TWO)
    ended = moved(thread, story.press(Dismiss, thread, code="duplicate", link=f"https://x.test/{'y' * 480}"))
    for document in (thread, moved(thread, story.press(Approve, thread, by=BEN, keeps_note=True), LIMITS), ended):
        assert checked_blocks(build_card(document, link=LINK)["blocks"])
    assert checked_blocks(build_retired_card(thread, thread.hand_overs[-1], link=LINK)["blocks"])
    people = {f"U0PERSON{number}": "x" * 80 for number in range(200)}
    for view in (
        dialogs.edit(VALUE, text=text),
        dialogs.bounce(VALUE),
        dialogs.dismiss(VALUE),
        dialogs.answer(VALUE, questions=(text,) * 20),
        dialogs.delegate(VALUE, operators=people),
        dialogs.delegate(VALUE, operators={"U0BEN": "Ben"}),
        dialogs.note(note.content),
    ):
        assert checked_view(view)


def test_dismiss_is_quick() -> None:
    """The dialog can be submitted as it opens."""
    reason, link = dialogs.dismiss(VALUE)["blocks"]
    assert reason["element"]["initial_option"]["value"] == next(iter(DISMISSED))
    assert link["optional"]


WORDS = [f"word{number}" for number in range(80)]
FENCED = "It is set here:\n```\na = 1\nb = 2\n```\nThe engine searched for it and quotes."


def changed(before: str, after: str) -> Thread:
    """A draft with this text, into which somebody put that one."""
    thread = story.investigating()
    thread = moved(thread, found(thread, before))
    thread = moved(thread, validated(thread))
    draft = draft_for(thread, after).evolve(edited_by=BEN)
    return moved(thread, story.press(EditSubmitted, thread, draft=draft))


@pytest.mark.parametrize(
    ("before", "after", "is_rewritten"),
    [
        (" ".join(WORDS), " ".join(w if n % 3 else w.upper() for n, w in enumerate(WORDS)), False),
        (" ".join(WORDS), " ".join(w if n % 3 == 0 else w.upper() for n, w in enumerate(WORDS)), True),
        (" ".join(WORDS), " ".join(WORDS[:30]), True),
        (" ".join(WORDS[:30]), " ".join(WORDS), True),
        (" ".join(WORDS), f"`{WORDS[3]}` and {WORDS[5]}", True),
        (FENCED, FENCED.replace("b = 2", "b = 3").replace("quotes", "reads"), False),
    ],
)
def test_a_rewrite_is_told_by_the_words_that_stay(before: str, after: str, *, is_rewritten: bool) -> None:
    """Of the longer text, however many changes there are; the old text is behind Show Evidence."""
    thread = changed(before, after)
    assert ("*Rewritten by <@" in shown(thread)) == is_rewritten
    assert ("strike" in shown(thread)) != is_rewritten
    assert ("more change" in shown(thread)) == (not is_rewritten and before != FENCED)
    assert "*The old text*" in str(build_evidence_dialog(thread))


def test_code_stands_apart_in_what_an_edit_changed() -> None:
    """Its lines are code on lines of their own, and the marks around it are left out."""
    pieces = [*_separate_code(_pieces(FENCED, FENCED.replace("b = 2", "b = 3").replace("quotes", "reads")))]
    told = "".join(f"<{piece['text']}>" if "code" in piece.get("style", {}) else piece["text"] for piece in pieces)
    assert told == "It is set here:\n<a = 1\nb = ><2><3>\nThe engine searched for it and quotes.reads."
