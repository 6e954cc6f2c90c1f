"""Sessions and conversations in the database (`Sessions`, `ConversationStore`): one row for each."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.adapters.postgresql.texts import parse_json, serialise_model
from bot.models.conversation_record import ConversationRecord
from bot.models.session import CHECKS_AGENT, Session
from bot.models.session_chain import SessionLink

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database

log = logging.getLogger(__name__)

Model = TypeVar("Model", bound=BaseModel)

REMEMBERED = 2_000
"""Number of the newest finished sessions kept in memory, since they no longer change."""
_NAMES = "select session_id from triage.sessions where session_id >= %s order by session_id"
_READ = "select session_id, content from triage.sessions where session_id = any(%s)"
_SAVE_SESSION = """
insert into triage.sessions (session_id, content) values (%s, %s)
on conflict (session_id) do update set content = excluded.content
"""
_LIST = "select conversation, content from triage.conversations order by saved_at, conversation"
_SAVE_CONVERSATION = """
insert into triage.conversations (conversation, saved_at, content) values (%s, %s, %s)
on conflict (conversation) do update set saved_at = excluded.saved_at, content = excluded.content
"""
_BATCH = 500


class StoredSessions:
    """The port on the table of sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ended: dict[str, Session] = {}
        self._links: dict[str, SessionLink | None] = {}

    async def save(self, session: Session) -> None:
        """Save the newest state. Raises `TriageError`."""
        values = (session.session_id, serialise_model(session))
        await self._database.write(lambda connection: connection.execute(_SAVE_SESSION, values))

    async def list_since(self, day: date) -> list[Session]:
        """Return the sessions started on this day (UTC) or later; unparsable ones are logged and left out."""
        sessions = await self.read(await self._names(f"{day:%Y%m%d}"))
        finished = {session.session_id: session for session in sessions if session.outcome != "running"}
        self._ended = dict(list(finished.items())[-REMEMBERED:])
        return sessions

    async def read(self, session_ids: Iterable[str]) -> list[Session]:
        """Return these sessions, in this order, without those that are gone or do not parse."""
        session_ids = [*session_ids]
        sessions = {name: self._ended[name] for name in session_ids if name in self._ended}
        sessions |= await self._read_rows([name for name in session_ids if name not in sessions])
        return [sessions[name] for name in session_ids if name in sessions]

    async def links(self) -> list[SessionLink]:
        """Return the links of all sessions, oldest first. A row is read once its link does not change any more."""
        names = await self._names("")
        sessions = await self._read_rows([name for name in names if name not in self._links])
        links = {name: self._links[name] if name in self._links else _link_of(sessions.get(name)) for name in names}
        changing = {name for name, each in sessions.items() if each.agent == CHECKS_AGENT and not each.thread_id}
        self._links = {name: link for name, link in links.items() if name not in changing}
        return [link for link in links.values() if link]

    async def _names(self, first: str) -> list[str]:
        return [name for (name,) in await _fetch(self._database, _NAMES, first)]

    async def _read_rows(self, names: list[str]) -> dict[str, Session]:
        sessions: dict[str, Session] = {}
        for start in range(0, len(names), _BATCH):
            rows = await _fetch(self._database, _READ, names[start : start + _BATCH])
            sessions |= await asyncio.to_thread(_parse_rows, Session, rows)
        return sessions


class StoredConversations:
    """The port on the table of conversations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_all(self) -> list[ConversationRecord]:
        """Return all conversations, the last saved one at the end; unparsable ones are logged and left out."""
        rows = await _fetch(self._database, _LIST)
        return [*(await asyncio.to_thread(_parse_rows, ConversationRecord, rows)).values()]

    async def save(self, record: ConversationRecord) -> None:
        """Save a conversation. Raises `TriageError`."""
        values = (record.conversation, record.saved_at, serialise_model(record))
        await self._database.write(lambda connection: connection.execute(_SAVE_CONVERSATION, values))


async def _fetch(database: Database, query: str, *values: Any) -> list[Any]:
    async def fetch(connection: Connection) -> list[Any]:
        return await (await connection.execute(query.encode(), values)).fetchall()

    return await database.read(fetch)


def _parse_rows(model: type[Model], rows: list[tuple[str, str]]) -> dict[str, Model]:
    parsed: dict[str, Model] = {}
    for name, content in rows:
        try:
            parsed[name] = model.model_validate(parse_json(content), strict=False)
        except (ValidationError, ValueError, RecursionError) as problem:
            log.warning("%s %s: left out, it does not parse (%s)", model.__name__, name, type(problem).__name__)
    return parsed


def _link_of(session: Session | None) -> SessionLink | None:
    if session is None:
        return None
    return SessionLink(session.session_id, session.tier, session.parent_session_id, session.thread_id)
