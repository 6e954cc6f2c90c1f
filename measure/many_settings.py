"""A made-up project of 400 settings, so that as many questions have an answer of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SERVICES = """
    billing checkout search login invoice parcel ledger mailer gateway upload export import audit report webhook cache
    session avatar coupon basket refund payout courier catalog review wishlist newsletter ticket calendar survey badge
    archive preview thumbnail feed digest alarm quota tenant voucher
"""
_KINDS = ("TIMEOUT", "RETRIES", "LIMIT", "BATCH", "INTERVAL", "WORKERS", "BACKLOG", "RATE", "DEPTH", "GRACE")
NAMES = [f"{service}_{kind}".upper() for kind in _KINDS for service in _SERVICES.split()]


def write_settings(folder: Path) -> None:
    """Write the project, a file of one line for each setting."""
    folder.mkdir()
    lines = (f"{name} = {number + 2}\n" for number, name in enumerate(NAMES))
    (folder / "limits.py").write_text("".join(lines))
