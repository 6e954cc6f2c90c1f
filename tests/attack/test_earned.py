"""Automatic replies under attack, with the gate closed and open."""

from __future__ import annotations

from measure.attack import earned
from measure.attack.earned import HONEST, QUESTION


def test_nothing_passes_a_gate_by_what_a_model_claims() -> None:
    """Some of each kind; an honest draft at an open gate does, so that the attack tries something."""
    closed, opened = earned.run(120)
    assert (closed.effects, opened.effects) == ((), ())
    assert earned._goes_out(earned._draft(QUESTION, HONEST), earned._judge("right"))
