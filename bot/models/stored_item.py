"""Items of shared state, as a home and a database both have them, and their totals: what a transfer compares."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

Kind = Literal[
    "threads",
    "quarantine",
    "journals",
    "states",
    "sessions",
    "conversations",
    "task records",
    "task lines",
    "notes",
    "previous notes",
]
"""Kind of state; a line of a journal of the bot or of a task is one item."""

_MODULUS = 2**256


@dataclass(frozen=True, slots=True)
class StoredItem:
    """One document, record, line or note: `key` names it among those of its kind, `content` is kept as it is.

    `at` is the time of its file or record, where it has one; it is no part of a total.
    """

    kind: Kind
    key: tuple[str, ...]
    content: bytes
    at: datetime | None = None


@dataclass
class Total:
    """Number of items with a digest that does not depend on their order; the place of a line is part of its key."""

    count: int = 0
    digest: int = 0

    def add(self, item: StoredItem) -> None:
        """Count an item."""
        name = "\0".join(item.key).encode("utf-8", "surrogateescape")
        sha = hashlib.sha256(len(name).to_bytes(8, "big") + name + item.content).digest()
        self.count += 1
        self.digest = (self.digest + int.from_bytes(sha, "big")) % _MODULUS


@dataclass
class Totals:
    """Totals by kind."""

    by_kind: dict[Kind, Total] = field(default_factory=dict)

    def add(self, item: StoredItem) -> StoredItem:
        """Count an item, and return it."""
        self.by_kind.setdefault(item.kind, Total()).add(item)
        return item

    def list_differences(self, other: Totals) -> list[str]:
        """Return the kinds that differ, each with both counts."""
        kinds = dict.fromkeys([*self.by_kind, *other.by_kind])
        pairs = [(kind, self.by_kind.get(kind, Total()), other.by_kind.get(kind, Total())) for kind in kinds]
        return [f"{kind}: {mine.count:,} and {theirs.count:,}" for kind, mine, theirs in pairs if mine != theirs]
