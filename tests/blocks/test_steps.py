"""Steps of an escalated question, as the App Home shows them (spec 3, "Chain cost breakdown visible")."""

from __future__ import annotations

from typing import Any

import pytest

from blocks.session_chain import describe_steps
from bot.models.escalation import Escalation
from tests.builders import at, ran
from tests.decide import test_workflow as story

NOW: dict[str, Any] = {"reason": "it is long", "decided_at": at(0)}
FIRST, SECOND, THIRD = (f"20260105T090000-run{number}" for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("runs", "escalation", "shown"),
    [
        ((ran(),), None, ""),
        ((), Escalation(tier=2, session_id=SECOND, **NOW), ""),
        (
            (ran(), ran(9, "validator")),
            Escalation(tier=2, session_id=SECOND, turns=7, cost_usd=0.25, **NOW),
            f"Session #{FIRST} (Tier 1): 3 turns, $0.02. Escalated to Session #{SECOND} (Tier 2).\n"
            f"Session #{SECOND} (Tier 2): under way, 7 turns, $0.25 at most. "
            f"Escalated from Session #{FIRST} (Tier 1).\n"
            "In all $0.27 at most, of which $0.02 known.",
        ),
        (
            (ran(), ran(2, tier=2, cost_usd=0.5, turns=40)),
            Escalation(tier=3, session_id=THIRD, cost_usd=None, **NOW),
            f"Session #{FIRST} (Tier 1): 3 turns, $0.02. Escalated to Session #{SECOND} (Tier 2).\n"
            f"Session #{SECOND} (Tier 2): 40 turns, $0.50. Escalated from Session #{FIRST} (Tier 1). "
            f"Escalated to Session #{THIRD} (Tier 3).\n"
            f"Session #{THIRD} (Tier 3): under way, 0 turns, $0.00, and 1 run of unknown cost. "
            f"Escalated from Session #{SECOND} (Tier 2).\n"
            "In all $0.52, and 1 run of unknown cost.",
        ),
        (
            (ran(), ran(2)),
            None,
            f"Session #{FIRST} (Tier 1): 3 turns, $0.02.\nSession #{SECOND} (Tier 1): 3 turns, $0.02.\nIn all $0.04.",
        ),
    ],
)
def test_each_step_has_its_own_cost_and_all_have_a_sum(
    runs: tuple[Any, ...], escalation: Escalation | None, shown: str
) -> None:
    """A run that has ended counts with its session's figures, the one under way with those of its process."""
    assert describe_steps(story.investigating().evolve(runs=runs, escalation=escalation)) == shown
