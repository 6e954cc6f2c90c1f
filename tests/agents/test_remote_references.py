"""References to logs: they stand where the run's own record holds the quoted lines, and nowhere else."""

from __future__ import annotations

import pytest

from bot.agents.remote_references import check_recorded
from bot.tools.read_log import ReadLog, ServerAnswer
from tests.builders import findings, reference

ANSWERS = [
    ServerAnswer("logs_query", "10:01 error: timeout of the mirror\n10:02 error: timeout of the mirror, 3 times"),
    ServerAnswer("texts_query", "key [redacted] was re\u0301voked  \n[[end]]\u00a0of the log\n" + "x" * 1_000 + "…\n…"),
    ServerAnswer("metrics_query", "rate 0.25\n  job:\n    a: 1"),
]


@pytest.mark.parametrize(
    ("ref", "quote", "result", "why"),
    [
        ("logs_query errors", "10:02 error: timeout of the mirror, 3 times", "ok", "the answer of logs_query"),
        ("errors since ten", "rate 0.25", "ok", "the answer of metrics_query"),
        ("errors", "timeout of the mirror\n10:02 error", "ok", "logs_query"),
        (
            "texts_query",
            "key [redacted] was re\u0301voked  \n[[end]]\u00a0of the log",
            "ok",
            "the answer of texts_query",
        ),
        ("texts_query", "key [redacted] was r\u00e9voked\n[[end]] of the log", "ok", "the answer of texts_query"),
        ("texts_query", "x" * 1_000 + "…", "ok", "the answer of texts_query"),
        ("texts_query", "x" * 1_000, "ok", "the answer of texts_query"),
        ("texts_query", "x" * 1_001, "failed", "no answer of a tool in this run"),
        ("texts_query", "key [redacted] was revoked", "failed", "no answer of a tool in this run"),
        ("metrics_query", "job:\n  a: 1", "ok", "the answer of metrics_query"),
        ("metrics_query", "job:\na: 1", "failed", "no answer of a tool in this run"),
        ("logs_query errors", "rate 0.25", "failed", "no answer of a tool in this run"),
        ("errors", "10:03 error: timeout", "failed", "no answer of a tool in this run"),
        ("errors", "timeout of the mirr", "failed", "no answer of a tool in this run"),
        ("errors", None, "failed", "no quote"),
        ("errors", " \n", "failed", "no quote"),
        ("errors", "10:0", "failed", "6 characters"),
    ],
)
def test_a_quote_must_stand_in_what_a_tool_answered(ref: str, quote: str | None, result: str, why: str) -> None:
    """In the tool that the reference names, where it names one; word for word."""
    made = findings(evidence_refs=(reference(), reference(kind="log_query", ref=ref, quote=quote)))
    (check,) = check_recorded(made, ReadLog(answers=ANSWERS))
    assert (check.ref, check.result) == (ref, result)
    assert why in check.reason
    assert check.reason.startswith("from the run's record: ") is (result == "ok")


def test_a_log_that_nobody_asked_for_has_failed() -> None:
    """However well it is quoted."""
    made = findings(evidence_refs=(reference(kind="log_query", ref="errors", quote="10:01 error: timeout"),))
    (check,) = check_recorded(made, ReadLog())
    assert (check.result, check.reason) == ("failed", "no tool of another server answered in this run")
