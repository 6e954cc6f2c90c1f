"""Templates are filled in strictly."""

from __future__ import annotations

import pytest

from prompts.render import PromptMismatch, render

WHOLE = {"project": "shop", "words": "timeout", "passages": "`a.py:1`"}


def test_values_take_the_place_of_their_names() -> None:
    """Each placeholder becomes its value."""
    assert "I searched shop for timeout. This place fits best:" in render("keyword_draft", **WHOLE)


def test_a_value_is_never_read_again() -> None:
    """A value that looks like a placeholder, or like a pattern, stays what it is."""
    text = render("keyword_draft", **{**WHOLE, "passages": r"{{project}} \1 \g<0> {{unknown}}"})
    assert r"{{project}} \1 \g<0> {{unknown}}" in text


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("keyword_draft", {"project": "shop"}, "needs a value for: passages, words"),
        ("keyword_draft", {**WHOLE, "mood": "calm"}, "has no place for: mood"),
        ("no_such_template", {}, "does not exist"),
        ("../render", {}, "no name of a template"),
    ],
)
def test_a_mismatch_is_an_error(name: str, values: dict[str, str], said: str) -> None:
    """A missing name, a surplus name and an unknown template are all refused."""
    with pytest.raises(PromptMismatch, match=said):
        render(name, **values)
