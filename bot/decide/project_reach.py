"""Reach of projects created by commands: only the folders and hosts that `triage.yml` names.

Such projects are created from Slack, by a person or by a model; only the settings decide what they may read. Pure:
paths are resolved by the caller.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

from bot.decide.repository_address import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bot.models.project import Project

_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


@dataclass(frozen=True, kw_only=True)
class ProjectReach:
    """Allowed folders (`below`) and hosts of projects created by commands.

    A host alone stands for the usual port of https and of ssh, `host:port` for that port.
    """

    below: tuple[Path, ...] = ()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def from_projects(
        cls, projects: Iterable[Project], *, below: tuple[Path, ...], more_hosts: Iterable[str]
    ) -> ProjectReach:
        """Return the reach with the hosts of the projects' repositories, and more."""
        sources = [project.repository for project in projects if project.repository]
        host_ports = [host_of(source.url) for source in sources if source.protocol != "file"]
        own = {host if port == usual else f"{host}:{port}" for host, port, usual in host_ports}
        return cls(below=below, hosts=frozenset({*own, *more_hosts}))

    def folder_problem(self, folder: Path, as_typed: str) -> str | None:
        """Return why a command may not use this folder, with the next step; `None` where it may.

        The folder is named as it was typed: the target of a link is not disclosed.
        """
        if any(folder.is_relative_to(root) for root in self.below):
            return None
        roots = ", ".join(map(str, self.below))
        if roots:
            return f"expected a folder below {roots}, which projects_below in triage.yml names, got {as_typed}"
        return f"no command may read {as_typed}: name a folder around it under projects_below in triage.yml"

    def host_problem(self, host: str, port: int = 443, usual: int = 443) -> str | None:
        """Return why nothing may be fetched from this port of a host, with the next step; `None` where it may.

        `usual` is the protocol's default port.
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
            expected = f"expected one of the hosts {', '.join(sorted(self.hosts))}"
            return f"{expected}, which repository_hosts in triage.yml names, got {host}"
        return f"no command may fetch from {host}: name the host under repository_hosts in triage.yml"


def is_local(host: str) -> bool:
    """Return whether a host is this machine or link-local, in any notation: `127.1` and `0x7f000001` are loopback,
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
    """Return the address that a name denotes to the system without a lookup; `None` for other names."""
    try:
        return ip_address(name)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(name))
    except (OSError, ValueError):
        return None
