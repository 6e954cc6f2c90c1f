"""Couriers: the one that takes a parcel, and how often one is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

COURIER_RETRIES = 3
"""Times that a courier that does not answer is asked again before the parcel goes to the next one."""


class Courier(Protocol):
    """Carrier of parcels."""

    def accepts(self, parcel_id: str, *, timeout: float) -> bool:
        """Return whether they take it. Raises `TimeoutError` when they do not answer."""


def assign(parcel_id: str, couriers: Sequence[Courier], *, timeout: float) -> Courier | None:
    """The first courier who takes the parcel, in the order of the settings; `None` when nobody does."""
    for courier in couriers:
        for _ in range(1 + COURIER_RETRIES):
            try:
                if courier.accepts(parcel_id, timeout=timeout):
                    return courier
            except TimeoutError:
                continue
            break
    return None
