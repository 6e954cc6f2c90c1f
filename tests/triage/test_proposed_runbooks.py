"""Proposals of runbooks, from the assignment of a run to its judged result."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.findings import EngineReport
from bot.models.incident import ProposedRunbook
from bot.models.runbook import RunbookProposal
from bot.models.thread import Thread
from bot.triage.assignments import PreparedRun
from bot.triage.run_results import RunResults
from tests.builders import findings
from tests.decide.unhealthy import escalated, investigating
from tests.escalation.builders import assignment
from tests.fakes import HandClock
from tests.runbooks import RESTART, Runbooks


class Fetched:
    """Code that is never old."""

    def old_since(self, project: str) -> None:
        """Return nothing."""


async def judged(
    thread: Thread,
    name: str = "restart-payments",
    reason: str = "it hangs",
    offers: tuple[RunbookProposal, ...] = (RESTART,),
) -> Any:
    """The remedy of a run with this proposal."""
    fetches: Any = Fetched()
    runbooks = Runbooks()
    runbooks.offered = offers
    results = RunResults(clock=HandClock(), fetches=fetches, runbooks=runbooks)
    prepared = PreparedRun(assignment=assignment(), projects=(), kept_back=())
    wish = ProposedRunbook(name=name, reason=reason)
    report = EngineReport(project="shop", engine="claude", findings=findings(proposed_runbook=wish))
    return (await results.build(thread, "run1", prepared, report)).remedy


@pytest.mark.parametrize(("story", "tier"), [(investigating, 1), (escalated, 2)])
async def test_a_proposal_becomes_the_remedy_of_its_tier(story: Any, tier: int) -> None:
    """With the program of the settings."""
    remedy = await judged(story())
    assert (remedy.state, remedy.tier, remedy.argv) == ("proposed", tier, ("systemctl", "restart", "payments"))


async def test_secrets_are_hidden_in_a_reason() -> None:
    """As in all that an agent writes."""
    remedy = await judged(investigating(), reason="the key is xoxb-" + "1234567890-" * 2 + "abcdefghijklmnopqrstuvwx")
    assert "xoxb-" + "1234567890" not in remedy.reason


async def test_a_question_in_the_thread_of_an_incident_proposes_nothing() -> None:
    """It is a person's own."""
    assert await judged(investigating().evolve(question_round=2)) is None
    assert await judged(investigating().evolve(incident=None)) is None


async def test_an_unknown_runbook_is_refused() -> None:
    """No program stands in it."""
    remedy = await judged(investigating(), name="reboot")
    assert (remedy.state, remedy.argv) == ("refused", ())


async def test_a_runbook_of_another_tier_is_refused_with_its_reason() -> None:
    """Instead of vanishing without a word on the card."""
    remedy = await judged(escalated(), name="restart-payments", offers=())
    why = "the settings give tier 2 no such runbook for services that are failing at the moment"
    assert (remedy.state, remedy.why, remedy.argv) == ("refused", why, ())
