"""App manifest fitted to an installation: fewer or more scopes, and Slack's requests over HTTP. Pure.

The text is edited by lines, so that the reason beside each scope and event stays for whoever installs the app.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

EVENTS_OF_SCOPE = {"reactions:read": ("reaction_added", "reaction_removed")}
"""Events that go with a scope that an installation may leave out."""
EVENTS_PATH = "/slack/events"
"""Path that `triage run --http` serves."""

_ITEM = re.compile(r"\s+(?P<off># )?- (?P<name>[a-z_]+(?:[:.][a-z_]+)*)(?: +#.*)?")
_SCOPE_LISTS = ("bot:", "bot_optional:")


def fit_manifest(text: str, scopes: frozenset[str], *, request_url: str = "") -> str:
    """Return the manifest with these scopes and no others; with `request_url` for HTTP instead of Socket Mode.

    A scope that is commented out in `text` is put in. Events that only a scope left out needs are left out, too.
    """
    unheard = {event for scope, events in EVENTS_OF_SCOPE.items() if scope not in scopes for event in events}
    kept: list[str] = []
    key = ""
    for line in text.splitlines():
        item = _ITEM.fullmatch(line)
        if not item:
            key = line.split("#")[0].strip() if ":" in line.split("#")[0] else key
            kept += _for_http(line, request_url) if request_url else [line]
        elif key in _SCOPE_LISTS:
            kept += [line.replace("# - ", "- ", 1) if item["off"] else line] if item["name"] in scopes else []
        elif item["name"] not in unheard:
            kept.append(line)
    return "\n".join(_without_empty_lists(kept)) + "\n"


def _for_http(line: str, url: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    if line.strip() == "- command: /triage":
        return [line, f"{indent}  url: {url}"]
    if line.strip() == "event_subscriptions:":
        return [line, f"{indent}  request_url: {url}"]
    if line.strip() == "interactivity:":
        return [line, f"{indent}  request_url: {url}"]
    return [line.replace("true", "false") if line.strip().startswith("socket_mode_enabled:") else line]


def _without_empty_lists(lines: list[str]) -> list[str]:
    """Return the lines without the optional scopes' key if nothing is in its list."""
    followed = zip(lines, [*lines[1:], ""], strict=True)
    return [line for line, after in followed if not (line.strip().startswith("bot_optional:") and "- " not in after)]


def request_url_of(address: str) -> str | None:
    """Return the address of Slack's requests below a public https address; `None` for one that Slack does not call."""
    try:
        parts = urlsplit(address)
        fits = parts.scheme == "https" and parts.hostname and not (parts.query or parts.fragment or parts.username)
        parts.port  # noqa: B018  # raises for a port that is none
    except ValueError:
        return None
    if not fits or not address.isprintable() or " " in address:
        return None
    return address if parts.path.strip("/") else f"{address.rstrip('/')}{EVENTS_PATH}"
