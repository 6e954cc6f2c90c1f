"""Information flow: the channels between which hints may go, and the visibility of a channel. Pure.

Hints go only between public channels of one team. Nothing leaves or reaches private channels, direct messages, or
channels that outsiders read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.models.hint import HintSource, Visibility


def may_flow(source: HintSource, target: HintSource) -> bool:
    """Return whether information from `source` may be shown in `target`."""
    return source.team_id == target.team_id and source.visibility == target.visibility == "public"


def still_may_flow(original: HintSource, now: HintSource, target: HintSource) -> bool:
    """Return whether information may flow under the source's visibility at writing, and under its current one."""
    return may_flow(original, target) and may_flow(now, target)


def is_shared_externally(about: dict[str, Any]) -> bool:
    """Return whether another organisation is in a channel or invited to it, by Slack's description of it."""
    return any(about.get(flag) for flag in ("is_ext_shared", "is_pending_ext_shared"))


def visibility(about: dict[str, Any]) -> Visibility:
    """Return a channel's visibility, from Slack's description of it; private in doubt."""
    if any(about.get(flag) for flag in ("is_ext_shared", "is_pending_ext_shared", "is_org_shared", "is_shared")):
        return "shared"
    if about.get("is_im") or about.get("is_mpim"):
        return "direct"
    return "public" if about.get("is_channel") and about.get("is_private") is False else "private"
