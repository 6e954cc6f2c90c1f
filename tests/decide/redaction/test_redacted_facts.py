"""Redacted copies of facts: always valid, with a secret in any of their texts."""

from __future__ import annotations

from bot.decide.redaction.redacted_facts import redact_fact
from bot.decide.redaction.redactor import Redactor
from bot.models.alert import Alert
from bot.models.findings import EngineReport
from bot.models.incident import ProposedRunbook
from tests.builders import findings
from tests.decide.unhealthy import collecting, proposed, remedy, result

SECRET = "tr0ub" + "4dr"
SECRETS = " ".join([SECRET] * 80)
"""Too long for a title, and for a reason, once each of them is redacted."""
REDACTOR = Redactor([SECRET])


def test_a_text_that_becomes_too_long_is_cut() -> None:
    """The whole of a model's report stays, and no secret is in it."""
    wish = ProposedRunbook(name="restart", reason=SECRETS[:500])
    report = EngineReport(project="shop", engine="model", findings=findings(proposed_runbook=wish))
    safe = redact_fact(report, REDACTOR)
    assert safe.findings.proposed_runbook
    assert len(safe.findings.proposed_runbook.reason) == 500
    assert safe.findings.proposed_runbook.reason.endswith("[redacted] [red…")
    alert = Alert(source="grafana", state="firing", title=SECRETS[:300], fingerprint="f", group="g")
    assert len(redact_fact(alert, REDACTOR).title) == 300
    assert safe.findings.draft_reply == report.findings.draft_reply
    assert SECRET not in safe.model_dump_json()


def test_a_document_full_of_secrets_can_be_shown() -> None:
    """Checks, reasons and drafts full of a short secret are redacted, whatever their limits."""
    thread = proposed(checks=(result(error=SECRETS), result("shop", error=SECRETS)))
    assert thread.incident
    thread = thread.evolve(
        incident=thread.incident.evolve(remedies=(remedy(reason=SECRETS, output=SECRETS),)),
        messages=tuple(each.evolve(content=SECRETS) for each in thread.messages),
    )
    safe = redact_fact(thread, REDACTOR)
    assert (safe.status, safe.incident is not None) == (thread.status, True)
    assert SECRET not in safe.model_dump_json()


def test_a_secret_that_is_a_word_of_code_leaves_the_document_valid() -> None:
    """A password may be the name of a status; texts lose it all the same."""
    thread = collecting(checks=(result(error="the state is collecting"),))
    safe = redact_fact(thread, Redactor(["collecting"]))
    assert safe.status == "collecting"
    assert safe.incident
    assert safe.incident.checks[0].error == "the state is [redacted]"


def test_a_fact_without_a_secret_is_the_same() -> None:
    """Nothing is copied."""
    thread = collecting()
    assert redact_fact(thread, REDACTOR) is thread
