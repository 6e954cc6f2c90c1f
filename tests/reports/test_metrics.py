"""The figures of the last days, by table and from files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.edges.journal import NdjsonJournal
from bot.models.happening import Due
from bot.models.thread import Thread
from bot.reports.metrics import count, gather, lines
from tests.builders import T0, added, at, found, fresh, moved, validated
from tests.fakes import MemoryStore


def press(action: str, result: str = "done", **more: Any) -> dict[str, Any]:
    """A line of the audit for a button."""
    return {"action": action, "result": result, "channel_id": "D0OPS", "at": T0.isoformat(), **more}


def dialog(action: str, result: str = "done") -> dict[str, Any]:
    """A line of the audit for a dialog."""
    return {"action": action, "result": result, "at": T0.isoformat()}


def drafted(minutes: float, **changes: Any) -> Thread:
    """A thread whose draft came so long after its question."""
    thread = moved(None, added())
    thread = moved(thread, Due(at=at(2), fresh=fresh()))
    thread = moved(thread, found(thread, seconds=3))
    thread = moved(thread, validated(thread, seconds=minutes * 60))
    return thread.evolve(card=thread.card.evolve(channel="D0OPS", ts="1.1"), **changes)


def test_each_figure_counts_what_it_says() -> None:
    """A button that opens a dialog is no edit yet; what was refused is no decision; commands are none either."""
    figures = count(
        days=7,
        classified=[{"classification": name} for name in ("actionable", "ambient", "ambient", "ack", None)],
        audit=[
            press("approve"),
            press("approve", "Only an operator can decide this."),
            press("post_anyway"),
            press("edit"),
            dialog("edit"),
            dialog("edit", "Please write something."),
            press("bounce"),
            dialog("bounce"),
            press("redraft"),
            press("dismiss"),
            dialog("dismiss"),
            press("stop", kind="command"),
            {},
        ],
        replies=[
            {"reply_to_message_id": f"{T0.timestamp():.6f}", "posted_at": (T0 + timedelta(minutes=12)).isoformat()},
            {"posted_at": "never"},
        ],
        threads=[
            drafted(4, user_approved_at=at(10 * 60)),
            drafted(6, outcome="expired"),
            moved(None, added()),
        ],
    )
    assert figures.messages == {"actionable": 1, "ambient": 2, "ack": 1}
    assert (figures.approvals, figures.edits, figures.bounces, figures.redrafts, figures.dismissals) == (2, 1, 1, 1, 1)
    assert (figures.cards, figures.expiries, figures.replies) == (2, 1, 2)
    assert (figures.to_draft, figures.to_decision, figures.to_reply) == (5.0, 6.0, 12.0)
    assert "question to reply 12" in lines(figures)[-1]


def test_nothing_at_all_has_no_median() -> None:
    """And says so."""
    figures = count(days=1, classified=(), audit=(), replies=(), threads=())
    assert figures.to_reply is None
    assert lines(figures)[0].startswith("In the last day: 0 messages")
    assert "question to draft unknown" in lines(figures)[-1]


async def test_what_is_older_is_not_counted(tmp_path: Path) -> None:
    """Neither a record from before these days nor a thread that began before them."""
    names = {"classified": "classified_at", "audit": "at", "replies": "posted_at"}
    journals = {name: NdjsonJournal(tmp_path / f"{name}.ndjson", on_broken=[].append) for name in names}
    for days in (9, 8, 1):
        moment = (T0 - timedelta(days=days)).isoformat()
        for name, key in names.items():
            record = press("approve") if name == "audit" else {"classification": "ack"}
            await journals[name].append({**record, key: moment})
    store = MemoryStore()
    await store.save(drafted(4))
    figures = await gather(**journals, store=store, days=7, now=T0)
    assert (figures.messages["ack"], figures.approvals, figures.replies, figures.cards) == (1, 1, 1, 0)
    for journal in journals.values():
        await journal.close()
