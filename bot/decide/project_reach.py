"""What projects made by commands may reach: the folders and hosts that `triage.yml` names, and nothing else.

Whoever makes a project types in Slack, or a model does in their name; what a project may read is the settings' to say.
Pure: paths come in resolved.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


@dataclass(frozen=True, kw_only=True)
class ProjectReach:
    """`below` are the folders in which a made project may lie, `hosts` those that one may be fetched from.

    A host alone stands for the usual port of https and of ssh, `host:port` for that port.
    """

    below: tuple[Path, ...] = ()
    hosts: frozenset[str] = frozenset()

    def folder_problem(self, folder: Path, said: str) -> str | None:
        """Why a command may not name this folder, with the next step; `None` where it may.

        It is named as it was `said`: where a link leads is not told.
        """
        if any(folder.is_relative_to(one) for one in self.below):
            return None
        known = ", ".join(map(str, self.below))
        if known:
            return f"expected a folder below {known}, which projects_below in triage.yml names, got {said}"
        return f"no command may read {said}: name a folder around it under projects_below in triage.yml"

    def host_problem(self, host: str, port: int = 443, usual: int = 443) -> str | None:
        """Why nothing may be fetched from this port of a host, with the next step; `None` where it may.

        `usual` is the port of whatever is spoken there.
        """
        name = host.lower().rstrip(".")
        if is_local(name):
            return f"expected a host of the network, got {host}: this machine's own addresses are never fetched from"
        if f"{name}:{port}" in self.hosts or (port == usual and name in self.hosts):
            return None
        if name in self.hosts:
            named = f"name {name}:{port} under repository_hosts in triage.yml"
            return f"expected the usual port of {name}, got {port}: {named}"
        if self.hosts:
            known = f"expected one of the hosts {', '.join(sorted(self.hosts))}"
            return f"{known}, which repository_hosts in triage.yml names, got {host}"
        return f"no command may fetch from {host}: name the host under repository_hosts in triage.yml"


def is_local(host: str) -> bool:
    """Return whether a host names this machine or its link, in whichever form: `127.1` and `0x7f000001` are loopback,
    too."""
    name = host.strip("[]").partition("%")[0].lower().rstrip(".")
    if name in _LOCAL_NAMES or name.endswith(".localhost"):
        return True
    address = _address(name)
    if isinstance(address, IPv6Address) and (inner := address.ipv4_mapped or address.sixtofour):
        address = inner
    return address is not None and (
        address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast
    )


def _address(name: str) -> IPv4Address | IPv6Address | None:
    """The address that a name is by itself, as the system would read it; `None` for one that must be looked up."""
    try:
        return ip_address(name)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(name))
    except (OSError, ValueError):
        return None
