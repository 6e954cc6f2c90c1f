"""Alerts with their program and state, pairs of notifications, and ordinary notices, which are no alerts."""

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


class Pair(NamedTuple):
    """Two notifications, and whether they are of one alert."""

    name: str
    first: Json
    second: Json
    same: bool


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


def _github(title: str, path: str) -> Json:
    return attached(
        title=title,
        title_link=f"https://github.com/acme/shop/{path}",
        fallback=title,
        color="#24292f",
        footer="acme/shop",
    )


NOTICES = {
    "deploy": plain("Deployed shop 2.14.0 to production in 3m 12s :rocket:"),
    "deploy with a colour": attached(
        title="Deployment of shop succeeded", color="good", fields=[{"title": "Environment", "value": "prod"}]
    ),
    "deploy failed": attached(title="Deployment of shop failed", color="danger", text="step 3 of 5: migrate"),
    "deploy started": plain(":arrow_forward: Ana started a deploy of `shop` (abc1234) to staging"),
    "Argo CD": attached(
        title="shop",
        title_link="https://argocd.example/applications/shop",
        color="#18be52",
        text="is now running new version",
        fields=[{"title": "Sync Status", "value": "Synced"}],
    ),
    "rollback": plain("Rollback of shop to 2.13.9 finished"),
    "Jenkins": attached(
        title="shop » main - #412 Back to normal after 12 min",
        title_link="https://jenkins.example/job/shop/412/",
        color="good",
    ),
    "Jenkins failure": attached(
        fallback="shop #413 FAILURE",
        text="shop - #413 FAILURE after 3 min (<https://jenkins.example/job/shop/413|Open>)",
        color="danger",
    ),
    "CircleCI": plain("*Failed*: build #98 of acme/shop (main)\n<https://circleci.com/gh/acme/shop/98|see it>"),
    "GitLab pipeline": attached(
        title="Pipeline #5512 has failed in 03:11",
        title_link="https://gitlab.example/acme/shop/-/pipelines/5512",
        color="danger",
        fields=[{"title": "Stage", "value": "test"}],
    ),
    "Buildkite": attached(
        title="Build #77 passed", title_link="https://buildkite.com/acme/shop/builds/77", color="good"
    ),
    "tests": plain("[FAILED] 3 of 1204 tests failed on main\nsuite: payments"),
    "pull request": _github("Pull request opened by ana: #12 Raise RETRY_LIMIT", "pull/12"),
    "merged": _github("[acme/shop] Pull request merged: #12 Raise RETRY_LIMIT", "pull/12"),
    "issue closed": _github("[acme/shop] Issue closed: #7 Orders are lost", "issues/7"),
    "issue resolved": _github("[Resolved] #7 Orders are lost", "issues/7"),
    "release": _github("Release 2.14.0 published", "releases/tag/2.14.0"),
    "review": plain("ana requested your review on <https://github.com/acme/shop/pull/12|#12>"),
    "Dependabot": _github("Bump urllib3 from 2.0.1 to 2.0.7", "pull/13"),
    "Jira": attached(
        title="SHOP-12 Orders are lost",
        title_link="https://acme.atlassian.net/browse/SHOP-12",
        text="Status: *Resolved*",
        color="good",
    ),
    "Jira resolved": plain("Ana resolved <https://acme.atlassian.net/browse/SHOP-12|SHOP-12 Orders are lost>"),
    "Jira, critical": attached(
        title="[Critical] SHOP-13 Refunds fail", title_link="https://acme.atlassian.net/browse/SHOP-13", color="danger"
    ),
    "Linear": plain("Ben closed <https://linear.app/acme/issue/ENG-4|ENG-4>: alert on low stock"),
    "calendar": plain('Alert: your meeting "Incident review" starts in 10 minutes'),
    "on call": attached(title="Ana is now on call for shop", title_link="https://acme.pagerduty.com/schedules/PX1"),
    "maintenance": plain("Scheduled maintenance of the database on Sunday, 02:00 UTC"),
    "poll": plain("Where shall we eat? :pizza: 3, :ramen: 5"),
    "welcome": plain("Welcome <@U0BEN>! Please read the channel's topic."),
    "Sentry weekly": attached(
        title="Weekly report for acme",
        title_link="https://acme.sentry.io/organizations/acme/issues/?query=is:unresolved",
    ),
    "Sentry comment": plain(
        "Ana commented on <https://acme.sentry.io/issues/71/?referrer=slack|SHOP-71>: looks like the limit"
    ),
    "Sentry deploy": attached(
        title="Version 2.14.0 was deployed to prod",
        title_link="https://acme.sentry.io/releases/2.14.0/",
        color="#4674ca",
    ),
    "Datadog snapshot": datadog(
        "Ana shared a snapshot of Orders per minute",
        link="https://app.datadoghq.com/dashboard/abc-def",
        color="#632CA6",
    ),
    "Grafana report": grafana("Weekly report: Orders", firing=False, link="d/hZ7/orders"),
    "status word in a sentence": plain("The nightly import is up to date; 0 problems, 3 warnings."),
    "support ticket": attached(
        title="Ticket 8812 was updated",
        title_link="https://acme.zendesk.com/agent/tickets/8812",
        text="Status: Open\nPriority: High",
        color="#ff0000",
    ),
    "feature flag": plain("Flag `new-checkout` is now *on* for 50% of the users in production"),
}
