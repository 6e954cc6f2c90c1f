"""What the card says of a draft: badge, attack, rounds, questions, costs. A model's words mint nothing and fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.card import MAX_CHARS, build_card
from blocks.evidence_dialog import build_evidence_dialog
from blocks.text import size
from bot.decide.bounce.improvement import find_improvement
from bot.models.answer_change import AnswerChange, UncheckedNotes
from bot.models.decision import Round
from bot.models.findings import EvidenceSource
from bot.models.thread import Thread
from tests.blocks.test_card import LINK, shown
from tests.builders import check, edited, findings, found, moved, ran, reference, validated, validator
from tests.decide import test_workflow as story


def judged(**said: Any) -> Thread:
    """A draft that a validator has looked at, and which waits for a decision."""
    thread = story.awaiting()
    return moved(thread, validated(thread, validator_return=validator(**said)))


def behind(thread: Thread) -> str:
    """Everything that the dialog behind Show Evidence says."""
    return json.dumps(build_evidence_dialog(thread, find_improvement(thread)), ensure_ascii=False)


@pytest.mark.parametrize(
    ("thread", "badge"),
    [
        (story.pending(), "*Evidence checked.* Not checked: spot-check, "),
        (judged(), "*✓ validated.* Not checked: consistency with other threads."),
        (judged(cross_investigation_consistency="consistent"), '*✓ validated.*"}'),
        (judged(spot_check_result="uncheckable"), "*Evidence checked.* Not checked: spot-check, consistency"),
        (judged(verdict="escalate", reasons=("It guesses.",)), "*Not validated:* It guesses."),
    ],
)
def test_the_badge_says_what_was_checked_and_what_was_not(thread: Thread, badge: str) -> None:
    """Validated is said only where a validator made its spot-check; the card has the short form of it."""
    assert badge in behind(thread).replace("\\n", " ")
    assert ("✓ validated" in shown(thread)) is ("✓ validated" in badge)
    assert ("Not validated" in shown(thread)) is ("Not validated" in badge)


def test_what_the_validator_found_is_said() -> None:
    """Its spot-check with its note, its reasons, and each of its words that is not the good one."""
    said = behind(judged(tone_assessment="off", scope_drift="minor", reasons=("Line 3 says days.",)))
    spot = "*Validator: pass.* Spot-check of bot/a.py:1: *supports*. It stands there."
    for words in (spot, "• Line 3 says days.", "_scope drift: minor; tone: off_"):
        assert words in said


def test_a_validator_that_could_not_be_asked_is_named_with_its_reason() -> None:
    """Its checks are then not made."""
    thread = story.awaiting()
    said = validated(thread)
    for name, value in (
        ("unvalidated", "the model is overloaded (529)"),
        ("unsupported", ("42 days", "`x`")),
        ("is_model_away", True),
    ):
        object.__setattr__(said, name, value)
    text = shown(moved(thread, said))
    assert "*No validator:* the model is overloaded (529)" in text
    assert "• `42 days`, `x` are not supported by any cited line." in text
    assert "*No validator:* the model is overloaded (529)." in behind(moved(thread, said))


def test_an_edit_is_said_to_be_unchecked_and_the_validators_word_was_of_the_draft_before() -> None:
    """What is said of references and values is of the new text; while they are being opened nothing is."""
    thread = judged(reasons=("It is 42 days.",)).evolve(unsupported=("42 days",))
    assert "`42 days` is not supported by any cited line" in shown(thread)
    now = edited(thread, "It is 90 days, see `bot/a.py:1`.", check())
    said = shown(now)
    assert "not validated again" in said
    assert "42 days" not in said
    assert "1 of 1 reference open" in said
    assert "*Edited by <@U0OPS>.* The references are those of the new text; the validator read the draft" in behind(now)


def test_open_questions_and_a_wish_for_a_longer_run_are_shown() -> None:
    """With how to answer."""
    thread = story.investigating()
    asks: dict[str, Any] = {
        "open_questions": ("Which region?",),
        "escalation_requested": True,
        "escalation_reason": "It needs logs.",
    }
    said = shown(moved(thread, found(thread, **asks)).evolve(status="pending-user"))
    for words in (
        "*It asks you:*",
        "• Which region?",
        "Press Answer to reply",
        "*It wants a longer run:* It needs logs.",
    ):
        assert words in said


def test_costs_are_shown_and_summed() -> None:
    """Each run of the question; where a price is unknown, the sum says so."""
    thread = judged().evolve(runs=(ran(), ran(2, "validator", cost_usd=0.01, duration_ms=700)))
    assert "Tier 1, claude-opus-5-5: investigator" in behind(thread)
    each = "investigator $0.0202, 12.3 s · validator $0.0100, 0.7 s. Together $0.0302, 13.0 s."
    assert each in behind(thread)
    free = thread.evolve(runs=(ran(), ran(2, cost_usd=None)))
    assert "investigator cost unknown, 12.3 s. Together $0.0202, and 1 run of unknown cost, 24.6 s." in behind(free)
    failed = thread.evolve(runs=(ran(outcome="over_cap", cost_usd=0),))
    assert "investigator (over cap) $0.0000, 12.3 s." in behind(failed)


def test_a_models_words_mint_no_mention_and_no_broadcast() -> None:
    """In none of the places where they are shown."""
    bad = "<!channel> <@U1> <https://x.example|y>"
    thread = judged(reasons=(bad,), spot_check_note=bad, spot_check_ref=bad, verdict="bounce").evolve(
        unvalidated=bad,
        unsupported=(bad,),
        rounds=(Round(number=1, draft=bad, refs=(bad,), by="validator", attack=bad),),
        runs=(ran(model=bad),),
        investigator_return=findings(
            open_questions=(bad,),
            alternatives_dropped=(bad,),
            question_gloss=bad,
            escalation_requested=True,
            evidence_refs=(reference(ref=bad, supports_claim=bad),),
        ),
        sources=(EvidenceSource(ref=bad, commit=bad, url="https://code.example/x"),),
        rubric=bad,
    )
    for block in (*build_card(thread, link=LINK)["blocks"], *build_evidence_dialog(thread)["blocks"]):
        for text in (block.get("text", {}), *(block.get("elements", []) if block["type"] == "context" else [])):
            assert "<!channel" not in text.get("text", "")
            assert "<@U1" not in text.get("text", "")
            assert "<https://x.example" not in text.get("text", "")


def test_the_largest_card_fits() -> None:
    """Every field as long as it may be, or longer: Slack takes the card, and the draft stands in it whole."""
    long = "word & <tag> " * 300
    draft = "word " * 300
    refs = tuple(reference(ref=f"{'folder/' * 20}file{n}.py:1-40", quote="x = 1\n" * 40) for n in range(8))
    thread = story.investigating()
    thread = moved(
        thread, found(thread, draft, evidence_refs=refs, open_questions=(long,) * 20, question_gloss="g" * 600)
    )
    checks = [check("failed", one.ref) for one in refs]
    said = validator(reasons=(long,) * 20, spot_check_note=long, spot_check_ref=long, verdict="escalate")
    thread = moved(thread, validated(thread, *checks, validator_return=said)).evolve(
        unsupported=(long,) * 50,
        rounds=tuple(Round(number=n, draft=draft, refs=(long,) * 8, by="operator", attack=long) for n in range(9)),
        runs=tuple(ran(n) for n in range(40)),
    )
    blocks = build_card(thread, link=LINK)["blocks"]
    assert size(blocks) <= MAX_CHARS
    assert len(blocks) <= 50
    assert draft.strip() in json.dumps(blocks)


def test_a_models_word_is_marked_as_unmeasured() -> None:
    """Whoever reads the validator's verdict learns what it is worth; where no model looked, nothing is said of one."""
    note = "has not been measured"
    assert note in behind(judged())
    assert note not in behind(judged().evolve(validator_return=None))


@pytest.mark.parametrize("lack", [{"fallback": "over the cap"}, {"unvalidated": "overloaded"}])
def test_a_draft_without_the_model_can_be_made_again(lack: dict[str, str]) -> None:
    """Redraft asks the model, which may answer by then."""
    assert "redraft" not in shown(judged())
    said = shown(judged().evolve(**lack))
    assert all(f'"{action}"' in said for action in ("approve", "edit", "bounce", "redraft", "dismiss"))


def test_rounds_are_behind_the_card() -> None:
    """Who sent it back and what has changed, what it said and what it rested on."""
    back = Round(number=1, draft="It is four.", refs=("b.py:9",), by="validator", attack="Line 9 says three.")
    thread = judged().evolve(rounds=(back,))
    assert "*Round 1, sent back by the validator:* Line 9 says three." in behind(thread)
    assert (
        "*Changed since:* the text is different; references dropped: b.py:9; new: bot/a.py:1; kept: none; "
        "new values: bot/a.py:1." in behind(thread)
    )
    assert "Round 1" not in shown(thread)
    assert "It is four." not in shown(thread)
    assert "It is four." in behind(thread)
    assert "References: b.py:9." in behind(thread)


def test_a_draft_that_only_words_it_otherwise_is_called_so() -> None:
    """And one that went where the reason pointed, too."""
    back = Round(number=1, draft="It is in `bot/a.py:1`.", refs=("bot/a.py:1",), by="operator", attack="see bot/b.py:4")
    behind_it = behind(judged().evolve(rounds=(back,)))
    assert "new: none; kept: bot/a.py:1. No reference and no value is new." in behind_it
    behind_it = behind(judged().evolve(rounds=(back.evolve(refs=("c.py:1",), attack="look at bot/a.py"),)))
    assert "where the reason says to look: bot/a.py:1." in behind_it
    assert "is new" not in behind_it


def test_every_reason_of_a_validator_stands_behind_the_card() -> None:
    """Its card has their beginning, also where the validator passed it nevertheless."""
    reasons = tuple(f"Reason {n} {'x' * 60}." for n in range(5))
    thread = judged(reasons=reasons)
    assert "*Not validated*: The validator passed it with objections: Reason 0" in shown(thread)
    assert "Reason 4" not in shown(thread)
    assert all(reason in behind(thread) for reason in reasons)


def test_every_check_stands_behind_the_card_by_its_name() -> None:
    """Those that nobody made too; and what was considered and dropped."""
    thread = story.pending()
    thread = thread.evolve(investigator_return=findings(alternatives_dropped=("Four: that is the old limit.",)))
    said = behind(thread)
    for words in (
        "• evidence: ok",
        "• spot-check: *not made*",
        "*Alternatives dropped*",
        "Four: that is the old limit.",
    ):
        assert words in said


def test_a_comparison_with_nothing_is_called_not_made() -> None:
    """Where no open thread overlaps, the dialog says that nobody compared."""
    thread = judged()
    assert "Not checked: consistency with other threads" in behind(thread)
    assert "• consistency with other threads: *not made*: none of them overlaps" in behind(thread)


def kept(*changes: AnswerChange, **notes: str) -> Thread:
    """A waiting draft of an answer that code changed, after runs without one."""
    texts = tuple(UncheckedNotes(agent=agent, round=1, text=text) for agent, text in notes.items())
    return story.pending().evolve(answer_changes=changes, unchecked_notes=texts)


def test_what_code_changed_in_an_answer_is_said() -> None:
    """A draft that was cut is a fault to confirm; lengths stand on the card, dropped keys behind it."""
    cut = AnswerChange(kind="cut", field="draft_reply", text="The draft was cut: its first 9 of 99 characters are left")
    long = AnswerChange(kind="marked", field="draft_reply", text="The draft has 303 words; 300 were allowed")
    dropped = AnswerChange(kind="dropped", text="Keys that the form does not have: <!here>")
    for changes, on_card in (((cut,), "Look at this first"), ((long,), "*Too long:* The draft has 303 words")):
        assert on_card in shown(kept(*changes))
        assert changes[0].text in behind(kept(*changes))
    assert "Look at this first" not in shown(kept(long, dropped))
    assert "Keys that" not in shown(kept(dropped))
    assert "• Keys that the form does not have: &lt;!here&gt;." in behind(kept(dropped))
    now = edited(kept(cut), "It is set there, see `bot/a.py:1`.", check())
    assert "The draft was cut" not in shown(now)


def test_unchecked_notes_stand_behind_the_card_alone_and_are_marked() -> None:
    """Word for word, the newest first; the card says that they are there, and nothing that is posted has any."""
    thread = kept(investigator="Perhaps <!here>.", validator="It looks right.").evolve(fallback="it never fits")
    assert "Perhaps" not in shown(thread)
    assert "Its unchecked notes are behind Show Evidence." in shown(thread)
    said = behind(thread)
    assert said.index("*Unchecked notes* of the validator, round 1") < said.index("of the investigator, round 1")
    assert '"text": "Perhaps <!here>."' in said
    assert thread.draft_pending
    assert "Perhaps" not in thread.draft_pending.payload
