"""The app's manifest, fitted to an installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.config.app_scopes import FILES_SCOPE, NEEDED_SCOPES, OPTIONAL_SCOPES, REACTIONS_SCOPE
from bot.decide.app_manifest import fit_manifest, request_url_of

SHIPPED = (Path(__file__).parents[2] / "manifest.yml").read_text()
ALL = NEEDED_SCOPES | {*OPTIONAL_SCOPES}
URL = "https://triage.example.com/slack/events"


def fitted(scopes: frozenset[str], **http: str) -> Any:
    """The manifest as Slack reads it."""
    return yaml.safe_load(fit_manifest(SHIPPED, scopes, **http))


def test_with_all_scopes_it_is_the_shipped_one_without_what_is_commented_out() -> None:
    """Its comments stay, too."""
    kept = fit_manifest(SHIPPED, ALL)
    assert [line for line in SHIPPED.splitlines() if line not in kept.splitlines()] == [
        line for line in SHIPPED.splitlines() if "# - files:read" in line
    ]
    assert yaml.safe_load(kept) == yaml.safe_load(SHIPPED)


def test_a_scope_that_is_commented_out_is_put_in() -> None:
    """Text files need one that most installations do not."""
    assert {*fitted(ALL | {FILES_SCOPE})["oauth_config"]["scopes"]["bot"]} == ALL | {FILES_SCOPE}


def test_without_an_optional_scope_its_list_goes() -> None:
    """Slack takes no empty list."""
    assert {*fitted(NEEDED_SCOPES)["oauth_config"]["scopes"]} == {"bot"}


def test_events_go_with_their_scope() -> None:
    """Slack refuses an event whose scope the app does not have."""
    manifest = fitted(ALL - {REACTIONS_SCOPE})
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    assert not [event for event in events if event.startswith("reaction")]
    assert REACTIONS_SCOPE not in manifest["oauth_config"]["scopes"]["bot"]


def test_over_http_each_request_of_slack_has_the_address() -> None:
    """Slash commands have one of their own, which a manifest for Socket Mode lacks."""
    manifest = fitted(ALL, request_url=URL)
    settings = manifest["settings"]
    assert settings["socket_mode_enabled"] is False
    assert settings["event_subscriptions"]["request_url"] == settings["interactivity"]["request_url"] == URL
    assert [command["url"] for command in manifest["features"]["slash_commands"]] == [URL]


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("https://triage.example.com", URL),
        ("https://triage.example.com/", URL),
        ("https://triage.example.com:8443/bot", "https://triage.example.com:8443/bot"),
        ("http://triage.example.com", None),
        ("triage.example.com", None),
        ("https://", None),
        ("https://triage.example.com:port", None),
        ("https://triage.example.com/?a=b", None),
        ("https://user@triage.example.com", None),
        ("https://triage.example.com/a b", None),
        ("https://triage.example.com/\n- x", None),
    ],
)
def test_slack_calls_public_https_addresses(address: str, url: str | None) -> None:
    """An address that would change the manifest's structure is none."""
    assert request_url_of(address) == url
