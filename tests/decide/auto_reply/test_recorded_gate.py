"""Recorded decisions through the maturity gate."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from bot.adapters.documents import Documents
from bot.models.judged_draft import JudgedDraft
from bot.models.thread_event import Approve
from measure.auto_reply import MONDAY
from measure.recorded_gate import JUDGEMENTS, read_drafts, run_pools
from tests.decide.auto_reply.test_judgements import drafted, judged, press
from tests.decide.auto_reply.test_maturity import POOL


def recorded(days: float, number: int, *, is_wrong: bool = False) -> JudgedDraft:
    """A first draft that was judged so many days after a Monday."""
    return JudgedDraft(
        question_id=f"T-C-{number}.1/1",
        pool=POOL,
        at=MONDAY + timedelta(days=days),
        verdict="pass",
        judgement="edited" if is_wrong else "approved",
    )


def test_what_would_have_gone_out_is_counted() -> None:
    """The gate opens after four weeks, and closes with the first false pass; replays are one draft."""
    drafts = [recorded(day + n / 10, 10 * day + n) for day in range(40) for n in range(6)]
    drafts += [recorded(30.05, 9_000, is_wrong=True), *drafts[:50]]
    (run,) = run_pools(drafts)
    assert (run.drafts, run.opened_at) == (241, MONDAY + timedelta(days=28))
    assert (run.sent, run.sent_wrong) == (2 * 6 + 2, 1)
    assert "67 more are needed" in run.reason
    assert run_pools([]) == []


async def test_a_home_is_read(tmp_path: Path) -> None:
    """Its documents, and the journal of judgements."""
    thread = press(drafted(), Approve)
    await Documents(tmp_path / "state", stop=None).save(thread)
    line = {**recorded(1, 7).model_dump(mode="json"), "by": "U0OPS", "received_at": MONDAY.isoformat()}
    (tmp_path / JUDGEMENTS).write_text(json.dumps(line) + "\n")
    assert await read_drafts(tmp_path) == [judged(thread), recorded(1, 7)]
