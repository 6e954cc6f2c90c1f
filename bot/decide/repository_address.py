"""Addresses of repositories: which may be fetched from, by which names a list of hosts has them, and why one may not.

Pure. What git or ssh would take for an option, a helper, a name or a password is refused before either sees it.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_HELPER = re.compile(r"[^/]*::")
_SCP = re.compile(r"[^/]*:")
_PLAIN_SCP = re.compile(r"((?:\w[\w.-]*@)?\w[\w.-]*):/{0,9}(\w[\w./-]*)")
_USER = re.compile(r"\w[\w.+-]*")
_HOST = re.compile(r"\w[\w.-]*|[0-9a-f:.]+")
_USUAL = {"https": 443, "ssh": 22}


def address_problem(address: str) -> str | None:
    """What is wrong with the address or path of a repository, as what is expected; `None` when nothing is."""
    if not address.isprintable() or " " in address:
        return "expected an address or a path without blanks and control characters"
    if address.startswith("-"):
        return "expected an address or a path that begins with no dash"
    scheme, found, _ = address.partition("://")
    if _HELPER.match(address) or (found and scheme not in ("https", "ssh", "file")):
        return "expected https://, ssh:// or file://"
    if not found:
        return _scp_problem(address)
    if scheme == "file":
        return None if address.startswith("file:///") else "expected file:// and the whole path, as in file:///srv/shop"
    return _network_problem(address)


def _scp_problem(path: str) -> str | None:
    """What is wrong with a path that git would take for a host and a path on it."""
    if not _SCP.match(path):
        return None
    if plain := _PLAIN_SCP.fullmatch(path):
        return f"expected ssh://{plain[1]}/{plain[2]} instead of {path}"
    return "expected ssh://git@host/path instead of git@host:path"


def _network_problem(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        user, at, _ = parts.netloc.rpartition("@")
        well = parts.port != 0 and not parts.netloc.endswith(":")
    except ValueError:  # brackets that do not close, a port of letters or too large
        well = False
    if not well:
        return "expected a host, a port of digits where there is one, and a path, as in https://host:8443/team/shop"
    if ":" in user or (at and parts.scheme == "https"):
        return "expected no name and no password in the address; token_env names the token's variable"
    if at and not _USER.fullmatch(user):
        return "expected a name of letters and digits before the @, as in ssh://git@host/path"
    if not _HOST.fullmatch(parts.hostname or ""):
        return "expected a host of letters, digits, dots and dashes that begins with no dash"
    if re.search(r"[?#\\]", address):
        return "expected an address without ?, # and \\"
    return None


def host_of(address: str) -> tuple[str, int, int]:
    """The host of an `https://` or `ssh://` address, the port that is asked there, and the usual one."""
    parts = urlsplit(address)
    usual = _USUAL[parts.scheme]
    return parts.hostname or "", parts.port or usual, usual
