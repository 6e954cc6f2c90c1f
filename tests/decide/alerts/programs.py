"""Messages of Alertmanager, Grafana, Datadog, Sentry and PagerDuty in Slack's shape, built as their templates do."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def attached(**attachment: Any) -> Json:
    """A message with one attachment."""
    return {"text": "", "bot_id": "B0ALERTS", "subtype": "bot_message", "attachments": [{"id": 1, **attachment}]}


def blocks_of(*texts: str) -> list[Json]:
    """Sections with these texts."""
    return [{"type": "section", "text": {"type": "mrkdwn", "text": text}} for text in texts]


def alertmanager(title: str, *, text: str = "", firing: bool = True, host: str = "alerts.example") -> Json:
    """As Alertmanager's default Slack template writes it."""
    link = f"http://{host}/#/alerts?receiver=team-slack"
    color = "danger" if firing else "good"
    made = attached(title=title, title_link=link, fallback=f"{title} | {link}", text=text, color=color)
    return made | {"username": "Alertmanager"}


def grafana(title: str, *, text: str = "", firing: bool = True, link: str = "alerting/list") -> Json:
    """As Grafana's Slack contact point writes it."""
    return attached(
        title=title,
        title_link=f"https://grafana.example/{link}",
        fallback=title,
        text=text,
        color="#D63232" if firing else "#36a64f",
        footer="Grafana v11.2.0",
        footer_icon="https://grafana.com/static/assets/img/fav32.png",
        ts=1764000000,
    ) | {"username": "Grafana"}


def grafana_list(kind: str, *alerts: dict[str, str], value: str = "B=93.2, C=1") -> str:
    """The body of Grafana's default message: labels and annotations of each alert."""
    parts = [f"**{kind}**"]
    for labels in alerts:
        shown = "\n".join(f" - {name} = {text}" for name, text in labels.items())
        parts.append(
            f"\nValue: {value}\nLabels:\n{shown}\nAnnotations:\n - summary = {value} of the requests fail\n"
            "Source: https://grafana.example/alerting/grafana/abc/view?orgId=1\n"
        )
    return "\n".join(parts)


def datadog(title: str, *, link: str = "", text: str = "", color: str = "#A30200") -> Json:
    """As Datadog's app writes it: one attachment that leads to the monitor."""
    return attached(
        title=title,
        title_link=link
        or "https://app.datadoghq.com/monitors/4711?from_ts=1764000000000&to_ts=1764000900000&event_id=83",
        fallback=title,
        text=f"{text}\n\nThe monitor was last triggered at Mon Nov 24 2025 10:32:01 UTC.",
        color=color,
        fields=[{"title": "Notified", "value": "@slack-shop-alerts", "short": True}],
    ) | {"username": "Datadog"}


def monitor(number: int, group: str = "", *, site: str = "app.datadoghq.com", event: int = 83) -> str:
    """The address of a Datadog monitor with its group, as a notification links it."""
    of_group = f"&group={group}" if group else ""
    return f"https://{site}/monitors/{number}?from_ts={event}00&to_ts={event}99{of_group}&event_id={event}&link_source=monitor_notif"


def sentry_issue(
    number: int, title: str, culprit: str, *, state: str = "New", after: str = "", project: str = "shop"
) -> Json:
    """As Sentry's issue alert is written, in blocks."""
    link = f"https://acme.sentry.io/issues/{number}/?referrer=slack&alert_rule_id=9&alert_type=issue"
    return {
        "text": f"[{project}] {title}",
        "bot_id": "B0ALERTS",
        "username": "Sentry",
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": f":red_circle: <{link}|*{title}*>"}},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": culprit}]},
            *blocks_of("```card declined: limit 500```", "environment: `prod`  release: `2.14.0`"),
            {
                "type": "context",
                "elements": [{"type": "mrkdwn", "text": f"State: *{state}*   First Seen: *10 minutes ago*"}],
            },
            *(blocks_of(after) if after else []),
            {
                "type": "actions",
                "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Resolve"}, "value": "resolve"}],
            },
            {
                "type": "context",
                "elements": [
                    {
                        "type": "mrkdwn",
                        "text": f"Project: <https://acme.sentry.io/issues/?project=2|{project}>    "
                        f"Alert: <https://acme.sentry.io/alerts/rules/shop/9/details/|Volume>  Short ID: {number}",
                    }
                ],
            },
        ],
    }


def sentry_legacy(number: int, title: str) -> Json:
    """As Sentry wrote an issue alert before blocks."""
    link = f"https://sentry.io/organizations/acme/issues/{number}/?referrer=slack"
    return attached(
        title=title,
        title_link=link,
        fallback=f"[shop] {title}",
        text="Traceback: charge failed in shop/payments.py",
        color="#E03E2F",
        callback_id=f'{{"issue": {number}}}',
        footer=f"SHOP-{number} via High volume",
    ) | {"username": "Sentry"}


def sentry_metric(state: str, name: str, *, rule: int = 12, incident: int = 5, color: str = "#FA4747") -> Json:
    """As Sentry's metric alert is written: an attachment with blocks."""
    link = f"https://acme.sentry.io/organizations/acme/alerts/rules/details/{rule}/?alert={incident}&referrer=metric_alert_slack"
    text = f"<{link}|*{state}: {name}*>\n{incident}12 events in the last 10 minutes\n<!date^1764000000^Started: date|x>"
    return {
        "text": f"<{link}|*{state}: {name}*>",
        "bot_id": "B0ALERTS",
        "attachments": [{"color": color, "blocks": blocks_of(text), "fallback": "[no preview available]"}],
    }


def pagerduty(state: str, number: int, incident: str, title: str, *, color: str = "FF0000", extra: str = "") -> Json:
    """As PagerDuty's Slack app writes and updates an incident."""
    link = f"https://acme.pagerduty.com/incidents/{incident}"
    return attached(
        color=color,
        fallback="[no preview available]",
        blocks=[
            *blocks_of(f"*{state}* <{link}|#{number}>: {title}"),
            {
                "type": "section",
                "fields": [
                    {"type": "mrkdwn", "text": "*Service:* <https://acme.pagerduty.com/services/PS1|shop>"},
                    {"type": "mrkdwn", "text": "*Assigned to:* Olu"},
                    {"type": "mrkdwn", "text": "*Urgency:* High"},
                ],
            },
            *(blocks_of(extra) if extra else []),
        ],
    ) | {"username": "PagerDuty"}


def pagerduty_legacy(state: str, number: int, incident: str, title: str) -> Json:
    """As PagerDuty's first Slack integration wrote an incident."""
    link = f"https://acme.pagerduty.com/incidents/{incident}"
    return attached(
        fallback=f"{state} #{number}: {title}",
        title=f"{state} #{number}: {title}",
        title_link=link,
        color="a30200" if state == "Triggered" else "2eb886",
        fields=[{"title": "Service", "value": "shop"}, {"title": "Assigned to", "value": "Olu"}],
    )


def plain(text: str, **more: Any) -> Json:
    """A message of a program with text only."""
    return {"text": text, "bot_id": "B0ALERTS", "subtype": "bot_message", **more}
