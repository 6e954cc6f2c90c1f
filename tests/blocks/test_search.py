"""What a card shows where a search found nothing."""

from __future__ import annotations

from blocks.search import build_search_result
from bot.decide.alerts import read_alert
from bot.models.alert import begin_record
from tests.builders import at, findings, reference
from tests.decide import test_workflow as story
from tests.decide.alerts.programs import alertmanager

COMMIT = reference(
    kind="git_commit", ref="0123456789ab", quote=None, supports_claim="0123456789ab  2026-01-15  Ana  Raise <!here> `x`"
)


def shown(*, is_alert: bool) -> str:
    """The text of the card."""
    alert = read_alert(alertmanager("[FIRING:1] Refunds"))
    assert alert
    record = begin_record(alert, "100.000001", at()) if is_alert else None
    given = findings(evidence_refs=(COMMIT, reference()))
    thread = story.pending().evolve(alert=record, investigator_return=given)
    (block,) = build_search_result(thread, 200)
    return str(block["text"]["text"])


def test_an_alerts_recent_commits_come_before_what_is_nearest() -> None:
    """With day, author and subject, as code, in which nothing is markup."""
    rows = shown(is_alert=True).splitlines()
    assert rows[1:] == [
        "*Changed lately in the code that the alert names:*",
        "• `0123456789ab 2026-01-15 Ana Raise &lt;!here&gt;  x `",
        "Nearest, perhaps about something else: `bot/a.py:1`.",
    ]


def test_other_commits_stay_among_the_nearest_places() -> None:
    """Without an alert they are references as any."""
    assert "Nearest, perhaps about something else: `0123456789ab`, `bot/a.py:1`." in shown(is_alert=False)
