"""Alerts in many forms, with their program and state."""

from __future__ import annotations

from typing import NamedTuple

from bot.models.alert import AlertSource, AlertState
from tests.decide.alerts.programs import (
    Json,
    alertmanager,
    attached,
    blocks_of,
    datadog,
    grafana,
    grafana_list,
    monitor,
    pagerduty,
    pagerduty_legacy,
    plain,
    sentry_issue,
    sentry_legacy,
    sentry_metric,
)


class Case(NamedTuple):
    """A message, and what it says."""

    name: str
    message: Json
    source: AlertSource
    state: AlertState


SHOP = {"alertname": "HighErrorRate", "instance": "web-1", "service": "shop"}
OTHER = {"alertname": "HighErrorRate", "instance": "web-2", "service": "shop"}

CASES = [
    # Alertmanager
    Case("default", alertmanager("[FIRING:1] HighErrorRate shop (critical web-1 prod)"), "alertmanager", "firing"),
    Case(
        "default resolved",
        alertmanager("[RESOLVED] HighErrorRate shop (critical)", firing=False),
        "alertmanager",
        "resolved",
    ),
    Case("group without labels", alertmanager("[FIRING:3]  (HighErrorRate prometheus/k8s)"), "alertmanager", "firing"),
    Case("emoji in title", alertmanager("[FIRING:2] :fire: HighErrorRate"), "alertmanager", "firing"),
    Case(
        "both states",
        alertmanager("[FIRING:1|RESOLVED:2] HighErrorRate", text="*Alert:* Error rate\n*Severity:* `critical`"),
        "alertmanager",
        "firing",
    ),
    Case(
        "no link",
        attached(
            title="[FIRING:1] HighErrorRate", text="*Instance:* `web-1`\n*Description:* rate is 5%", color="danger"
        ),
        "other",
        "firing",
    ),
    Case("prefix", alertmanager("FIRING: HighErrorRate"), "alertmanager", "firing"),
    Case(
        "check mark",
        alertmanager(":white_check_mark: RESOLVED: HighErrorRate", firing=False),
        "alertmanager",
        "resolved",
    ),
    Case("colour only", alertmanager("HighErrorRate on shop", text="rate is 5 %"), "alertmanager", "firing"),
    Case("colour only, resolved", alertmanager("HighErrorRate on shop", firing=False), "alertmanager", "resolved"),
    Case("severity first", alertmanager("[CRITICAL] [FIRING:1] HighErrorRate"), "alertmanager", "firing"),
    Case("word for ok", alertmanager(":white_check_mark: OK HighErrorRate", firing=False), "alertmanager", "resolved"),
    # Grafana
    Case(
        "unified",
        grafana("[FIRING:1] HighErrorRate shop (web-1)", text=grafana_list("Firing", SHOP)),
        "grafana",
        "firing",
    ),
    Case(
        "unified both",
        grafana("[FIRING:1, RESOLVED:1] HighErrorRate", text=grafana_list("Firing", SHOP)),
        "grafana",
        "firing",
    ),
    Case(
        "unified resolved",
        grafana("[RESOLVED] HighErrorRate shop (web-1)", firing=False, text=grafana_list("Resolved", SHOP)),
        "grafana",
        "resolved",
    ),
    Case(
        "legacy",
        grafana("[Alerting] Orders per minute alert", link="d/hZ7/orders?tab=alert&panelId=2"),
        "grafana",
        "firing",
    ),
    Case(
        "legacy ok",
        grafana("[OK] Orders per minute alert", firing=False, link="d/hZ7/orders?panelId=2"),
        "grafana",
        "resolved",
    ),
    Case(
        "legacy no data",
        grafana("[No Data] Orders per minute alert", link="d/hZ7/orders?panelId=2"),
        "grafana",
        "firing",
    ),
    Case("folder", grafana(":red_circle: [FIRING x 2] Shop > HighErrorRate"), "grafana", "firing"),
    Case("custom", grafana(":fire: [FIRING 2] HighErrorRate", text="*Summary*: requests fail"), "grafana", "firing"),
    # Datadog
    Case(
        "scope",
        datadog("[Triggered on {host:web-1}] CPU is high", link=monitor(4711, "host%3Aweb-1")),
        "datadog",
        "firing",
    ),
    Case("recovered", datadog("[Recovered on {host:web-1}] CPU is high", color="#2EB886"), "datadog", "resolved"),
    Case("priority", datadog("[P2] [Re-Triggered on {service:shop,env:prod}] Errors"), "datadog", "firing"),
    Case("warn", datadog("[Warn] Queue depth grows", color="#DAA038"), "datadog", "firing"),
    Case("no data", datadog("[No data on {host:web-1}] CPU is high", color="#77A0C8"), "datadog", "firing"),
    Case("colon", datadog("Triggered: CPU is high on host:web-1"), "datadog", "firing"),
    Case("colon recovered", datadog("Recovered: CPU is high on host:web-1", color="#2EB886"), "datadog", "resolved"),
    Case(
        "event link",
        datadog("[Triggered] Errors", link="https://app.datadoghq.eu/event/event?id=6"),
        "datadog",
        "firing",
    ),
    # Sentry
    Case("issue", sentry_issue(71, "ValueError: card declined", "shop.payments in charge"), "sentry", "firing"),
    Case(
        "issue again",
        sentry_issue(71, "ValueError: card declined", "shop.payments", state="Regressed"),
        "sentry",
        "firing",
    ),
    Case(
        "issue resolved in place",
        sentry_issue(71, "ValueError: card declined", "shop.payments", after="*Issue resolved by* <@U0ANA>"),
        "sentry",
        "resolved",
    ),
    Case(
        "issue state",
        sentry_issue(71, "ValueError: card declined", "shop.payments", state="Resolved"),
        "sentry",
        "resolved",
    ),
    Case("legacy issue", sentry_legacy(72, "TimeoutError: no answer"), "sentry", "firing"),
    Case(
        "marked",
        plain("Ana marked <https://acme.sentry.io/issues/71/?referrer=activity_notification|SHOP-71> as resolved"),
        "sentry",
        "resolved",
    ),
    Case("metric", sentry_metric("Critical", "Checkout errors"), "sentry", "firing"),
    Case("metric warning", sentry_metric("Warning", "Checkout errors", color="#FAD473"), "sentry", "firing"),
    Case("metric resolved", sentry_metric("Resolved", "Checkout errors", color="#4DC771"), "sentry", "resolved"),
    # PagerDuty
    Case("triggered", pagerduty("Triggered", 4211, "Q1ABC", "refund fails"), "pagerduty", "firing"),
    Case(
        "acknowledged",
        pagerduty("Acknowledged", 4211, "Q1ABC", "refund fails", color="FFA500"),
        "pagerduty",
        "acknowledged",
    ),
    Case("resolved", pagerduty("Resolved", 4211, "Q1ABC", "refund fails", color="2EB886"), "pagerduty", "resolved"),
    Case("number in brackets", pagerduty("Triggered |", 4211, "Q1ABC", "refund fails"), "pagerduty", "firing"),
    Case("legacy triggered", pagerduty_legacy("Triggered", 9, "PABC123", "disk full"), "pagerduty", "firing"),
    Case("legacy resolved", pagerduty_legacy("Resolved", 9, "PABC123", "disk full"), "pagerduty", "resolved"),
    Case(
        "resolved with a note",
        pagerduty(
            "Resolved", 4211, "Q1ABC", "refund fails", color="2EB886", extra="Resolved by Ana through the website"
        ),
        "pagerduty",
        "resolved",
    ),
    # Further templates
    Case("circle in brackets", alertmanager("[FIRING\U0001f534] HighErrorRate"), "alertmanager", "firing"),
    Case("state in lower case", alertmanager("[firing] HighErrorRate"), "alertmanager", "firing"),
    Case(
        "word for firing",
        alertmanager("\U0001f525 Alert: HighErrorRate", text="*Machine*: a"),
        "alertmanager",
        "firing",
    ),
    Case("summary as title", alertmanager("Error rate of shop above 5%", text="it is 7.2%"), "alertmanager", "firing"),
    Case("counts only", grafana("1 firing alerts, 0 resolved alerts", text="[firing] Errors"), "grafana", "firing"),
    Case(
        "recovered from no data", datadog("Recovered from No Data: CPU is high", color="#2EB886"), "datadog", "resolved"
    ),
    Case(
        "another site", datadog("Re-Triggered: Errors", link=monitor(9, site="us5.datadoghq.com")), "datadog", "firing"
    ),
    Case("ignored", plain("Ana marked <https://acme.sentry.io/issues/7/|SHOP-7> as ignored"), "sentry", "acknowledged"),
    Case("Zabbix", attached(title="Problem: High CPU", text="Host: web-1\nSeverity: High"), "other", "firing"),
    Case(
        "Zabbix resolved",
        attached(title="Resolved in 5m: High CPU", text="Host: a\nSeverity: High"),
        "other",
        "resolved",
    ),
    Case("critical", plain("CRITICAL: HighErrorRate\nservice: shop\nseverity: critical"), "other", "firing"),
    Case(
        "on call",
        attached(
            blocks=blocks_of("*<https://oncall.example/a/grafana-oncall-app/alert-groups/I1|#12 [FIRING] Errors>*")
        ),
        "grafana",
        "firing",
    ),
    # Custom templates, in several languages
    Case(
        "German",
        attached(title="[AUSGELÖST] Fehlerrate hoch", text="*Instance:* web-1\n*Severity:* kritisch"),
        "other",
        "firing",
    ),
    Case("German resolved", attached(title="[BEHOBEN] Fehlerrate hoch", text="*Instance:* web-1"), "other", "resolved"),
    Case("Spanish", plain("🔥 [DISPARADA] Tasa de errores alta\nservice: shop"), "other", "firing"),
    Case("Spanish resolved", plain("✅ [RESUELTA] Tasa de errores alta\nservice: shop"), "other", "resolved"),
    Case("French", attached(title="[DÉCLENCHÉE] Taux d'erreur élevé", color="#ff0000"), "other", "firing"),
    Case("Japanese", plain("【発生】注文APIのエラー率が高い"), "other", "firing"),
    Case("Japanese resolved", plain("【復旧】注文APIのエラー率が高い"), "other", "resolved"),
    Case("Korean", plain("[\ubc1c\uc0dd] \uc8fc\ubb38 \uc624\ub958\uc728"), "other", "firing"),
    Case("Turkish", plain("[\u00c7\u00d6Z\u00dcLD\u00dc] Hata oran\u0131 y\u00fcksek"), "other", "resolved"),
    Case(
        "Persian",
        plain("[\u0628\u0631\u0637\u0631\u0641 \u0634\u062f] \u062e\u0637\u0627\u06cc \u0633\u0641\u0627\u0631\u0634"),
        "other",
        "resolved",
    ),
    Case("Chinese", plain("【已恢复】订单接口错误率过高"), "other", "resolved"),
    Case("Portuguese", attached(title="[RESOLVIDO] Taxa de erro alta", color="good"), "other", "resolved"),
    Case("Russian", attached(title="[РЕШЕНО] Высокая доля ошибок", color="good"), "other", "resolved"),
    Case(
        "capitals",
        plain(":rotating_light: *FIRING*: HighErrorRate\nseverity: critical\nservice: shop"),
        "other",
        "firing",
    ),
    Case(
        "header block",
        {
            "text": "alert",
            "blocks": [
                {"type": "header", "text": {"type": "plain_text", "text": "🔴 [FIRING] HighErrorRate"}},
                *blocks_of("*Service:* shop\n*Severity:* critical"),
            ],
        },
        "other",
        "firing",
    ),
]
