"""Recorded decisions of a home through the maturity gate: `python -m measure.recorded_gate --home DIR`.

Of each pool: when its gate would have opened, how many drafts would have gone out without a press, and how many of
these were wrong. All other conditions of an automatic reply are left aside, so that these are the most.
"""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.adapters.journal import NdjsonJournal
from bot.decide.auto_reply.maturity import judge_maturity
from bot.models.judged_draft import JudgedDraft
from bot.reports.judged_drafts import read_judged_drafts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.judged_draft import Pool

JUDGEMENTS = "judgements.ndjson"


@dataclass(kw_only=True)
class PoolRun:
    """The gate of one pool over all its recorded drafts."""

    pool: Pool
    drafts: int = 0
    """Drafts that the validator passed and a person judged."""
    opened_at: datetime | None = None
    sent: int = 0
    sent_wrong: int = 0
    reason: str = ""
    """The gate's reason at the last draft."""


def run_pools(drafts: Sequence[JudgedDraft]) -> list[PoolRun]:
    """Return each pool's run. At each draft the gate knows the judgements before it only."""
    runs: dict[Pool, PoolRun] = {}
    wrong = {draft.question_key for draft in drafts if draft.is_false_pass}
    ordered = sorted(drafts, key=lambda draft: draft.at)
    seen: set[str] = set()
    for number, draft in enumerate(ordered):
        if draft.verdict != "pass" or draft.question_key in seen:
            continue
        seen.add(draft.question_key)
        run = runs.setdefault(draft.pool, PoolRun(pool=draft.pool))
        maturity = judge_maturity(ordered[:number], draft.pool, now=draft.at)
        run.drafts += 1
        run.reason = maturity.reason
        if maturity.is_open:
            run.opened_at = run.opened_at or draft.at
            run.sent += 1
            run.sent_wrong += draft.question_key in wrong
    return list(runs.values())


async def read_drafts(path: Path) -> list[JudgedDraft]:
    """Read the judged drafts of a home: those of its documents, and of `judgements.ndjson` where it has one."""
    home = Home(path)
    store = Documents(home.state, stop=None)
    threads = [await store.load(thread_id) for thread_id in await store.thread_ids()]
    drafts = read_judged_drafts([thread for thread in threads if thread], await _read_records(home.feedback))
    fields = JudgedDraft.model_fields
    kept = [{key: record[key] for key in fields if key in record} for record in await _read_records(path / JUDGEMENTS)]
    return [*drafts, *map(JudgedDraft.model_validate, kept)]


async def _read_records(path: Path) -> list[dict[str, Any]]:
    journal = NdjsonJournal(path, stop=None)
    records = [record async for record in journal.records()]
    await journal.close()
    return records


def main() -> None:
    """Print a line for each pool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    drafts = asyncio.run(read_drafts(parser.parse_args().home))
    for run in run_pools(drafts):
        opened = f"opened {run.opened_at:%Y-%m-%d}" if run.opened_at else "never opened"
        pool = f"{run.pool.project}, {run.pool.kind}, {run.pool.validator}"
        print(f"{pool}: {run.drafts} drafts, {opened}, {run.sent} sent, {run.sent_wrong} wrong. {run.reason}")  # noqa: T201  # the output
    if not drafts:
        print("No first draft was judged by a validator and a person.")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
