"""Loaded values in what a text may make of them."""

from __future__ import annotations

import pytest

from bot.decide.redaction.redactor import LOADED, REDACTED, Redactor
from measure.attack.secrets import DISGUISES, run
from tests.tables import each_row

VALUES = ("s3cr3t" + "-value-4711", "aB3" + "$dEfG!9hIjKl" + "+/mN")


@each_row("disguise", DISGUISES)
@each_row("value", VALUES)
def test_a_disguised_value_is_found_and_taken_out(value: str, disguise: str) -> None:
    """And what stands around it stays."""
    redactor = Redactor([value])
    said = DISGUISES[disguise](value)
    assert LOADED in redactor.kinds(f"see {said} here")
    done = redactor.redact(f"see {said} here")
    assert REDACTED in done
    assert said[3:-3] not in done
    assert done.startswith("see ")
    assert done.endswith(" here")


def test_words_are_no_disguise_of_a_value_of_words() -> None:
    """A value without a digit is looked for with its signs."""
    redactor = Redactor(["platform-eu-west"])
    assert redactor.redact("the platform (EU) looks west") == "the platform (EU) looks west"
    assert redactor.redact('x = "platform-" + "eu-west"') == f'x = "{REDACTED}"'


@pytest.mark.parametrize(
    ("value", "text"), [("9~?" + "8~?7>", "l pz, h pz c: the base64"), ("пароль" + "-магазина", "pre-paid -- on-line")]
)
def test_a_form_that_says_too_little_is_not_searched_for(value: str, text: str) -> None:
    """Base64 whose letters are few, and the only ASCII character of a value; the value itself is found."""
    redactor = Redactor([value])
    assert redactor.redact(text) == text
    assert redactor.redact(f"see {value} here") == f"see {REDACTED} here"


def test_long_values_and_many_are_known_too() -> None:
    """A key of many lines, and the variables of a large environment."""
    values = ["ab1" * 6_000, *(f"{VALUES[0]}-{number:04}" for number in range(200))]
    redactor = Redactor(values)
    for value in (values[0], values[-1]):
        assert redactor.redact(f"see {value[::-1]} here") == f"see {REDACTED} here"


def test_the_attack_has_no_effect() -> None:
    """In its short form, on a sample of each form that scanners list among others."""
    assert [effect for tally in run(400) for effect in tally.effects] == []
