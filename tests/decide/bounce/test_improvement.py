"""Improvement over a bounced draft, by table."""

from __future__ import annotations

import pytest

from bot.decide.bounce.improvement import compare_rounds, find_improvement
from bot.models.decision import Round
from tests.decide.test_workflow import pending

DRAFT = "The limit is 3, in `a.py:1`."


def sent_back(attack: str, refs: tuple[str, ...] = ("a.py:1", "b.py:7")) -> Round:
    """The bounced draft."""
    return Round(number=1, draft=DRAFT, refs=refs, by="operator", attack=attack)


@pytest.mark.parametrize(
    ("attack", "draft", "refs", "is_specific"),
    [
        pytest.param("wrong", DRAFT, ("a.py:1", "b.py:7"), False, id="the same"),
        pytest.param("wrong", "In `a.py:1`, the limit is  3.", ("a.py:1", "b.py:7"), False, id="reworded"),
        pytest.param("wrong", "Surely the limit is 3, in `a.py:1`.", ("b.py:7", "a.py:1"), False, id="insisted on"),
        pytest.param("wrong", "The limit is 5, in `a.py:1`.", ("a.py:1", "b.py:7"), True, id="another value"),
        pytest.param("wrong", "`max_tries` is 3, in `a.py:1`.", ("a.py:1", "b.py:7"), True, id="another name"),
        pytest.param("wrong", DRAFT, ("a.py:1", "b.py:7", "c.py:2"), True, id="another reference"),
        pytest.param("b.py is out of date", DRAFT, ("a.py:1",), True, id="a named reference dropped"),
        pytest.param("this is wrong", DRAFT, ("a.py:1",), False, id="a reference dropped that nobody named"),
    ],
)
def test_only_a_place_or_a_value_is_an_improvement(
    attack: str, draft: str, refs: tuple[str, ...], is_specific: bool
) -> None:
    """Rewording and insisting are none."""
    assert compare_rounds(sent_back(attack), draft, refs).is_specific is is_specific


def test_each_change_is_listed() -> None:
    """With the places that the objection asked for."""
    change = compare_rounds(sent_back("not b.py, look at c.py:20"), "It is 5, in `c.py:18`.", ("a.py:1", "c.py:18-22"))
    assert (change.new_refs, change.kept_refs, change.dropped_refs) == (("c.py:18-22",), ("a.py:1",), ("b.py:7",))
    assert (change.met, change.removed, change.is_same_text) == (("c.py:18-22",), ("b.py:7",), False)
    assert "5" in change.new_values


def test_blanks_are_no_change_of_the_text() -> None:
    """Nor are line breaks."""
    assert compare_rounds(sent_back("wrong"), DRAFT.replace(" ", "\n"), ()).is_same_text


def test_a_thread_is_compared_with_its_last_round() -> None:
    """Without a round or a draft there is nothing to compare."""
    thread = pending()
    assert find_improvement(thread) is None
    assert thread.draft_pending
    last = sent_back("wrong").evolve(draft=thread.draft_pending.text)
    change = find_improvement(thread.evolve(rounds=(sent_back("wrong"), last)))
    assert change
    assert change.is_same_text
    assert find_improvement(thread.evolve(rounds=(last,), draft_pending=None)) is None
