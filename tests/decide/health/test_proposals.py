"""Proposals without a model: the first runbook of the settings that is for an unhealthy service."""

from __future__ import annotations

import pytest

from bot.decide.health.proposals import propose_first
from bot.models.incident import ProposedRunbook
from bot.models.runbook import RunbookProposal


def runbook(name: str, *services: str) -> RunbookProposal:
    """A runbook of the settings."""
    return RunbookProposal(name=name, argv=("systemctl", "restart", name), services=services, timeout_s=60)


@pytest.mark.parametrize(
    ("offered", "proposed"),
    [
        ((), None),
        ((runbook("restart-api", "api"),), None),
        (
            (runbook("restart-api", "api"), runbook("restart-shop", "shop"), runbook("restart-all", "shop", "web")),
            ProposedRunbook(name="restart-shop", reason="The settings name it for shop."),
        ),
        (
            (runbook("restart-all", "web", "api", "shop"),),
            ProposedRunbook(name="restart-all", reason="The settings name it for shop, web."),
        ),
    ],
)
def test_the_first_runbook_for_an_unhealthy_service_is_proposed(
    offered: tuple[RunbookProposal, ...], proposed: ProposedRunbook | None
) -> None:
    """With the services that it is for; one for others alone is not."""
    assert propose_first(("shop", "web"), offered) == proposed


def test_a_reason_that_names_many_services_is_cut() -> None:
    """At the length that a proposal may have."""
    names = tuple(f"service-with-a-long-name-{number}" for number in range(60))
    proposed = propose_first(names, (runbook("restart-all", *names),))
    assert proposed is not None
    assert len(proposed.reason) == 500
