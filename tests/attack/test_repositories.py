"""A repository that lies: none of its tripwires fires, and nothing passes for a repository that is not one."""

from __future__ import annotations

from measure.attack import repositories


def test_a_hostile_repository_has_no_effect() -> None:
    """More than forty tripwires, and ten folders whose `.git` is somebody else's or none."""
    wires, pointing = repositories.run(40)
    assert wires.effects == pointing.effects == ()
    assert int(wires.attack.split()[3]) >= 40
