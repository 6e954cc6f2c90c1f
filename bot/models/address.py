"""Addresses: those that a secret may be sent to (https, or this machine), and those that a server listens on."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit


def is_loopback(address: str) -> bool:
    """Return whether the address names this machine."""
    return urlsplit(address).hostname in ("127.0.0.1", "localhost", "::1")


def safe(address: str, *, example: str) -> SplitResult:
    """Parse an https address, or an http one on this machine.

    Raises `ValueError`, which names `example` and never repeats the address: it may hold a password.
    """
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(address)):
        raise ValueError(f"expected an https address, or http on this machine, such as {example}")
    if parts.hostname is None or parts.username is not None or parts.query or parts.fragment:
        raise ValueError("expected an address of host and path only: no user, password, query or fragment")
    return parts


@dataclass(frozen=True)
class ListenAddress:
    """Address to listen on. Port 0 lets the system choose one."""

    port: int
    host: str = "127.0.0.1"
    """An IP address of this machine."""

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine reaches it."""
        return ip_address(self.host).is_loopback
