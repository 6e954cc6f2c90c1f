"""Forges of the settings: drafts of merge requests by the API of GitHub and GitLab."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.errors import ToolError

if TYPE_CHECKING:
    from bot.models.merge_request import ForgeSite, MergeRequest

_USUAL = {"https": 443, "ssh": 22}


@dataclass(frozen=True, kw_only=True)
class Forges:
    """The port `Forge` for the forges of the settings."""

    sites: tuple[ForgeSite, ...]

    def serves(self, address: str) -> bool:
        """Return whether a forge of the settings serves the remote of this address."""
        return any(find_project(site, address) for site in self.sites)

    async def find(self, address: str, branch: str) -> MergeRequest | None:
        """Return the newest open merge request of a branch; `None` without one."""
        raise ToolError(f"no forge of the settings serves {address}, so {branch} has no merge request")

    async def open_draft(self, address: str, *, branch: str, target: str, title: str, body: str) -> MergeRequest:
        """Open a draft, or return the open request that is there."""
        raise ToolError(f"no forge of the settings serves {address}: nothing was opened for {branch}")


def find_project(site: ForgeSite, address: str) -> str:
    """Return the path of a remote's project at a forge, such as `team/shop`; empty if the forge does not serve it.

    `address` is one of https or ssh, or an absolute path of this machine with or without `file://`. The port of an ssh
    address is not compared.
    """
    if site.folder is not None:
        path = Path(address.removeprefix("file://"))
        inside = path.is_relative_to(site.folder) and ".." not in path.parts
        return str(path.relative_to(site.folder)).removesuffix(".git") if inside and path != site.folder else ""
    parts = urlsplit(address)
    name, _, port = site.host.partition(":")
    if parts.scheme not in _USUAL or parts.hostname != name:
        return ""
    if parts.scheme == "https" and (parts.port or 443) != int(port or 443):
        return ""
    project = parts.path.strip("/").removesuffix(".git")
    return project if "/" in project else ""
