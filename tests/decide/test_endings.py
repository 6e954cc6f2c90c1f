"""Endings of sessions as the guards that the asker's line and the commands explain."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.decide.endings import find_abort
from bot.models.session import Outcome
from bot.models.task import Abort

NO_GUARD = ("running", "answered", "unusable", "refused", "failed", "died")


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_each_outcome_is_a_guard_or_none(outcome: Outcome) -> None:
    """A process says how it ended by its session's outcome."""
    why = find_abort(outcome)
    assert (why is None) == (outcome in NO_GUARD)
    assert why is None or why in get_args(Abort)
