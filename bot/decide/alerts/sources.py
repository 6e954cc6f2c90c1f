"""Program of an alert and its explicit id there, from the addresses in its message. Pure, on re2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

import re2

if TYPE_CHECKING:
    from collections.abc import Sequence
    from urllib.parse import SplitResult

    from bot.decide.alerts.notification import Notification
    from bot.models.alert import AlertSource

_SENTRY_ISSUE = re2.compile(r"/issues/(\d+)(?:/|$)")
_SENTRY_RULE = re2.compile(r"/(?:alerts/rules/details|metric-alerts|monitors/alerts|alerts/rules/[^/]+)/(\d+)(?:/|$)")
_PAGERDUTY = re2.compile(r"/incidents/([A-Z0-9]{2,20})(?:/|$)")
_DATADOG = re2.compile(r"/monitors/?(\d+)")
_DATADOG_HOST = re2.compile(r"(?:^|\.)(?:datadoghq\.(?:com|eu)|ddog-gov\.com|datad0g\.com)$")
_ONCALL = re2.compile(r"/grafana-oncall-app/alert-groups/(\w+)")
_GRAFANA = re2.compile(r"/alerting/(?:list|grafana|groups|silence|[^/]+/view)|/d(?:-solo)?/[\w-]+|/dashboard/db/")
_FOREIGN_HOST = re2.compile(
    r"^status\.|(?:^|\.)(?:github|gitlab|bitbucket|atlassian|jira|jenkins|circleci|travis-ci|buildkite|argocd|vercel|netlify|linear"
    r"|statuspage|asana|trello|notion|teamcity|sonarcloud|sonarqube|codecov|docs\.google|zoom|confluence|drone|harbor)\b"
)
_FOREIGN_PATH = re2.compile(
    r"/browse/[A-Z][A-Z0-9]+-\d+|/pull/\d+|/merge_requests/|/pipelines/|/actions/runs/|/job/|/builds?/"
)
_NAMES: tuple[tuple[str, AlertSource], ...] = (
    ("alertmanager", "alertmanager"),
    ("prometheus", "alertmanager"),
    ("grafana", "grafana"),
    ("datadog", "datadog"),
    ("sentry", "sentry"),
    ("pagerduty", "pagerduty"),
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Program that sent an alert."""

    source: AlertSource = "other"
    host: str = ""
    link: str = ""
    exact_id: str = ""
    """Explicit id of the alert there; empty if it has none."""
    tags: tuple[str, ...] = ()
    """Tags of the address, such as the group of a Datadog monitor."""
    is_foreign: bool = False
    """True if its headline leads to a program that sends no alerts, such as a code host."""


def find_origin(notification: Notification) -> Origin:
    """Return the program of a message; `other` if its addresses and names do not tell it."""
    for link in notification.links:
        if origin := _read_link(link):
            return origin
    link = notification.links[0] if notification.links else ""
    sources = (source for name, source in _NAMES if name in notification.sender)
    source: AlertSource = next(sources, "other")
    return Origin(
        source=source, host=_host(urlsplit_safely(link)), link=link, is_foreign=_is_foreign(notification.links)
    )


def urlsplit_safely(link: str) -> SplitResult:
    """Split an address; an invalid one has no parts."""
    try:
        return urlsplit(link)
    except ValueError:
        return urlsplit("")


def _read_link(link: str) -> Origin | None:
    """Return the program of an address; `None` for an unknown one."""
    parts = urlsplit_safely(link)
    host, path = _host(parts), parts.path
    whole = f"{path}#{parts.fragment}" if parts.fragment else path
    if _DATADOG_HOST.search(host):
        return _datadog(link, host, path, parts)
    if "pagerduty" in host and (match := _PAGERDUTY.search(path)):
        return Origin("pagerduty", host, link, f"{host} {match.group(1)}")
    if _is_sentry(host, parts.query):
        home = "sentry.io" if host.endswith("sentry.io") else host
        if match := _SENTRY_ISSUE.search(path):
            return Origin("sentry", home, link, f"{home} issue {match.group(1)}")
        if match := _SENTRY_RULE.search(path):
            return Origin("sentry", home, link, f"{home} rule {match.group(1)}")
        return None
    if "#/alerts" in whole or "#/silences" in whole:
        return Origin("alertmanager", host, link)
    if match := _ONCALL.search(path):
        return Origin("grafana", host, link, f"{host} {match.group(1)}")
    is_grafana = "grafana" in host or "viewPanel=" in parts.query or "panelId=" in parts.query or "/alerting/" in path
    return Origin("grafana", host, link) if is_grafana and _GRAFANA.search(path) else None


def _datadog(link: str, host: str, path: str, parts: SplitResult) -> Origin:
    number = _DATADOG.search(path) or re2.search(r"^(\d+)", parts.fragment)
    query = f"{parts.query}&{parts.fragment.partition('?')[2]}"
    groups: Sequence[str] = _query(query).get("group", ())
    scope = unquote(groups[0]) if groups else ""
    tags = tuple(sorted(tag for each in scope.split(",") if (tag := each.strip()) and tag not in _NO_GROUP))
    monitor = f"{host} {number.group(1)}" if number else ""
    return Origin("datadog", host, link, monitor, tags)


_NO_GROUP = frozenset({"total", "all", "*"})
"""Groups of a monitor without groups."""


def _is_sentry(host: str, query: str) -> bool:
    return "sentry" in host or "referrer=slack" in query or "referrer=metric_alert_slack" in query


def _query(query: str) -> dict[str, list[str]]:
    try:
        return parse_qs(query, max_num_fields=50)
    except ValueError:
        return {}


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").lower()


def _is_foreign(links: Sequence[str]) -> bool:
    """Return whether the first address belongs to a program that sends no alerts."""
    if not links:
        return False
    parts = urlsplit_safely(links[0])
    return bool(_FOREIGN_HOST.search(_host(parts)) or _FOREIGN_PATH.search(parts.path))
