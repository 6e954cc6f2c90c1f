"""A repository that lies: none of its tripwires fires, and nothing passes for a repository that is not one."""

from __future__ import annotations

import pytest

from measure.attack import repositories


@pytest.mark.parametrize("calls", [20, pytest.param(80, marks=pytest.mark.long)])
def test_a_hostile_repository_has_no_effect(calls: int) -> None:
    """More than forty tripwires, and ten folders whose `.git` is somebody else's or none."""
    wires, pointing = repositories.run(calls)
    assert wires.effects == pointing.effects == ()
    assert int(wires.attack.split()[3]) >= 40
