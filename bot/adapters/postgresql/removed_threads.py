"""Contents of the documents that a purge removes, by which it knows folders of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database
    from bot.models.purge_criterion import Criterion

_QUERY = """
select body from triage.threads
 where thread_id = any(%(threads)s) or (%(text)s <> '' and strpos(body, %(text)s) > 0)
"""


async def read_removed(database: Database, criterion: Criterion) -> tuple[bytes, ...]:
    """Return the documents that a criterion takes; by age none, since age is that of the folder. Raises
    `TriageError`."""
    if criterion.before is not None:
        return ()
    threads = [*criterion.threads, *([criterion.thread_id] if criterion.thread_id else [])]
    values = {"threads": threads, "text": criterion.channel or criterion.user or ""}

    async def fetch(connection: Connection) -> list[Any]:
        return await (await connection.execute(_QUERY, values)).fetchall()

    return tuple(body.encode() for (body,) in await database.read(fetch))
