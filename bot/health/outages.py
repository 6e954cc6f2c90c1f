"""Outages: one session of tier 1 for each, from the first unhealthy run of a group to its recovery (spec 3)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import RetryLater
from bot.models.session import CHECKS_AGENT, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.models.service_state import ServiceState
    from bot.ports.outbound import Clock, Sessions

log = logging.getLogger(__name__)

_LOST_WITHIN = timedelta(days=2)
"""Age up to which a session is looked for that a crash has cut off from its outage."""


@dataclass(kw_only=True, repr=False)
class Outages:
    """Sessions of the present outages, by group. A session that cannot be saved is saved with its next change."""

    sessions: Sessions
    clock: Clock
    _open: dict[str, Session] = field(default_factory=dict)
    _unsaved: dict[str, Session] = field(default_factory=dict)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self, states: Iterable[ServiceState], groups: Mapping[str, str]) -> None:
        """Continue the outages of saved states; end those of services without a group in `groups`."""
        ids = {state.session_id: groups.get(state.service) for state in states if state.session_id}
        for session in await self.sessions.read(ids):
            if session.outcome != "running":  # its end was saved, and the states were not
                continue
            if group := ids[session.session_id]:
                self._open[group] = session
            else:
                self._unsaved[session.session_id] = self._end_session(session)
        since = (self.clock.now() - _LOST_WITHIN).date()
        for session in await self.sessions.list_since(since):
            is_running = session.agent == CHECKS_AGENT and session.outcome == "running"
            if is_running and session.session_id not in ids:
                lost = {"outcome": "died", "reason": "the bot ended before it was noted"}
                self._unsaved[session.session_id] = session.evolve(**lost, saved_at=self.clock.now())
        await self.save()

    def find(self, group: str) -> str | None:
        """Return the session of the present outage of a group."""
        return self._open[group].session_id if group in self._open else None

    def count(self, group: str, *, is_unhealthy: bool) -> None:
        """Count a run of a group; an unhealthy one begins an outage."""
        if group in self._open:
            self._open[group] = self._open[group].evolve(num_turns=self._open[group].num_turns + 1)
        elif is_unhealthy:
            now = self.clock.now()
            session = Session(
                session_id=f"{now:%Y%m%dT%H%M%S}-{self.clock.new_id()}",
                agent=CHECKS_AGENT,
                model="none",
                started_at=now,
                saved_at=now,
                num_turns=1,
            )
            self._open[group] = self._unsaved[session.session_id] = session

    def end(self, group: str) -> None:
        """End the outage of a group, if there is one."""
        if session := self._open.pop(group, None):
            self._unsaved[session.session_id] = self._end_session(session)

    def note_thread(self, session_id: str, thread_id: str) -> None:
        """Note the thread that was opened for an outage."""
        for group, session in self._open.items():
            if session.session_id == session_id:
                self._open[group] = self._unsaved[session_id] = session.evolve(thread_id=thread_id)

    async def save(self, *, is_last: bool = False) -> None:
        """Save the changed sessions; at the end of the process also the numbers of runs so far.

        One save at a time: services that fail together would write the same file, and an older state could come last.
        """
        if is_last:
            self._unsaved |= {session.session_id: session for session in self._open.values()}
        async with self._saving:
            for session_id in [*self._unsaved]:
                await self._save_one(session_id)

    async def _save_one(self, session_id: str) -> None:
        session = self._unsaved[session_id]
        try:
            await self.sessions.save(session)
        except RetryLater as problem:
            log.warning("the session of an outage is saved later: %s", problem)
        else:
            if self._unsaved[session_id] is session:
                del self._unsaved[session_id]

    def _end_session(self, session: Session) -> Session:
        now = self.clock.now()
        duration = max(0, round((now - session.started_at).total_seconds() * 1000))
        return session.evolve(outcome="answered", saved_at=now, duration_ms=duration)
