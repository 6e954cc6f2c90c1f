"""Costs of a parcel."""

from __future__ import annotations

from dataclasses import dataclass

HEAVIEST_KILOS = 30
"""Heavier parcels are refused at the counter."""


@dataclass(frozen=True)
class Rates:
    """The figures of `[rates]`, in cents."""

    free_from_cents: int = 5_000
    per_kilo_cents: int = 120
    base_cents: int = 390


def delivery_fee(order_cents: int, kilos: float, rates: Rates) -> int:
    """The delivery fee of a parcel in cents: nothing from `free_from_cents` on, else by weight."""
    if kilos > HEAVIEST_KILOS:
        raise ValueError(f"a parcel weighs at most {HEAVIEST_KILOS} kilos")
    if order_cents >= rates.free_from_cents:
        return 0
    return rates.base_cents + round(kilos * rates.per_kilo_cents)
