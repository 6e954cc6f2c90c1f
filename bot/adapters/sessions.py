"""Sessions on disk: `sessions/<session_id>.json`, or one in a separate file; each saved atomically."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import RetryLater
from bot.models.session import CHECKS_AGENT, Session
from bot.models.session_chain import SessionLink
from bot.runtime.atomic_file import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from pathlib import Path

log = logging.getLogger(__name__)


REMEMBERED = 2_000
"""Number of the newest finished sessions kept in memory, since they no longer change."""


class SessionFiles:
    """The files below one folder, which the first save creates."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended: dict[str, Session] = {}
        self._links: dict[str, SessionLink | None] = {}

    async def save(self, session: Session) -> None:
        """Save the newest state to disk. Raises `RetryLater` if it could not be written."""
        try:
            await asyncio.to_thread(self._save, session)
        except OSError as problem:
            raise RetryLater(f"{self._folder}: a session could not be saved: {problem.strerror}") from problem

    async def list_since(self, day: date) -> list[Session]:
        """Return the sessions started on this day (UTC) or later; unparsable ones are logged and left out."""
        return await asyncio.to_thread(self._since, f"{day:%Y%m%d}")

    async def read(self, session_ids: Iterable[str]) -> list[Session]:
        """Return these sessions, in this order, without those that are gone or do not parse."""
        return await asyncio.to_thread(self._read_all, [f"{session_id}.json" for session_id in session_ids])

    async def links(self) -> list[SessionLink]:
        """Return the links of all sessions, oldest first. A file is read once its link does not change any more."""
        return await asyncio.to_thread(self._find_links)

    def _save(self, session: Session) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{session.session_id}.json"
        replace_file(path, session.model_dump_json().encode(), point="sessions")

    def _since(self, first: str) -> list[Session]:
        names = [name for name in self._list_names() if name >= first]
        named = ((name, self._ended.get(name) or self._read(name)) for name in names)
        sessions = {name: session for name, session in named if session}
        finished = {name: session for name, session in sessions.items() if session.outcome != "running"}
        self._ended = dict(list(finished.items())[-REMEMBERED:])
        return [*sessions.values()]

    def _read_all(self, names: Iterable[str]) -> list[Session]:
        sessions = (self._ended.get(name) or self._read(name) for name in names)
        return [session for session in sessions if session]

    def _find_links(self) -> list[SessionLink]:
        names = self._list_names()
        links: dict[str, SessionLink | None] = {}
        final: dict[str, SessionLink | None] = {}
        for name in names:
            session = None if name in self._links else self._read(name)
            links[name] = self._links[name] if name in self._links else _link_of(session)
            if session is None or session.agent != CHECKS_AGENT or session.thread_id:
                final[name] = links[name]  # the thread of an outage comes later
        self._links = final
        return [link for link in links.values() if link]

    def _list_names(self) -> list[str]:
        entries = os.scandir(self._folder) if self._folder.is_dir() else ()
        return sorted(entry.name for entry in entries if entry.name.endswith(".json"))

    def _read(self, name: str) -> Session | None:
        try:
            return Session.model_validate_json((self._folder / name).read_bytes())
        except FileNotFoundError:
            return None
        except (ValidationError, OSError) as problem:
            log.warning("%s: left out, it does not parse (%s)", self._folder / name, type(problem).__name__)
            return None


def _link_of(session: Session | None) -> SessionLink | None:
    if session is None:
        return None
    return SessionLink(session.session_id, session.tier, session.parent_session_id, session.thread_id)


class SessionFile:
    """The port for the sessions of a separate process: one file, for the first one with the figures of all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sessions: dict[str, Session] = {}

    async def save(self, session: Session) -> None:
        """Save the newest state to disk. Raises `RetryLater` if it could not be written."""
        first, *others = (self._sessions | {session.session_id: session}).values()
        try:
            content = first.with_figures(others).model_dump_json().encode()
            await asyncio.to_thread(replace_file, self._path, content, point="sessions")
        except OSError as problem:
            raise RetryLater(f"{self._path}: the session could not be saved: {problem.strerror}") from problem
        self._sessions[session.session_id] = session

    async def list_since(self, day: date) -> list[Session]:
        """Return nothing: this process counts its own sessions alone."""
        return []
