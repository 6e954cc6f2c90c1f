"""Risky advice that a hostile model calls harmless."""

from __future__ import annotations

from measure.attack import risk


def test_no_advice_passes_by_a_models_word() -> None:
    """Some sentences of the list in each dress."""
    assert risk.run(60).effects == ()
