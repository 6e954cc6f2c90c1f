"""Proposals without a model: the first runbook of the settings that is for an unhealthy service."""

from __future__ import annotations

import pytest

from bot.decide.health.proposals import describe_change, describe_health, propose_first
from bot.models.incident import ProposedRunbook
from bot.models.runbook import RunbookProposal
from tests.decide.unhealthy import remedy


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


SHOP = runbook("restart-shop", "shop", "web")


@pytest.mark.parametrize(
    ("now", "services", "tiers", "change"),
    [
        (SHOP, ("shop",), (1, 2), ""),
        (None, ("shop",), (), "The settings no longer have the runbook `restart-shop`."),
        (
            SHOP.evolve(argv=("reboot",)),
            ("shop",),
            (1,),
            "The settings were changed after the proposal: `restart-shop` is another program now.",
        ),
        (
            SHOP.evolve(timeout_s=90),
            ("shop",),
            (1,),
            "The settings were changed after the proposal: the time limit of `restart-shop` is 90 s, not 60 s.",
        ),
        (SHOP, ("mail", "dns"), (1,), "The settings no longer name `restart-shop` for mail, dns."),
        (SHOP, ("shop",), (2, 3), "The settings no longer let tier 1 propose `restart-shop`."),
    ],
)
def test_a_change_of_the_settings_is_one_sentence(
    now: RunbookProposal | None, services: tuple[str, ...], tiers: tuple[int, ...], change: str
) -> None:
    """The operator approved what the card shows, and nothing else is run."""
    proposed = remedy(runbook=SHOP.name, argv=SHOP.argv, timeout_s=SHOP.timeout_s, tier=1)
    assert describe_change(proposed, now, services, tiers) == change


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        ({"shop"}, ""),
        ({"mail"}, "By their last checks, shop, web are not failing at the moment."),
    ],
)
def test_a_runbook_needs_a_service_that_is_failing(failing: set[str], told: str) -> None:
    """One of those that it is for."""
    assert describe_health(SHOP, failing.__contains__) == told
