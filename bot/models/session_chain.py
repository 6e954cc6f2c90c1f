"""Chain of sessions: those that an escalation, or the check of a draft, links to each other (spec 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class SessionLink(NamedTuple):
    """The part of a session that never changes: its tier, its parent and its thread."""

    session_id: str
    tier: int
    parent_session_id: str | None
    thread_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChain:
    """Sessions linked to each other: the first one, then each before those that it led to, the oldest first."""

    members: tuple[SessionLink, ...]
    problems: tuple[str, ...] = ()
    """Links that could not be followed, each as a sentence."""

    @property
    def is_escalated(self) -> bool:
        """Return whether it has sessions of several tiers."""
        return len({member.tier for member in self.members}) > 1

    def parent_of(self, member: SessionLink) -> SessionLink | None:
        """Return the session from which this one was escalated; `None` also for a check of the same tier."""
        parents = (each for each in self.members if each.session_id == member.parent_session_id)
        return next((parent for parent in parents if parent.tier < member.tier), None)

    def children_of(self, member: SessionLink) -> tuple[SessionLink, ...]:
        """Return the sessions to which this one was escalated."""
        linked = (each for each in self.members if each.parent_session_id == member.session_id)
        return tuple(child for child in linked if child.tier > member.tier)
