"""Risky advice that a hostile model calls harmless."""

from __future__ import annotations

from measure.attack import risk


def test_no_advice_passes_by_a_models_word() -> None:
    """Each sentence of the list, as it is and in some dresses."""
    assert risk.run(120).effects == ()
