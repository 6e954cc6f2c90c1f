"""The states of a parcel on its way."""

from __future__ import annotations

NEXT_STATES = {
    "ordered": ("packed", "cancelled"),
    "packed": ("with-courier", "cancelled"),
    "with-courier": ("delivered", "returned", "lost"),
    "lost": ("found", "refunded"),
    "found": ("with-courier",),
}
"""From each state to those that may follow. A parcel can be cancelled until a courier has it."""

LOST_AFTER_DAYS = 5
"""Days without a scan after which a parcel counts as lost."""


def may_follow(state: str, wanted: str) -> bool:
    """Return whether a parcel in `state` may become `wanted`."""
    return wanted in NEXT_STATES.get(state, ())
