"""Hostile strings and forged requests, in short: no step stands out, nothing is let in."""

from __future__ import annotations

from pathlib import Path

import pytest

from measure.attack import kept, requests, strings


def test_forged_requests_have_no_effect() -> None:
    """Every body with every wrong signature is not even written down; nothing that strangers do is done."""
    forged, written, strangers = requests.run(100)
    assert forged.tries >= 100
    assert forged.effects == written.effects == strangers.effects == ()
    assert int(strangers.measured.split()[0]) > 10


def test_settings_files_of_strings_are_refused_in_a_few_lines(tmp_path: Path) -> None:
    """Each form once; what the file says breaks no line of the answer and moves no cursor."""
    assert kept.settings(10, tmp_path, asked=0).effects == ()


@pytest.mark.long
def test_hostile_strings_do_not_hold_up_the_loop() -> None:
    """Some through every input; five times the bar leaves room for another machine."""
    slow = [effect for row in strings.run(40) for effect in row.effects]
    assert [effect for effect in slow if not effect[0].isdigit() or int(effect.split()[0]) > 250] == []
