"""The figures of the last days, by table and from files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.journal import NdjsonJournal
from bot.models.session import CHECKS_AGENT, Session
from bot.models.thread import Thread
from bot.models.thread_event import Due
from bot.reports.metrics import Figures, Sources, count_figures, format_figures, gather
from bot.reports.metrics_table import rows
from tests.builders import CHANNEL, T0, added, at, check, found, fresh, moved, validated, validator
from tests.fakes import MemorySessions, MemoryStore


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


def run(*, days: float = 0, usd: float | None = 0.25) -> Session:
    """A run of an agent, so many days ago."""
    started = T0 - timedelta(days=days)
    name = f"{started:%Y%m%dT%H%M%S}-{fresh()}"
    values: dict[str, Any] = {"agent": "investigator", "model": "m", "started_at": started, "saved_at": started}
    return Session(session_id=name, cost_usd=usd, outcome="answered", **values)


def judged(word: str | None, *, again: str | None = None) -> Thread:
    """A thread whose first draft the validator has judged so, or code alone; and the second one, if there is one."""
    thread = moved(moved(None, added()), Due(at=at(2), fresh=fresh()))
    for said in (word, again) if again else (word,):
        thread = moved(thread, found(thread))
        returned = validator(verdict=said) if said else None
        checks = (check("ok" if said else "failed"),)
        thread = moved(thread, validated(thread, *checks, validator_return=returned))
    return thread


def of(threads: list[Thread]) -> Figures:
    """The figures of these threads alone."""
    return count_figures(days=7, since=T0, threads=threads)


def test_each_figure_counts_what_it_says() -> None:
    """A button that opens a dialog is no edit yet; what was refused is no decision; commands are none either."""
    figures = count_figures(
        days=7,
        since=T0,
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
            {"posted_at": "never", "engine": "answered before"},
        ],
        threads=[
            drafted(4, user_approved_at=at(10 * 60)),
            drafted(6, outcome="expired"),
            drafted(5, outcome="practice"),
            moved(None, added()),
        ],
    )
    assert figures.messages == {"actionable": 1, "ambient": 2, "ack": 1}
    assert (figures.approvals, figures.edits, figures.bounces, figures.redrafts, figures.dismissals) == (2, 1, 1, 1, 1)
    assert (figures.cards, figures.expiries, figures.practice, figures.replies) == (3, 1, 1, 2)
    assert (figures.to_draft, figures.to_decision, figures.to_reply) == (5.0, 6.0, 12.0)
    assert "question to reply 12" in format_figures(figures)[-1]
    assert "2 replies, 1 of them answered before." in format_figures(figures)[0]


def test_the_table_names_every_figure_once() -> None:
    """With the values of the lines, in at most 98 rows."""
    shown = rows(count_figures(days=1, since=T0, replies=[{"posted_at": "never", "engine": "answered before"}]))
    named = dict(shown)
    assert len(named) == len(shown) < 98
    assert (named["Replies"], named["Replies answered before"], named["Cost"]) == ("1", "1", "$0.00")


def test_nothing_at_all_has_no_median() -> None:
    """And says so."""
    figures = count_figures(days=1, since=T0)
    assert dict(rows(figures))["Minutes from question to draft, median"] == "unknown"
    assert figures.to_reply is None
    assert format_figures(figures)[0].startswith("In the last day: 0 messages")
    assert "question to draft unknown" in format_figures(figures)[-1]


async def test_what_is_older_is_not_counted(tmp_path: Path) -> None:
    """Neither a record from before these days nor a thread that began before them."""
    names = {"classified": "classified_at", "audit": "at", "replies": "posted_at", "feedback": "at", "labels": "at"}
    journals = {name: NdjsonJournal(tmp_path / f"{name}.ndjson", stop=None) for name in names}
    for days in (9, 8, 1):
        moment = (T0 - timedelta(days=days)).isoformat()
        for name, key in names.items():
            record = press("approve") if name == "audit" else {"classification": "ack"}
            record |= {"vote": "up", "by": f"U{days}"} if name == "feedback" else {}
            await journals[name].append({**record, key: moment})
    store = MemoryStore()
    await store.save(drafted(4))
    checks = run(days=1).evolve(agent=CHECKS_AGENT)  # no run of an agent on a model
    sources = Sources(**journals, store=store, sessions=MemorySessions(run(days=9), run(days=6.9), checks))
    figures = await gather(sources, days=7, now=T0)
    assert (figures.messages["ack"], figures.approvals, figures.replies, figures.cards) == (1, 1, 1, 0)
    assert figures.feedback["up"] == 1
    assert (figures.runs, figures.labels) == (1, 0)
    for journal in journals.values():
        await journal.close()


def test_the_first_draft_of_each_question_counts_for_the_validator() -> None:
    """What it said of the second one does not, and what code sent back before it is told apart."""
    threads = [judged("pass"), judged("bounce", again="pass"), judged("escalate"), judged(None)]
    figures = of(threads)
    assert figures.first_drafts == {"pass": 1, "bounce": 1, "escalate": 1}
    assert figures.sent_back_by_code == 1
    assert figures.first_round_pass_rate is None
    assert "1 pass, 1 bounce, 1 escalate; too few for a rate" in "\n".join(format_figures(figures))
    late = count_figures(days=7, since=at(60), threads=threads)
    assert sum(late.first_drafts.values()) == 0
    assert "no validator has judged one" in "\n".join(format_figures(late))


@pytest.mark.parametrize(
    ("passes", "others", "warning"),
    [
        (9, 0, None),
        (10, 0, "rubber stamp"),
        (19, 1, "strict enough"),
        (9, 1, None),
        (6, 4, None),
        (5, 5, "too strict"),
    ],
)
def test_a_pass_rate_outside_its_bounds_is_warned_of(passes: int, others: int, warning: str | None) -> None:
    """From 60 to 90 % nothing is said; of too few drafts neither."""
    figures = of([*(judged("pass") for _ in range(passes)), *(judged("escalate") for _ in range(others))])
    said = [line for line in format_figures(figures) if line.startswith("Warning: ")]
    assert [warning] * len(said) == [warning if warning and warning in line else None for line in said]
    assert bool(said) == bool(warning)


def test_the_cost_of_an_approved_answer_has_the_rejected_drafts_in_it() -> None:
    """All that was spent, over the approvals; a model without a price is told apart."""
    runs = [run(), run(), run(usd=None)]
    figures = count_figures(days=7, since=T0, sessions=runs, audit=[press("approve"), press("dismiss")])
    assert (figures.cost_usd, figures.cost_per_approval, figures.runs, figures.runs_without_price) == (0.5, 0.5, 3, 1)
    assert "$0.50, and 1 run of unknown cost; 3 runs of agents; $0.50 for each approved answer" in "\n".join(
        format_figures(figures)
    )
    assert count_figures(days=7, since=T0, sessions=runs).cost_per_approval is None


def label(ts: str, word: str, by: str = "U0OPS") -> dict[str, Any]:
    """A line of `labels.ndjson`."""
    return {"at": T0.isoformat(), "label": word, "by": by, "message": {"chat_id": CHANNEL, "message_id": ts}}


def test_mistakes_are_what_people_say_otherwise() -> None:
    """The last word on a message counts; one that is taken back, or agrees, is no mistake."""
    classes = {"1.1": "ambient", "2.1": "actionable", "3.1": "actionable", "4.1": "ambient"}
    classified = [{"chat_id": CHANNEL, "message_id": ts, "classification": said} for ts, said in classes.items()]
    labels = [
        label("1.1", "actionable"),
        label("2.1", "ambient", by="U0ANA"),
        label("2.1", "ack"),
        label("3.1", "ambient"),
        label("3.1", "withdrawn"),
        label("4.1", "ambient"),
        label("9.1", "actionable"),
        {"label": "ambient", "message": "a text"},
        {"label": "nonsense"},
    ]
    figures = count_figures(days=7, since=T0, classified=classified, labels=labels)
    assert (figures.labels, figures.missed, figures.false_alarms) == (5, 2, 2)
