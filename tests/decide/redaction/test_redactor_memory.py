"""Memory of the redactor, which stays bounded, and the forms of secrets, by table."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.decide.redaction.pattern_language import beginnings, pattern
from bot.decide.redaction.redactor import MOST_HARMLESS, MOST_NOTICED, Redactor
from bot.decide.redaction.spans import replace_spans
from bot.decide.redaction.value_shape import is_random

SECRET = "val" + "ue-of-a-loaded-" + "secret-4711"


def test_what_was_searched_is_forgotten_when_it_is_too_much() -> None:
    """What is known stays known."""
    redactor = Redactor([SECRET])
    for number in range(MOST_HARMLESS + 2):
        assert redactor.redact(f"line {number}") == f"line {number}"
    assert len(redactor._harmless) <= MOST_HARMLESS
    for number in range(MOST_NOTICED + 2):
        redactor.notice(f"{number}")
    assert len(redactor._noticed) <= MOST_NOTICED
    redactor.notice("1")
    redactor.notice("1")
    assert SECRET not in redactor.redact(SECRET)


@pytest.mark.parametrize("form", ["{nothing:3}", "{hex}", "a}b"])
def test_a_form_that_cannot_be_read_is_refused(form: str) -> None:
    """The message names the part."""
    with pytest.raises(ValueError, match="expected"):
        pattern(form)


def test_a_form_needs_a_fixed_text() -> None:
    """It is what is searched for first."""
    with pytest.raises(ValueError, match="expected a text in it"):
        beginnings("{alnum:20}")


@pytest.mark.parametrize(("value", "random"), [("aaaa1111aaaa1111", False), ("k3Jf9sQ2xW7p", True)])
def test_few_different_signs_are_no_chance(value: str, random: bool) -> None:
    """A value that repeats itself is a placeholder."""
    assert is_random(value) is random


def test_an_empty_span_takes_nothing_out() -> None:
    """The text stays as it is."""
    assert replace_spans("abc", [(1, 1, "loaded")], "[redacted]") == "abc"


def test_what_slack_is_given_has_no_secret_at_any_depth() -> None:
    """Keys and numbers stay."""
    shown = OutboundFilter(Redactor([SECRET]), ZoneInfo("UTC"))
    assert shown.apply({"a": [f"it is {SECRET}", 3]}) == {"a": ["it is [redacted]", 3]}
