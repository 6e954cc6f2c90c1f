"""Remotes that a forge of the settings serves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from bot.models.merge_request import ForgeSite

_USUAL = {"https": 443, "ssh": 22}


def find_project(site: ForgeSite, address: str) -> str:
    """Return the path of a remote's project at a forge, such as `team/shop`; empty if the forge does not serve it.

    `address` is one of https or ssh, or an absolute path of this machine with or without `file://`. The port of an ssh
    address is not compared. GitHub's projects have two parts, GitLab's two or more.
    """
    project = _find_path(site, address).removesuffix(".git").strip("/")
    parts = project.split("/")
    fits = len(parts) == 2 if site.kind == "github" else len(parts) >= 2
    return project if fits and not {"", ".", ".."}.intersection(parts) else ""


def _find_path(site: ForgeSite, address: str) -> str:
    if site.folder is not None:
        path = Path(address.removeprefix("file://"))
        return str(path.relative_to(site.folder)) if path.is_relative_to(site.folder) else ""
    parts = urlsplit(address)
    name, _, port = site.host.partition(":")
    if parts.scheme not in _USUAL or parts.hostname != name:
        return ""
    if parts.scheme == "https" and (parts.port or 443) != int(port or 443):
        return ""
    return parts.path.strip("/")
