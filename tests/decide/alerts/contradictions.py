"""Messages whose title, colour and text name different states, and Uptime Kuma's lines below a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.decide.alerts.programs import Json, alertmanager, attached, grafana, plain

if TYPE_CHECKING:
    from bot.models.alert import AlertState


def _kuma(name: str, state: str, text: str, *, color: str, is_first_form: bool = False) -> Json:
    """Uptime Kuma's form with blocks; that of the first 2.x has no text."""
    line = f"[{name}] [{state}] {text}"
    header: list[Any] = [{"type": "header", "text": {"type": "plain_text", "text": name if is_first_form else "Alert"}}]
    fields = [{"type": "mrkdwn", "text": f"*Message*\n{line}"}, {"type": "mrkdwn", "text": "*Time (UTC)*\n2026-10-01"}]
    blocks = [*header, {"type": "section", "fields": fields}]
    message = attached(color=color, blocks=blocks)
    return message if is_first_form else message | {"text": f"Uptime Kuma Alert\n{line}"}


STATES: dict[str, tuple[Json, AlertState | None]] = {
    "red, a ticket in its text": (
        alertmanager("Omega service errors", text="[RESOLVED] ticket 7: retries were off"),
        "firing",
    ),
    "red, OK in its text": (alertmanager("Omega service errors", text="OK: last good response 10:02"), "firing"),
    "red hex, recovery in its text": (grafana("Omega latency", text="RECOVERED: replica 2"), "firing"),
    "red, unknown program": (attached(title="Omega errors", text="[RESOLVED] ticket 7", color="danger"), None),
    "title in brackets, end in its text": (
        attached(title="[FIRING] Omega errors", text="[RESOLVED] ticket 7", color="good"),
        "firing",
    ),
    "title with a weak word, end in its text": (
        attached(title="Alert: Omega errors", text="[RESOLVED] ticket 7\nseverity: page\nservice: omega"),
        "firing",
    ),
    "red, HTTP status": (alertmanager("Omega errors", text="*Status:* OK"), "firing"),
    "green, a label named Alert": (
        alertmanager("🚨 OmegaTimeout", text="*Alert:* OmegaTimeout", firing=False),
        "resolved",
    ),
    "green, a critical line": (grafana("Omega latency", text="CRITICAL: was 5 s", firing=False), "resolved"),
    "green, Alert in its title": (alertmanager("Alert: OmegaTimeout", firing=False), "resolved"),
    "green below a constant title": (
        attached(title="omega.example", text="[RESOLVED] Certificate expires", color="good"),
        "resolved",
    ),
    "status says resolved": (plain("*Alert:* Slow payouts\n*Status:* `resolved`\n*Severity:* critical"), "resolved"),
    "status with an emoji": (plain("*Alert:* Slow payouts\n*State:* ✅ OK\n*Severity:* critical"), "resolved"),
    "status field": (
        attached(title="Alert: Slow payouts", fields=[{"title": "Status", "value": "Resolved"}]),
        "resolved",
    ),
    "status says firing": (plain("*Alert:* Slow payouts\n*Status:* `firing`\n*Severity:* critical"), "firing"),
    "two states": (plain("*Alert:* Slow payouts\n*Status:* firing\n*Status:* resolved\n*Severity:* page"), "firing"),
    "title only a word": (attached(title="ALERT", text="[RESOLVED] Slow payouts", color="good"), "resolved"),
    "release in the name": (plain("[FIRING] Release controller down"), "firing"),
    "deploy in the name": (plain("[FIRING] Deploy of checkout failing"), "firing"),
    "digest in the name": (plain("【アラート】digest mailer"), "firing"),
    "snapshot in the monitor": (plain("[snapshot store] [🔴 Down] timeout"), "firing"),
    "deploy without brackets": (plain("Deploy of checkout is failing"), None),
}
"""State of each; `None` for no alert."""
ENDED = {
    "line *Alert*, red then green": (
        alertmanager("🚨 OmegaTimeout", text="*Alert:* OmegaTimeout\n*Severity:* critical"),
        alertmanager("🚨 OmegaTimeout", text="*Alert:* OmegaTimeout\n*Severity:* critical", firing=False),
    ),
    "line *Alert* of an unknown program": (
        attached(title="🚨 OmegaTimeout", text="*Alert:* OmegaTimeout\n*Severity:* critical", color="danger"),
        attached(title="🚨 OmegaTimeout", text="*Alert:* OmegaTimeout\n*Severity:* critical", color="good"),
    ),
    "line *Status*": (
        plain("*Alert:* Slow payouts\n*Status:* `firing`\n*Severity:* critical"),
        plain("*Alert:* Slow payouts\n*Status:* `resolved`\n*Severity:* critical"),
    ),
    "release in the name": (plain("[FIRING] Release controller down"), plain("[RESOLVED] Release controller down")),
    "Uptime Kuma 2": (
        plain("Search\n[Search] [🔴 Down] timeout of 48000ms exceeded"),
        plain("Search\n[Search] [✅ Up] 200 - OK"),
    ),
    "Uptime Kuma 2 in a group": (
        plain("_Shop / EU_\nCart 1\n[Cart 1] [🔴 Down] Request failed with status code 502"),
        plain("_Shop / EU_\nCart 1\n[Cart 1] [✅ Up] 200 - OK"),
    ),
    "Uptime Kuma 2, a mention": (
        plain("Mail\n[Mail] [🔴 Down] timeout <!channel>"),
        plain("Mail\n[Mail] [✅ Up] 200 - OK <!channel>"),
    ),
    "Uptime Kuma 2, a state in the name": (
        plain("Lift is down\n[Lift is down] [🔴 Down] timeout"),
        plain("Lift is down\n[Lift is down] [✅ Up] 200 - OK"),
    ),
    "Uptime Kuma 1.23": (
        _kuma("Checkout", "🔴 Down", "connect ECONNREFUSED 10.0.0.5:443", color="#e01e5a"),
        _kuma("Checkout", "✅ Up", "200 - OK", color="#2eb886"),
    ),
    "Uptime Kuma 2, first form": (
        _kuma("Checkout", "🔴 Down", "ECONNREFUSED", color="#e01e5a", is_first_form=True),
        _kuma("Checkout", "✅ Up", "200 - OK", color="#2eb886", is_first_form=True),
    ),
}
"""Problem and end of one alert."""
