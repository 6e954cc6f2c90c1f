"""Scopes that settings need."""

from __future__ import annotations

from typing import Any

import pytest

from bot.config.app_scopes import NEEDED_SCOPES, needed_scopes, useful_scopes
from bot.config.settings import Settings

GROUPS, REACTIONS, FILES = "usergroups:read", "reactions:read", "files:read"


@pytest.mark.parametrize(
    ("keys", "less", "more"),
    [
        ({}, {GROUPS}, set()),
        ({"owners": {"@example/platform": "S0ONCALL"}}, set(), set()),
        ({"watched_chats": [{"chat_id": "C0HELP", "operators": ["S0ONCALL"]}]}, set(), set()),
        ({"classifier": {"team_members": ["S0ONCALL"]}}, set(), set()),
        ({"slack": {"read_files": True}}, {GROUPS}, {FILES}),
        ({"slack": {"mute_emoji": [], "missed_emoji": []}}, {GROUPS, REACTIONS}, set()),
        ({"slack": {"mute_emoji": []}}, {GROUPS}, set()),
    ],
)
def test_a_scope_is_needed_where_a_setting_uses_it(keys: dict[str, Any], less: set[str], more: set[str]) -> None:
    """User groups, emoji of people, and text files are of some installations only."""
    assert needed_scopes(Settings(**keys)) == (NEEDED_SCOPES - less) | more


@pytest.mark.parametrize(
    ("keys", "useful"),
    [
        ({"admins": ["U0ADMIN"]}, set()),
        ({"admins": ["U0ADMIN"], "repository_hosts": ["github.com"]}, {"channels:manage"}),
        ({"repository_hosts": ["github.com"]}, set()),
    ],
)
def test_channels_are_created_where_projects_can_be(keys: dict[str, Any], useful: set[str]) -> None:
    """Only admins create projects."""
    assert useful_scopes(Settings(**keys)) == useful
