"""The installation that a payload is for, and whose words it carries, as Slack says of channels shared with others.

In such a channel `team_id` of an event names the workspace that the event came from, and `team` of a message the one of
its author; `authorizations` name the workspace that has the app (docs.slack.dev/apis/slack-connect). A thread is named
by that one alone, so that what both sides say stands in one.
"""

from __future__ import annotations

from typing import Any


def installed_team(body: dict[str, Any]) -> Any:
    """Return the id of the workspace that has the app; of a payload that does not say, what it says of a workspace."""
    listed = body.get("authorizations")
    first = listed[0] if isinstance(listed, list) and listed else None
    said = first.get("team_id") if isinstance(first, dict) else None
    return said or body.get("context_team_id") or body.get("team_id")


def is_shared_externally(body: dict[str, Any]) -> bool:
    """Return whether an event came from a channel that people of another organisation read."""
    return body.get("is_ext_shared_channel") is True


def team_of_author(event: dict[str, Any]) -> str:
    """Return the workspace of a message's author, or their organisation's id (`E…`); nothing where it is not said."""
    said = next((event[key] for key in ("user_team", "team", "source_team") if event.get(key)), "")
    return said if isinstance(said, str) else ""
