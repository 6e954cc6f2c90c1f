"""Opened references of an edited text: everything that was found is in the document, and only for that text."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.workflow.edits import apply_opened_references as apply
from bot.models.advice import Advice
from bot.models.findings import EvidenceSource
from bot.models.thread import Thread
from bot.models.thread_event import EditSubmitted, Posted
from tests.builders import at, check, draft_for, fresh, moved, reference, references_opened, step, validator
from tests.decide.test_workflow import approved, pending, press


def edited(text: str = "See `config/limits.toml:3`.") -> Thread:
    """A waiting draft with another text, whose references are being opened."""
    before = pending()
    return moved(before, press(EditSubmitted, before, draft=draft_for(before, text)))


def test_all_that_was_found_is_on_the_card() -> None:
    """The payload is sealed with the links to these references."""
    thread = edited()
    place = EvidenceSource(ref="config/limits.toml:3", commit="0" * 40)
    found: dict[str, Any] = {
        "sources": (place,),
        "payload": "sealed",
        "sha256": "0" * 64,
        "owners": ("U0BEN",),
        "unsupported": ("5,000",),
        "problem": "git is not there",
    }
    after = moved(thread, references_opened(thread, check(ref="config/limits.toml:3"), **found))
    assert after.draft_pending
    assert (after.draft_pending.payload, after.draft_pending.sha256) == ("sealed", "0" * 64)
    assert (after.owners, after.unsupported, after.opening_problem) == (("U0BEN",), ("5,000",), "git is not there")
    assert [each.ref for each in after.cited or ()] == ["config/limits.toml:3"]
    assert [each.ref for each in after.evidence_checks] == ["config/limits.toml:3"]
    assert (after.opening, after.sources) == (None, (place,))
    assert after.verdict
    assert after.verdict.verdict == "pass"


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"references": (), "checks": ()}, "escalate", "The edited text cites nothing."),
        ({"references": None, "checks": (check(),)}, "pass", ""),
        ({"references": (reference(ref="b.py:2"),), "checks": (check("failed", "b.py:2"),)}, "bounce", "b.py:2"),
    ],
)
def test_the_verdict_is_that_of_the_new_text(changes: dict[str, Any], verdict: str, reason: str) -> None:
    """Its own references count; those of the findings where it is the drafted text again."""
    thread = edited()
    after = moved(thread, references_opened(thread, **changes))
    assert after.verdict
    assert after.verdict.verdict == verdict
    assert reason in " ".join(after.verdict.reasons)


def test_an_edited_text_that_advises_to_touch_production_never_passes() -> None:
    """Whatever its references."""
    advice = Advice(kind="delete", words="drop the table")
    before = pending()
    draft = draft_for(before, "Drop the table, see `bot/a.py:1`.").evolve(advises=(advice,))
    thread = moved(before, press(EditSubmitted, before, draft=draft))
    after = moved(thread, references_opened(thread, check()))
    assert after.verdict
    assert after.verdict.verdict == "escalate"
    assert "drop the table" in after.verdict.reasons[-1]


def test_the_drafted_text_again_has_its_validators_verdict_again() -> None:
    """Values in no cited text stand against it as before; against a draft that no model validated, as a fault alone."""
    for returned, verdict in ((validator(spot_check_result="uncheckable"), "bounce"), (None, "pass")):
        waiting = edited()
        assert waiting.draft_pending
        thread = waiting.evolve(
            validator_return=returned, draft_pending=waiting.draft_pending.evolve(drafted=None, edited_by=None)
        )
        after = moved(thread, references_opened(thread, check(), references=None, unsupported=("5,000",)))
        assert after.verdict
        assert after.verdict.verdict == verdict


def test_an_edit_is_numbered_and_opened_once() -> None:
    """Each text has the next number, and the results of a text before are dropped."""
    before = pending()
    once = edited()
    assert once.drafts_made == before.drafts_made + 1
    late = references_opened(once)
    twice = moved(once, press(EditSubmitted, once, draft=draft_for(once, "Four.")))
    assert twice.opening != once.opening
    assert not step(twice, late).accepted
    assert apply(twice.evolve(investigator_return=None), references_opened(twice)) is None
    assert apply(twice.evolve(status="approved"), references_opened(twice)) is None


def test_what_was_posted_is_opened_no_more() -> None:
    """The result would change a document that nobody decides on."""
    opening = edited()
    late = references_opened(opening)
    posted = moved(approved(), Posted(at=at(20), fresh=fresh(), ts="101.000001")).evolve(opening=opening.opening)
    assert not step(posted, late).accepted
