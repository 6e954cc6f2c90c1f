"""Spellings of an investigator's answer that have one meaning are read; all others stay as they are."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from bot.agents.investigator_output import InvestigatorOutput
from bot.agents.lenient_form import mend_form
from bot.agents.shortening import shorten
from bot.models.fix import NamedDefect

QUOTE = "retry_budget = 11"


def cite(ref: str, **fields: Any) -> dict[str, Any]:
    """A reference to a file."""
    return {"kind": "file", "ref": ref, "supports_claim": "States the value.", "quote": QUOTE, **fields}


def answer(**fields: Any) -> dict[str, Any]:
    """A whole answer."""
    return {
        "confidence": "high",
        "confidence_reason": "The line states it.",
        "summary_for_orchestrator": "It is 11.",
        "draft_reply": "It is 11.",
        "draft_language": "en",
        "evidence_refs": [cite("a.ini:4")],
        "research_notes": "Read it.",
        **fields,
    }


@pytest.mark.parametrize(
    ("ref", "read"),
    [
        ("config/limits.ini:L4", "config/limits.ini:4"),
        ("config/limits.ini:L4-L6", "config/limits.ini:4-6"),
        ("config/limits.ini:L4-6", "config/limits.ini:4-6"),
        ("config/limits.ini:4-L6", "config/limits.ini:4-6"),
        ("config/limits.ini#L4", "config/limits.ini:4"),
        ("config/limits.ini#L4-L6", "config/limits.ini:4-6"),
        ("config/limits.ini#4-6", "config/limits.ini:4-6"),
        ("config/limits.ini:4–6", "config/limits.ini:4-6"),
        (" config/limits.ini:4 - 6 ", "config/limits.ini:4-6"),
        ("a b/#1.md#L4", "a b/#1.md:4"),
        ("config/limits.ini:4-6", "config/limits.ini:4-6"),
        ("config/limits.ini", "config/limits.ini"),
        ("config/limits.ini:L0", "config/limits.ini:L0"),
        ("config/limits.ini:Lx", "config/limits.ini:Lx"),
        ("config/limits.ini:L4,L9", "config/limits.ini:L4,L9"),
        ("config/limits.ini:L4-L6-L8", "config/limits.ini:L4-L6-L8"),
        ("#L4", "#L4"),
        ("", ""),
    ],
)
def test_lines_are_read_as_web_pages_write_them(ref: str, read: str) -> None:
    """The change is recorded, once; of a reference without clear lines nothing is guessed."""
    content = answer(evidence_refs=[cite(ref)])
    changes = mend_form(content)
    assert content["evidence_refs"][0]["ref"] == read
    assert [change.kind for change in changes] == ["mended"] * (ref != read)


@pytest.mark.parametrize(
    ("defect", "read"),
    [
        ({"summary": "Off by\n one.", "ref": "a.ini:4"}, ("Off by one.", "a.ini:4")),
        ({"description": "Off by one.", "reference": "`a.ini#L4-L6`"}, ("Off by one.", "a.ini:4-6")),
        ({"summary": "x" * 900, "ref": "a.ini:L4", "severity": "high"}, ("x" * 500, "a.ini:4")),
        ({"summary": "Off by one.", "ref": "r" * 301}, None),
        ({"summary": " ", "ref": "a.ini:4"}, None),
        ({"summary": "Off by one.", "ref": None}, None),
        ({"summary": "Off by one."}, None),
        ("none", None),
        (None, None),
        (["a.ini:4"], None),
        (NamedDefect(summary="Off by one.", ref="a.ini:4"), ("Off by one.", "a.ini:4")),
    ],
)
def test_a_defect_costs_no_answer(defect: Any, read: tuple[str, str] | None) -> None:
    """An unusual one is read, and anything else names none."""
    named = InvestigatorOutput.model_validate(answer(defect=defect)).defect
    assert (named and (named.summary, named.ref)) == read


@pytest.mark.parametrize(
    "fields",
    [
        {"confidence": "High"},
        {"confidence": " MEDIUM\n"},
        {"evidence_refs": None},
        {"open_questions": None, "alternatives_dropped": None},
    ],
)
def test_spellings_with_one_meaning_fit_the_form(fields: dict[str, Any]) -> None:
    """Each would cost a paid turn."""
    content = answer(**fields)
    assert [change.field for change in shorten(content)] == [*fields]
    InvestigatorOutput.model_validate(content)


@pytest.mark.parametrize(
    "fields",
    [
        {"confidence": "certain"},
        {"confidence": "highest"},
        {"confidence": ["high"]},
        {"confidence": None},
        {"draft_reply": None},
        {"evidence_refs": "a.ini:4"},
        {"evidence_refs": [None, "a.ini:L4", {"kind": "file", "ref": 4}, {"kind": ["file"], "ref": "a.ini:L4"}]},
        {"evidence_refs": [{"ref": "a.ini#L4"}, cite("abc1234#L4", kind="git_commit")]},
    ],
)
def test_what_has_no_clear_meaning_stays(fields: dict[str, Any]) -> None:
    """It goes back to the model."""
    content = answer(**fields)
    before = copy.deepcopy(content)
    assert (mend_form(content), content) == ([], before)


def test_equal_references_count_once() -> None:
    """By place and quote; another quote, commit or kind is another reference, and the limit counts those left."""
    others = [cite("a.ini:4", quote="x"), cite("a.ini:4", commit="abc1234"), cite("a.ini:4", kind="memory")]
    same = [cite("a.ini:4"), cite("a.ini#L4", supports_claim="Again."), cite("a.ini:L4")] * 3
    content = answer(evidence_refs=[*same, *others])
    changes = [change.text for change in shorten(content)]
    assert content["evidence_refs"] == [cite("a.ini:4"), *others]
    assert changes[-1] == "8 of 12 references repeat another one and were left out"


@pytest.mark.parametrize(("words", "most", "is_marked"), [(150, 150, False), (151, 150, True), (300, 300, False)])
def test_a_draft_is_marked_above_the_words_of_its_prompt(words: int, most: int, *, is_marked: bool) -> None:
    """A small model is asked for fewer."""
    content = answer(draft_reply="word " * words)
    assert [change.kind for change in shorten(content, most_words=most)] == ["marked"] * is_marked
