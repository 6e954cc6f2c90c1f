"""Routing by table: which rule, which role, which project."""

from __future__ import annotations

import pytest

from bot.decide.router import ProjectFolder, Routed, Router, RoutingRule, unruled
from bot.errors import Misconfigured
from tests.tables import each_row

ROLES = {
    "portal-dev": Routed(display_name="Portal Dev", place=ProjectFolder(project="portal")),
    "api-dev": Routed(display_name="API Dev", place=ProjectFolder(project="api", folder="server")),
    "qa": Routed(display_name="QA"),
}
RULES = (
    RoutingRule(pattern="^(portal|ui)", role="portal-dev"),
    RoutingRule(pattern="flaky", role="qa", place=ProjectFolder(project="portal", folder="e2e")),
    RoutingRule(pattern="deploy", role="portal-dev", channel="C0OPS"),
    RoutingRule(pattern="^portal api", role="api-dev"),
)


def router(**other: object) -> Router:
    given = {"default": "api-dev", "rules": RULES, "roles": ROLES, "projects": ["portal", "api"], **other}
    return Router(**given)  # type: ignore[arg-type]  # a table of settings


@each_row(
    ("text", "channel", "took"),
    [
        ("portal is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("PORTAL is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("portal api is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("a flaky test", "C0HELP", (2, "qa", "portal", "e2e")),
        ("when do we deploy?", "C0OPS", (3, "portal-dev", "portal", ".")),
        ("when do we deploy?", "C0HELP", (None, "api-dev", "api", "server")),
        ("", "C0HELP", (None, "api-dev", "api", "server")),
        ("where is the limit? project:portal", "C0HELP", (None, "api-dev", "portal", ".")),
        ("portal is slow, Project:API", "C0HELP", (1, "portal-dev", "api", ".")),
        ("portal is slow project:nowhere", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("where is the limit?", "C0PORTAL", (None, "api-dev", "portal", ".")),
        ("where is the limit? project:api", "C0PORTAL", (None, "api-dev", "api", "server")),
        ("is this in project:portal.", "C0HELP", (None, "api-dev", "portal", ".")),
        ("is it slow (project:portal)?", "C0HELP", (None, "api-dev", "portal", ".")),
        ("is it in sub-project:portal?", "C0HELP", (None, "api-dev", "api", "server")),
        ("@U0TRIAGE portal is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("@U0TRIAGE: @W0ANA, portal is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("@U0FLAKYBOT is red", "C0HELP", (2, "qa", "portal", "e2e")),
        ("the portal is slow", "C0HELP", (None, "api-dev", "api", "server")),
        ("hello there\nportal is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
        ("portal \ud800 is slow", "C0HELP", (1, "portal-dev", "portal", ".")),
    ],
)
def test_the_first_rule_that_fits_counts_and_a_named_project_before_all(
    text: str, channel: str, took: tuple[int | None, str, str, str]
) -> None:
    """In any case of letters; a channel's rule counts there alone."""
    route = router(channels={"C0PORTAL": "portal"}).route(text, channel)
    assert (route.rule, route.role, route.project, route.folder) == took


def test_of_two_projects_that_differ_in_case_the_one_that_is_written_is_meant() -> None:
    """Else it is the one there is."""
    both = router(projects=["api", "API", "portal"])
    named = [both.route(f"why? project:{name}", "C0HELP").project for name in ("api", "API", "Portal")]
    assert named == ["api", "API", "portal"]


def test_a_route_says_why() -> None:
    """The operator reads which rule it was, and what named the project."""
    assert router().route("ui is slow project:api", "C0HELP").why == (
        "rule 1, ^(portal|ui); project by its name in the message"
    )


def test_without_rules_the_default_takes_all_and_the_only_project_is_meant() -> None:
    """A role needs no folder where there is nothing to choose."""
    route = router(default="qa", rules=(), projects=["portal"]).route("anything", "C0HELP")
    assert (route.role, route.project, route.folder) == ("qa", "portal", ".")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"rules": (RoutingRule(pattern="(?=x)", role="api-dev"),)},
            r"routing\.rules\.0\.pattern: '\(\?=x\)' is not a re2 pattern",
        ),
        (
            {"rules": (RoutingRule(pattern=r"\pL{1000}", role="api-dev"),)},
            r"routing\.rules\.0\.pattern: '.*' is too large for re2",
        ),
        (
            {"rules": tuple(RoutingRule(pattern=rf"{n}\pL{{400}}", role="api-dev") for n in range(2))},
            r"routing\.rules: all patterns together are too large",
        ),
        (
            {"rules": (RoutingRule(pattern="x", role="qa"),)},
            r"routing\.rules\.0: no cwd: neither the rule nor the role qa",
        ),
        ({"default": "qa"}, r"routing\.default: no cwd"),
    ],
)
def test_a_rule_that_leads_nowhere_is_refused(given: dict[str, object], said: str) -> None:
    """At start, with its key."""
    with pytest.raises(Misconfigured, match=said):
        router(**given)


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("where does puma set its threads?", "puma"),
        ("Puma's default port?", "puma"),
        ("does api call puma?", None),
        ("where is the limit?", None),
        ("the pumas of api", None),
        ("where does api set it?", None),
    ],
)
def test_what_names_a_paused_project_alone_is_for_it(text: str, project: str | None) -> None:
    """So it waits for that one; what names one that goes on, too, is for whichever fits."""
    route = unruled(text, "C0", ("api", "puma"), {}, {"puma"})
    assert (route and route.project) == project
    assert unruled(text, "C0", ("api", "puma"), {}) is None
