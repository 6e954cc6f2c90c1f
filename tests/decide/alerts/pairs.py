"""Pairs of notifications, and whether they are of one alert."""

from __future__ import annotations

from typing import NamedTuple

from tests.decide.alerts.programs import (
    Json,
    alertmanager,
    attached,
    datadog,
    grafana,
    grafana_list,
    monitor,
    pagerduty,
    plain,
    sentry_issue,
    sentry_legacy,
    sentry_metric,
)


class Pair(NamedTuple):
    """Two notifications, and whether they are of one alert."""

    name: str
    first: Json
    second: Json
    same: bool


SHOP = {"alertname": "HighErrorRate", "instance": "web-1", "service": "shop"}
OTHER = {"alertname": "HighErrorRate", "instance": "web-2", "service": "shop"}

PAIRS = [
    Pair(
        "count, and labels of the group that grew",
        alertmanager("[FIRING:1] HighErrorRate shop (critical web-1)"),
        alertmanager("[FIRING:4] HighErrorRate shop (critical)"),
        same=True,
    ),
    Pair(
        "Alertmanager resolved",
        alertmanager("[FIRING:2] HighErrorRate shop (critical prod)"),
        alertmanager("[RESOLVED] HighErrorRate shop (critical prod)", firing=False),
        same=True,
    ),
    *(
        Pair(
            f"Alertmanager's default headline as plain text, with {label}",
            plain(f"[FIRING:1] InstanceDown ({label} critical)"),
            plain(f"[RESOLVED] InstanceDown ({label} critical)"),
            same=True,
        )
        for label in ("db-1:9100", "/dev/sda1", "queue=lost", "v1.2.3", "a,b")
    ),
    Pair(
        "plain text, another instance",
        plain("[FIRING:1] InstanceDown (db-1:9100 critical)"),
        plain("[RESOLVED] InstanceDown (db-2:9100 critical)"),
        same=False,
    ),
    Pair(
        "plain text, another port of two that fire",
        plain("[FIRING:1] InstanceDown (db-1:9100 critical)"),
        plain("[FIRING:1] InstanceDown (db-1:9200 critical)"),
        same=False,
    ),
    Pair(
        "another instance",
        alertmanager("[FIRING:1] HighErrorRate shop (critical web-1)"),
        alertmanager("[FIRING:1] HighErrorRate shop (critical web-2)"),
        same=False,
    ),
    Pair("another alert", alertmanager("[FIRING:1] HighErrorRate"), alertmanager("[FIRING:1] HighLatency"), same=False),
    Pair(
        "another cluster's Alertmanager",
        alertmanager("[FIRING:1] HighErrorRate"),
        alertmanager("[RESOLVED] HighErrorRate", host="alerts-eu.example", firing=False),
        same=False,
    ),
    Pair(
        "another group",
        alertmanager("[FIRING:1] HighErrorRate shop"),
        alertmanager("[FIRING:1] HighErrorRate search"),
        same=False,
    ),
    Pair(
        "severity of its own",
        alertmanager("[FIRING:1] HighErrorRate (shop warning)"),
        alertmanager("[RESOLVED] HighErrorRate (shop critical)", firing=False),
        same=False,
    ),
    Pair(
        "value in the title",
        attached(title="[FIRING] Error rate is 93.2 % on shop", text="*Instance:* web-1", color="danger"),
        attached(title="[RESOLVED] Error rate is 0.4 % on shop", text="*Instance:* web-1", color="good"),
        same=True,
    ),
    Pair(
        "time and duration in the title",
        attached(title="[FIRING] Backup late since 10:32 (for 5m)", color="danger"),
        attached(title="[RESOLVED] Backup late since 11:47 (for 1h)", color="good"),
        same=True,
    ),
    Pair(
        "instance only in the body",
        attached(title="[FIRING] DiskFull", text="*Instance:* db-1\n*Severity:* critical", color="danger"),
        attached(title="[FIRING] DiskFull", text="*Instance:* db-2\n*Severity:* critical", color="danger"),
        same=False,
    ),
    Pair(
        "number that belongs to the name",
        attached(title="[FIRING] Lag on shard 3 is 412", color="danger"),
        attached(title="[FIRING] Lag on shard 4 is 412", color="danger"),
        same=False,
    ),
    Pair(
        "same number in the name",
        attached(title="[FIRING] Lag on shard 3 is 412", color="danger"),
        attached(title="[RESOLVED] Lag on shard 3 is 0", color="good"),
        same=True,
    ),
    Pair(
        "Grafana, values change",
        grafana("[FIRING:1] HighErrorRate shop (web-1)", text=grafana_list("Firing", SHOP)),
        grafana(
            "[RESOLVED] HighErrorRate shop (web-1)", firing=False, text=grafana_list("Resolved", SHOP, value="B=0.2")
        ),
        same=True,
    ),
    Pair(
        "Grafana, one of two",
        grafana("[FIRING:2] HighErrorRate shop", text=grafana_list("Firing", SHOP, OTHER)),
        grafana("[FIRING:1, RESOLVED:1] HighErrorRate shop", text=grafana_list("Firing", SHOP, OTHER)),
        same=True,
    ),
    Pair(
        "Grafana, another instance",
        grafana("[FIRING:1] HighErrorRate shop (web-1)", text=grafana_list("Firing", SHOP)),
        grafana("[FIRING:1] HighErrorRate shop (web-2)", text=grafana_list("Firing", OTHER)),
        same=False,
    ),
    Pair(
        "Grafana legacy",
        grafana("[Alerting] Orders alert", link="d/hZ7/orders?panelId=2"),
        grafana("[OK] Orders alert", firing=False, link="d/hZ7/orders?panelId=2"),
        same=True,
    ),
    Pair(
        "Datadog, one group",
        datadog("[Triggered on {host:web-1}] CPU is high", link=monitor(4711, "host%3Aweb-1")),
        datadog(
            "[Recovered on {host:web-1}] CPU is high", link=monitor(4711, "host%3Aweb-1", event=99), color="#2EB886"
        ),
        same=True,
    ),
    Pair(
        "Datadog, another group",
        datadog("[Triggered on {host:web-1}] CPU is high", link=monitor(4711, "host%3Aweb-1")),
        datadog(
            "[Recovered on {host:web-2}] CPU is high", link=monitor(4711, "host%3Aweb-2", event=99), color="#2EB886"
        ),
        same=False,
    ),
    Pair(
        "Datadog, warning then alert",
        datadog("[Warn on {host:web-1}] CPU is high", link=monitor(4711, "host%3Aweb-1")),
        datadog("[P1] [Triggered on {host:web-1}] CPU is very high", link=monitor(4711, "host%3Aweb-1", event=99)),
        same=True,
    ),
    Pair(
        "Datadog, group in the title only",
        datadog("Triggered: CPU is high on host:web-1", link=monitor(4711)),
        datadog("Recovered: CPU is high on host:web-1", link=monitor(4711, event=99)),
        same=True,
    ),
    Pair(
        "Datadog, another monitor",
        datadog("[Triggered] Errors", link=monitor(1)),
        datadog("[Triggered] Errors", link=monitor(2)),
        same=False,
    ),
    Pair(
        "Datadog, event addresses only",
        datadog("[Triggered] Errors", link="https://app.datadoghq.eu/event/event?id=6"),
        datadog("[Recovered] Errors", link="https://app.datadoghq.eu/event/event?id=7"),
        same=True,
    ),
    Pair(
        "Sentry, issue and mark",
        sentry_issue(71, "ValueError: card declined", "shop.payments"),
        plain("Ana marked <https://acme.sentry.io/issues/71/?referrer=activity_notification|SHOP-71> as resolved"),
        same=True,
    ),
    Pair(
        "Sentry, same words in another issue",
        sentry_issue(71, "ValueError: card declined", "shop.payments"),
        sentry_issue(99, "ValueError: card declined", "shop.payments"),
        same=False,
    ),
    Pair(
        "Sentry, both forms of address",
        sentry_issue(72, "TimeoutError: no answer", "shop.payments"),
        sentry_legacy(72, "TimeoutError: no answer"),
        same=True,
    ),
    Pair(
        "Sentry, metric",
        sentry_metric("Critical", "Checkout errors", incident=5),
        sentry_metric("Resolved", "Checkout errors", incident=5, color="#4DC771"),
        same=True,
    ),
    Pair(
        "Sentry, another rule",
        sentry_metric("Critical", "Checkout errors", rule=12),
        sentry_metric("Critical", "Checkout errors", rule=13),
        same=False,
    ),
    Pair(
        "PagerDuty, updated",
        pagerduty("Triggered", 4211, "Q1ABC", "refund fails"),
        pagerduty("Resolved", 4211, "Q1ABC", "refund fails: 0 errors", color="2EB886"),
        same=True,
    ),
    Pair(
        "PagerDuty, another incident with the same title",
        pagerduty("Triggered", 4211, "Q1ABC", "refund fails"),
        pagerduty("Triggered", 4212, "Q2ABC", "refund fails"),
        same=False,
    ),
    Pair(
        "Japanese",
        plain("【発生】注文APIのエラー率が高い"),
        plain("【復旧】注文APIのエラー率が高い"),
        same=True,
    ),
    Pair(
        "Spanish",
        plain("🔥 [DISPARADA] Tasa de errores alta: 93 %\nservice: shop"),
        plain("✅ [RESUELTA] Tasa de errores alta: 2 %\nservice: shop"),
        same=True,
    ),
    Pair(
        "Spanish, another service",
        plain("🔥 [DISPARADA] Tasa de errores alta: 93 %\nservice: shop"),
        plain("✅ [RESUELTA] Tasa de errores alta: 2 %\nservice: search"),
        same=False,
    ),
]
