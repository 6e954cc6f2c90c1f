"""A named defect is believed only at a place that code has opened."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.defects import find_defect
from bot.models.fix import NamedDefect
from tests.builders import check, found, moved, reference, validated
from tests.decide.test_workflow import investigating

DEFECT = NamedDefect(summary="The limit is off by one; it should be 4.", ref="bot/a.py:1")
OTHER = reference(ref="bot/b.py:2")
COMMIT = reference(kind="git_commit", ref="bot/a.py:1")


@pytest.mark.parametrize(
    ("fields", "checks", "is_believed"),
    [
        ({"defect": DEFECT}, (check(),), True),
        ({"defect": DEFECT, "evidence_refs": (OTHER, reference())}, (check(), check(ref="bot/b.py:2")), True),
        ({}, (check(),), False),
        ({"defect": DEFECT}, (check("failed"),), False),
        ({"defect": DEFECT}, (check("not_checkable"),), False),
        ({"defect": DEFECT, "evidence_refs": (OTHER,)}, (check(ref="bot/b.py:2"),), False),
        ({"defect": DEFECT, "evidence_refs": (COMMIT,)}, (check(),), False),
        ({"defect": DEFECT.evolve(ref="bot/a.py:1-9")}, (check(),), False),
    ],
)
def test_a_defect_is_believed_where_code_opened_it(fields: Any, checks: Any, is_believed: bool) -> None:
    """Its reference is one to a file, of the same findings, as it is written there."""
    before = investigating()
    thread = moved(before, found(before, **fields))
    thread = moved(thread, validated(thread, *checks))
    assert find_defect(thread) == (fields["defect"] if is_believed else None)
    assert find_defect(thread.evolve(unopened=("bot/a.py:1",))) is None
    assert find_defect(before) is None
