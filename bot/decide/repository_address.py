"""Addresses of repositories: validation, and the names under which a list of hosts has them. Pure.

Anything that git or ssh might take for an option, a helper, a name or a password is refused beforehand.
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
    """Return what is expected of a repository's address or path; `None` for a valid one."""
    if not address.isprintable() or " " in address:
        return "expected an address or a path without blanks and control characters"
    if address.startswith("-"):
        return "expected an address or a path that begins with no dash"
    scheme, separator, _ = address.partition("://")
    if _HELPER.match(address) or (separator and scheme not in ("https", "ssh", "file")):
        return "expected https://, ssh:// or file://"
    if not separator:
        return _scp_problem(address)
    if scheme == "file":
        return None if address.startswith("file:///") else "expected file:// and the whole path, as in file:///srv/shop"
    return _network_problem(address)


def _scp_problem(path: str) -> str | None:
    """Return what is wrong with a path that git would read as host and path."""
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
    """Return the host of an `https://` or `ssh://` address, its port, and the usual port."""
    parts = urlsplit(address)
    usual = _USUAL[parts.scheme]
    return parts.hostname or "", parts.port or usual, usual
