"""A question's words on one line, as rows and notifications show them."""

from __future__ import annotations

from blocks.question import own_words
from tests.builders import added, moved


def test_the_address_behind_the_words_of_a_link_is_left_out() -> None:
    """A row cuts the line, and half an address would swallow what follows."""
    asked = "*#412: Payment errors (https://acme.pagerduty.com/incidents/Q1ABC)* since nine"
    assert own_words(moved(None, added(asked))) == "*#412: Payment errors* since nine"
