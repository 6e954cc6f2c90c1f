"""Ordinary notices of programs, which are no alerts."""

from __future__ import annotations

from tests.decide.alerts.programs import (
    Json,
    attached,
    datadog,
    grafana,
    plain,
)


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
    "incident of a provider": attached(
        title="[Resolved] Elevated errors", title_link="https://status.provider.example/incidents/x", color="good"
    ),
    "workflow": attached(
        title="CI failed on main", title_link="https://github.com/acme/shop/actions/runs/1", color="danger"
    ),
    "Terraform": plain("Run run-abc *Errored* in workspace prod"),
    "Argo CD, degraded": attached(
        title="Application shop has degraded.", title_link="https://argocd.example/applications/shop"
    ),
    "quality gate": attached(title="[acme/shop] Quality Gate failed", color="#d4333f", text="New issues: 3"),
    "warning": plain("Warning: the office is closed on Friday"),
    "ticket": attached(title="Resolved: printer on floor 2", text="Ticket 12 was resolved by Ben", color="good"),
    "feature flag": plain("Flag `new-checkout` is now *on* for 50% of the users in production"),
}
