"""Ports of replicas: the queue of deliveries that all replicas fill and the leader empties, and the leader's lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Collection

    from bot.models.delivery import Delivery


class DeliveryQueue(Protocol):
    """Queue of deliveries in the database (`bot.adapters.postgresql.deliveries.StoredDeliveries`).

    Every method but `put` and `give_up` raises `RetryLater` while the database does not answer.
    """

    def put(self, delivery: Delivery) -> asyncio.Future[int]:
        """Start to store a delivery, in the order of these calls; the result is its id once it is committed.

        Its id is 0 if a delivery with the same `event_id` came before. Raises `RetryLater`: nothing was stored, or what
        was stored is known by its `event_id`.
        """

    def give_up(self, stored: asyncio.Future[int]) -> bool:
        """Have a delivery stored no more; return whether that is sure, as it is until it is sent to the server."""

    async def withdraw(self, delivery_id: int) -> bool:
        """Take a delivery back that no leader has taken; return whether that was so."""

    async def wait_for_answer(self, delivery_id: int, seconds: float) -> dict[str, Any] | None:
        """Return the answer to a delivery; `None` if there is none within this time."""

    async def list_waiting(self, limit: int, *, besides: Collection[int]) -> list[Delivery]:
        """Return the oldest deliveries that were not taken, besides those."""

    async def take(self, delivery_ids: Collection[int]) -> set[int]:
        """Mark deliveries as taken, and erase their bodies; return those that were not taken or withdrawn before.

        Raises `Fenced`.
        """

    async def answer(self, delivery_id: int, content: dict[str, Any]) -> None:
        """Answer a delivery. Raises `Fenced`."""

    async def remove_taken(self) -> None:
        """Remove what was taken a day ago, and other rows of no more use. Slack repeats deliveries for an hour.

        Raises `Fenced`.
        """

    async def signal(self, word: str) -> None:
        """Send a word to the leader; lost if there is none."""

    def signals(self) -> AsyncIterator[str]:
        """Yield the words of all replicas; an empty one when there may be deliveries."""


class DatabaseLease(Protocol):
    """Lease in the database of replicas (`bot.adapters.postgresql.leadership.Leadership`)."""

    @property
    def is_answered(self) -> bool:
        """Return whether the database answered lately."""


class Lease(Protocol):
    """The leader's lease (`bot.adapters.postgresql.leadership.Leadership`)."""

    @property
    def epoch(self) -> int | None:
        """Number of the lease, which no other leader has; `None` for a standby."""

    async def confirm(self) -> None:
        """Wait until the lease holds at this moment. Raises `Fenced` once another replica leads."""
