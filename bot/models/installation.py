"""Installation of a payload, and the workspace of its author, in channels shared with other companies.

In such a channel `team_id` of an event names the workspace that the event came from, and `team` of a message that of
its author; `authorizations` name the workspace that has the app (docs.slack.dev/apis/slack-connect). Thread ids use
only the last one, so that messages of both sides belong to one thread.
"""

from __future__ import annotations

from typing import Any


def installed_team(body: dict[str, Any]) -> Any:
    """Return the id of the workspace that has the app; without `authorizations`, of the one that the payload names."""
    listed = body.get("authorizations")
    first = listed[0] if isinstance(listed, list) and listed else None
    team_id = first.get("team_id") if isinstance(first, dict) else None
    return team_id or body.get("context_team_id") or body.get("team_id")


def is_shared_externally(body: dict[str, Any]) -> bool:
    """Return whether an event came from a channel that people of another organisation read."""
    return body.get("is_ext_shared_channel") is True


def team_of_author(event: dict[str, Any]) -> str:
    """Return the workspace or organisation id (`E…`) of a message's author; empty if not given."""
    team_id = next((event[key] for key in ("user_team", "team", "source_team") if event.get(key)), "")
    return team_id if isinstance(team_id, str) else ""
