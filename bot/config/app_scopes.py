"""Scopes of the Slack app: those that the settings need, out of the ones that `manifest.yml` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.config.settings import Settings

NEEDED_SCOPES = frozenset(
    {
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "groups:history",
        "groups:read",
        "im:history",
        "im:write",
        "reactions:read",
        "reactions:write",
        "usergroups:read",
        "users:read",
    }
)
"""Scopes of `manifest.yml` that are neither optional nor commented out; `make check` compares the two."""
OPTIONAL_SCOPES = {"channels:manage": "create_project creates no channels"}
"""Optional scopes of `manifest.yml`, each with what does not work without it."""
FILES_SCOPE = "files:read"
"""Scope that `slack.read_files` needs; commented out in `manifest.yml`."""
REACTIONS_SCOPE = "reactions:read"
"""Scope that emoji of people need: those that mute a thread, and those that report a missed message."""
GROUPS_SCOPE = "usergroups:read"
"""Scope that user groups in the settings need."""


def needed_scopes(settings: Settings) -> frozenset[str]:
    """Return the scopes that these settings need."""
    unneeded = set()
    if not (settings.slack.mute_emoji or settings.slack.missed_emoji):
        unneeded.add(REACTIONS_SCOPE)
    named = (*settings.deciding, *settings.asked_owners, *settings.classifier.team_groups)
    if not any(name.startswith("S") for name in named):
        unneeded.add(GROUPS_SCOPE)
    return (NEEDED_SCOPES - unneeded) | ({FILES_SCOPE} if settings.slack.read_files else frozenset())


def useful_scopes(settings: Settings) -> frozenset[str]:
    """Return the optional scopes that commands can use with these settings: only admins create projects, and only
    below the folders and from the hosts that are allowed."""
    reach = settings.project_reach
    return frozenset(OPTIONAL_SCOPES) if settings.admins and (reach.below or reach.hosts) else frozenset()
