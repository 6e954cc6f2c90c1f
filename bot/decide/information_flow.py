"""Flows: from where to where a hint may go, and who reads a channel. Pure; `triage/hints` asks it when a hint is
written, read and posted.

Within one team only, and only from a public channel to a public one: nothing of private channels, of direct messages
and of channels that outsiders read goes anywhere, and nothing comes to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.models.hint import HintSource, Visibility


def may_flow(source: HintSource, target: HintSource) -> bool:
    """Return whether what was said at `source` may be known at `target`."""
    return source.team_id == target.team_id and source.visibility == target.visibility == "public"


def still_may_flow(written: HintSource, now: HintSource, target: HintSource) -> bool:
    """The same where the source may have changed since it was written: both what it was and what it is must permit."""
    return may_flow(written, target) and may_flow(now, target)


def is_shared_externally(about: dict[str, Any]) -> bool:
    """Return whether another organisation is in a channel, or is invited, by Slack's description of it."""
    return any(about.get(flag) for flag in ("is_ext_shared", "is_pending_ext_shared"))


def visibility(about: dict[str, Any]) -> Visibility:
    """Who reads a channel, from Slack's description of it. What is not said to be public is not."""
    if any(about.get(flag) for flag in ("is_ext_shared", "is_pending_ext_shared", "is_org_shared", "is_shared")):
        return "shared"
    if about.get("is_im") or about.get("is_mpim"):
        return "direct"
    return "public" if about.get("is_channel") and about.get("is_private") is False else "private"
