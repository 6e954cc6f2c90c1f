"""Section `## Escalation Context` of a prompt (spec 3, *Handoff Context Serialization*)."""

from __future__ import annotations

import logging

import pytest

from bot.escalation.context import MOST_CHARS, render_context
from bot.models.check_result import CheckResult
from bot.models.findings import EvidenceRef
from bot.models.handoff import WatchHandoff
from tests.escalation.builders import handoff
from tests.tools.conftest import make_guard


def check(status: str, number: int = 1, error: str = "timeout") -> CheckResult:
    """A result of a health check."""
    return CheckResult(service=f"api-{number}", check_type="http", status=status, error=error)


def watch(*checks: CheckResult) -> WatchHandoff:
    """A handoff to tier 3 about two services."""
    return WatchHandoff(
        schema_version=1,
        recommended_tier=3,
        services_affected=("api", "queue"),
        check_results=checks or (check("down"),),
        cooldown_state={"api": {"restarts": 2, "until": None}},
        investigation_findings="The disk is full.",
        remediation_attempted="A restart did not help.",
    )


def test_the_section_has_every_field_of_a_question(caplog: pytest.LogCaptureFixture) -> None:
    """As untrusted text, whose long lines are broken instead of cut."""
    reference = EvidenceRef(kind="file", ref="a.py:1", supports_claim="The limit.", quote="LIMIT = 5")
    long = "word " * 1_000 + "the end"
    text = render_context(handoff(findings=long, evidence_refs=(reference,), tried=("docs",)), make_guard())
    assert text.startswith("## Escalation Context\n")
    for part in ("Why did it take so long?", "technical_qa", "the logs of the week before", "- docs", "LIMIT = 5"):
        assert part in text
    assert text.replace("\n", "").count("word ") == 1_000
    assert 'source="handoff"⟧' in text
    assert not caplog.records


def test_the_section_has_every_field_of_a_watch() -> None:
    """Scenario "Tier 3 receives complete investigation context"."""
    text = render_context(watch(check("down"), check("healthy", 2, "")), make_guard())
    for part in (
        "- api\n- queue",
        '"api-1"',
        '"api-2"',
        '"until": null',
        "The disk is full.",
        "A restart did not help.",
    ):
        assert part in text


def test_a_handoff_that_is_too_long_keeps_what_is_not_healthy(caplog: pytest.LogCaptureFixture) -> None:
    """Scenario "Handoff context size limit": a warning says so."""
    healthy = [check("healthy", number, "fine " * 20) for number in range(500)]
    with caplog.at_level(logging.WARNING):
        text = render_context(watch(*healthy, check("degraded", 9_999)), make_guard())
    assert '"api-9999"' in text
    assert '"healthy"' not in text
    assert "handoff context was truncated" in caplog.text


@pytest.mark.parametrize("changes", [{"findings": "found " * 20_000}, {"tried": tuple(map(str, range(20_000)))}])
def test_a_question_that_is_too_long_loses_the_end_of_its_findings(
    changes: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    """And of its attempts; the missing part and the question stay."""
    with caplog.at_level(logging.WARNING):
        text = render_context(handoff(**changes), make_guard())
    assert 20_000 < len(text) < MOST_CHARS + 1_000
    assert "the logs of the week before" in text
    assert "handoff context was truncated" in caplog.text


def test_without_a_handoff_there_is_no_section() -> None:
    """As for a run that the operator started."""
    assert render_context(None, make_guard()) == ""
