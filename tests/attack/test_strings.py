"""Hostile strings and forged requests, in short: no step stands out, nothing is let in."""

from __future__ import annotations

import pytest

from measure.attack import requests, strings


def test_forged_requests_have_no_effect() -> None:
    """Every body with every wrong signature is not even written down; nothing that strangers do is done."""
    forged, written, strangers = requests.run(100)
    assert forged.tries >= 100
    assert forged.effects == written.effects == strangers.effects == ()
    assert int(strangers.measured.split()[0]) > 10


@pytest.mark.long
def test_hostile_strings_do_not_hold_up_the_loop() -> None:
    """The first of those that `make attack` tries; five times the bar leaves room for another machine."""
    found = strings.run(60)
    assert not [effect for effect in found.effects if int(effect.split()[0]) > 250]
