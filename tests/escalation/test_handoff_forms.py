"""Form of handoffs (spec 3): what is refused, deleted, and recorded as a critical event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.escalation.folder import RunFolder
from bot.escalation.handoffs import Handoffs, Judgement
from bot.models.check_result import CheckResult
from tests.escalation.builders import FIRST, THREAD, handoff, returned, task
from tests.escalation.life import POLICY
from tests.escalation.test_supervisor import events
from tests.fakes import HandClock

HANDOFF = handoff().model_dump(mode="json")
CHECK = {"service": "caddy", "check_type": "http", "status": "down", "error": "timeout"}
WATCH: dict[str, Any] = {
    "schema_version": 1,
    "recommended_tier": 3,
    "services_affected": ["caddy", "jellyfin"],
    "check_results": [CHECK],
    "cooldown_state": {"caddy": 1},
    "investigation_findings": "The disk is full.",
    "remediation_attempted": "The logs were rotated; it filled up again.",
}


def without(name: str, handed: dict[str, Any] = WATCH) -> str:
    """A handoff that lacks a field."""
    return json.dumps({key: value for key, value in handed.items() if key != name})


def judged(home: Path, text: str) -> Judgement:
    """The judgement on a handoff that a run of tier 2 has left; it is deleted, and no run is saved."""
    folder = RunFolder(home / THREAD)
    folder.save_child(task())
    folder.promote()
    folder.handoff.write_text(text)
    judgement = Handoffs(policy=POLICY, clock=HandClock()).take(folder, task(), returned())
    assert (folder.handoff.exists(), folder.child_task.exists()) == (False, False)
    return judgement


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (without("schema_version"), "watch.schema_version: Field required"),
        (json.dumps(WATCH | {"schema_version": 2}), "watch.schema_version: Input should be 1"),
        (without("services_affected"), "watch.services_affected: Field required"),
        (json.dumps(WATCH | {"services_affected": []}), "watch.services_affected: Tuple should have at least 1 item"),
        (json.dumps(WATCH | {"check_results": []}), "watch.check_results: Tuple should have at least 1 item"),
        (without("cooldown_state"), "watch.cooldown_state: Field required"),
        (without("recommended_tier"), "watch.recommended_tier: Field required"),
        (without("investigation_findings"), "missing for tier 3: investigation_findings"),
        (without("remediation_attempted"), "missing for tier 3: remediation_attempted"),
        (without("missing", HANDOFF), "question.missing: Field required"),
        (json.dumps(HANDOFF | {"recommended_tier": 2}), "it recommends tier 2 after tier 2"),
        (json.dumps(HANDOFF | {"kind": "order"}), "Input tag 'order' found using 'kind' does not match"),
        ("[]", "Input should be a valid dictionary"),
        (json.dumps(HANDOFF | {"thread_id": "T0-C0-9.000001"}), "it is about the thread T0-C0-9.000001"),
    ],
)
def test_an_invalid_handoff_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, error: str) -> None:
    """Scenarios "Invalid handoff file rejected" and "Critical event on handoff validation failure"."""
    judgement = judged(tmp_path, text)
    ((level, message),) = events(caplog)
    assert level == "critical"
    assert message.startswith("Escalation blocked: invalid handoff from tier 2 — ")
    assert error in message
    assert (judgement.next_tier, error in judgement.refusal) == (None, True)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "expected JSON: "),
        (" ", "expected JSON: "),
        ("[" * 20_000, "expected JSON: "),
    ],
)
def test_an_unreadable_handoff_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, error: str
) -> None:
    """Scenario "Critical event on handoff read failure": the event is one of the session of the tier that ended."""
    judgement = judged(tmp_path, text)
    (record,) = caplog.records
    assert record.levelname == "CRITICAL"
    assert record.getMessage().startswith(f"Escalation blocked: could not read handoff from tier 2 — {error}")
    assert record.__dict__["session"] == FIRST
    assert (judgement.next_tier, error in judgement.refusal) == (None, True)


@pytest.mark.parametrize("changes", [{"service": ""}, {"check_type": "ping"}, {"status": "unknown"}, {"error": None}])
def test_a_check_result_has_its_fields(changes: dict[str, Any]) -> None:
    """Scenario "Check result object structure": the response time alone may be missing."""
    assert CheckResult.model_validate(CHECK | {"response_time_ms": 12}).response_time_ms == 12
    assert CheckResult.model_validate(CHECK).response_time_ms is None
    with pytest.raises(ValidationError):
        CheckResult.model_validate(CHECK | changes)
    for name in CHECK:
        with pytest.raises(ValidationError, match=name):
            CheckResult.model_validate({key: value for key, value in CHECK.items() if key != name})
