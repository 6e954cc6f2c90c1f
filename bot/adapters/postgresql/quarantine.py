"""Quarantine: what does not parse, moved out of the way in the transaction that removes it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.adapters.postgresql.commit_proofs import Connection

_KEEP = "insert into triage.quarantine (name, content) values (%s, %s) returning id"


async def move_aside(connection: Connection, take: str, name: str) -> PurePosixPath:
    """Run the statement `take`, which deletes `name` and returns its name and content; return the new place."""
    row = await (await connection.execute(take.encode(), (name,))).fetchone()
    kept = await (await connection.execute(_KEEP, row or (name, ""))).fetchone()
    return PurePosixPath(f"triage.quarantine/{kept[0] if kept else 0}")
