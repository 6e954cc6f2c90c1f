"""Templates are filled in strictly."""

from __future__ import annotations

import pytest

from prompts.render import PromptMismatch, render

WHOLE = {"project": "shop", "lacks": " Nowhere in it: kafka.", "nearest": "`a.py:1`"}


def test_values_take_the_place_of_their_names() -> None:
    """Each placeholder becomes its value."""
    assert "I found nothing in shop that answers this. Nowhere in it: kafka." in render("keyword_nothing", **WHOLE)


def test_a_value_is_never_read_again() -> None:
    """A value that looks like a placeholder, or like a pattern, stays what it is."""
    text = render("keyword_nothing", **{**WHOLE, "nearest": r"{{project}} \1 \g<0> {{unknown}}"})
    assert r"{{project}} \1 \g<0> {{unknown}}" in text


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("keyword_nothing", {"project": "shop"}, "needs a value for: lacks, nearest"),
        ("keyword_nothing", {**WHOLE, "mood": "calm"}, "has no placeholder for: mood"),
        ("no_such_template", {}, "does not exist"),
        ("../render", {}, "not a template name"),
    ],
)
def test_a_mismatch_is_an_error(name: str, values: dict[str, str], said: str) -> None:
    """A missing name, a surplus name and an unknown template are all refused."""
    with pytest.raises(PromptMismatch, match=said):
        render(name, **values)
