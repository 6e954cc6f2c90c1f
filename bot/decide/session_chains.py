"""Chains of sessions, found from any member by the link of each session to its parent."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bot.models.session_chain import SessionChain, SessionLink

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_NAMES = 5
"""Number of sessions of a circle that are named."""


class SessionChains:
    """Chains of the sessions with these links."""

    def __init__(self, links: Iterable[SessionLink]) -> None:
        self._links = {link.session_id: link for link in links}
        self._children: defaultdict[str, list[SessionLink]] = defaultdict(list)
        for link in self._links.values():
            if link.parent_session_id:
                self._children[link.parent_session_id].append(link)

    def find(self, session_id: str) -> SessionChain | None:
        """Return the chain of a session, at least itself; `None` for an unknown one."""
        if session_id not in self._links:
            return None
        root, problems = self._climb(self._links[session_id])
        return SessionChain(members=tuple(self._descend(root)), problems=problems)

    def of_thread(self, thread_id: str) -> list[SessionChain]:
        """Return the chains that have a session of this thread, the newest one first."""
        chains: list[SessionChain] = []
        seen: set[str] = set()
        for link in sorted(link for link in self._links.values() if link.thread_id == thread_id):
            if link.session_id not in seen and (chain := self.find(link.session_id)):
                seen.update(member.session_id for member in chain.members)
                chains.append(chain)
        return chains[::-1]

    def _climb(self, link: SessionLink) -> tuple[SessionLink, tuple[str, ...]]:
        """Return the first session of a chain, and the reason why it is not known for sure."""
        path = [link]
        on_path = {link.session_id}
        while parent_id := path[-1].parent_session_id:
            parent = self._links.get(parent_id)
            if parent is None:
                return path[-1], (f"Session #{parent_id}, the parent of #{path[-1].session_id}, has no record.",)
            if parent_id in on_path:
                circle = sorted(path[path.index(parent) :])
                names = ", ".join(f"#{each.session_id}" for each in circle[:MAX_NAMES])
                return circle[0], (f"The links to the parents form a circle: {names}.",)
            path.append(parent)
            on_path.add(parent_id)
        return path[-1], ()

    def _descend(self, root: SessionLink) -> Iterator[SessionLink]:
        seen: set[str] = set()
        ahead = [root]
        while ahead:
            link = ahead.pop()
            if link.session_id not in seen:
                seen.add(link.session_id)
                yield link
                ahead += sorted(self._children.get(link.session_id, ()), reverse=True)
