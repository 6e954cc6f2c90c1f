"""Weights of the classifier in the database (`Weights`): two rows of small state, the present and the previous ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import Misconfigured
from bot.models.weights import WeightTable

if TYPE_CHECKING:
    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database

NAME, PREVIOUS = "weights", "weights.previous"
_READ = "select content from triage.states where name = %s"
_DELETE = "delete from triage.states where name = %s"
_RENAME = "update triage.states set name = %s, written_at = clock_timestamp() where name = %s"
_ADD = "insert into triage.states (name, content) values (%s, %s)"


class StoredWeights:
    """The port on the table of states."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> WeightTable | None:
        """Return the own weights, or `None` if the packaged ones are in use. Raises `Misconfigured`."""

        async def fetch(connection: Connection) -> tuple[str] | None:
            return await (await connection.execute(_READ, (NAME,))).fetchone()

        row = await self._database.read(fetch)
        try:
            return WeightTable.model_validate_json(row[0]) if row else None
        except ValidationError as problem:
            raise Misconfigured(
                f"weights in the {self._database.place}: expected weights as `triage retrain` writes them: "
                f"{problem.errors()[0]['msg']}; `triage retrain --undo` goes back"
            ) from None

    async def write(self, table: WeightTable) -> str:
        """Replace the own weights, and keep the previous ones for `undo`; return where they are."""

        async def replace(connection: Connection) -> None:
            await connection.execute(_DELETE, (PREVIOUS,))
            await connection.execute(_RENAME, (PREVIOUS, NAME))
            await connection.execute(_ADD, (NAME, table.model_dump_json()))

        await self._database.write(replace)
        return self._database.place

    async def undo(self) -> bool:
        """Restore the weights before the last write; return whether these are own ones, or else the packaged ones.

        Raises `Misconfigured` if there are no own weights.
        """

        async def restore(connection: Connection) -> bool:
            removed = (await connection.execute(_DELETE, (NAME,))).rowcount
            renamed = (await connection.execute(_RENAME, (NAME, PREVIOUS))).rowcount
            if not removed and not renamed:
                raise Misconfigured(
                    f"{self._database.place}: expected weights to undo; the packaged ones are in use already"
                )
            return renamed > 0

        return await self._database.write(restore)
