"""Returns: parcels that customers send back."""

RETURN_DAYS = 30
"""Days after its delivery in which a parcel may be sent back; the last one counts."""


def may_return(days: int) -> bool:
    """Return whether a parcel may be sent back so many days after its delivery."""
    return days < RETURN_DAYS
