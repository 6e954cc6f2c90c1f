"""Which definitions can be the amount that is asked for; by table."""

from __future__ import annotations

import pytest

from bot.decide.values.amount_fit import holds_number, is_amount
from bot.decide.values.definition import Definition


@pytest.mark.parametrize(
    ("question", "name", "value", "fits"),
    [
        ("how many items can be imported at once?", "$importCount", "0;", False),
        ("how many orders may be open?", "self.total", "0", False),
        ("how many items can be imported at once?", "maxImportCount", "0", True),
        ("how many items can be imported at once?", "batch", "50", True),
        ("what is the maximum size of a packet?", "minPacketSize", "36", False),
        ("wie viele Fahrten sind es h\u00f6chstens?", "MIN_RIDES", "2", False),
        ("how many rides at least?", "maxRides", "9", False),
        ("how many rides at least?", "minRides", "2", True),
        ("what is the maximum size of a packet?", "maxPacketSize", "2048", True),
    ],
)
def test_a_counter_and_the_other_limit_are_not_the_amount(question: str, name: str, value: str, *, fits: bool) -> None:
    """A counter begins at nothing; the least is not the most."""
    assert is_amount(question, Definition(1, name, value, context="body")) is fits


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ("64", True),
        ('"30s"', True),
        ('"5 minutes"', True),
        ("Duration(seconds=5)", True),
        ('[]rune("abcdefXYZ1234567890")', False),
        ('"0123456789abcdef"', False),
        ("'sha256'", False),
    ],
)
def test_digits_of_an_alphabet_are_no_number(value: str, *, holds: bool) -> None:
    """Nor are those of a name in quotes."""
    assert holds_number(value) is holds
