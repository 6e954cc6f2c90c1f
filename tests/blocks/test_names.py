"""Names of people in texts for Slack, whatever somebody calls themselves."""

from __future__ import annotations

import pytest

from blocks.text import person


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Rita", "Rita"),
        ("Rita\nApproved by Ada", "Rita Approved by Ada"),
        ("*Rita*\r\n\u2028> Waiting", "Rita Waiting"),
        ("Rita | ~gone~ `x`", "Rita gone x"),
        ("<!channel> <@U0ADA|Ada>", "!channel @U0ADA Ada"),
        ("Müller & Søn", "Müller &amp; Søn"),
        ("ana_weber", "ana_weber"),
        ("李\t雷", "李 雷"),
        ("\u202eatiR", "atiR"),
        ("x" * 90, "x" * 79 + "…"),
    ],
)
def test_a_name_is_one_line_without_markup(name: str, shown: str) -> None:
    """It ends no line, no link and no bold words, and mints nothing."""
    assert person(name) == shown
