"""The short form of `make attack`: no way out of the boundary among those that nobody wrote down."""

from __future__ import annotations

import pytest

from measure.attack.isolation import run
from tests.isolation.outside import refused


@pytest.mark.skipif(bool(refused()), reason=f"no boundary here: {refused()}")
def test_no_way_out_is_found() -> None:
    """A hundred tries, more than half of them made by chance."""
    found = run(100)
    assert (found.tries >= 100, found.effects) == (True, ())
