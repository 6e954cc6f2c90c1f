"""The brief: what it tells of a period, and that Slack takes it at any length."""

from __future__ import annotations

import json
import random
import re
from datetime import date, timedelta
from typing import Any

import pytest

from blocks.announcement import MAX_ROWS, Announcement, Part, build_announcement
from bot.config.sections.reports import ReportsSection
from bot.decide.redaction.redactor import Redactor
from bot.errors import Unreadable
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Dismiss, Due, Overheard, Posted
from bot.reports.brief import BriefContents, build_brief, read_brief
from bot.reports.criteria import Recorded, build_report
from bot.reports.metrics import Sources, count_figures
from bot.reports.period import ReportHours, parse_report_hours
from bot.reports.weekly import build_review
from sandbox.blockkit import checked_blocks
from tests.builders import OPERATOR, T0, added, at, found, fresh, message, moved, validated
from tests.fakes import MemoryJournal, MemorySessions, MemoryStore
from tests.reports.criteria.home import NOW, live
from tests.reports.test_metrics import run

SECRET = "a-loaded" + "-secret-0815"
URL = "https://sandbox.slack.com/"


def asked(hours_ago: float = 1, text: str = "where is the limit set?", **changes: Any) -> Thread:
    """A question that came so long before `T0`, and has a draft."""
    ts = f"{(T0 - timedelta(hours=hours_ago)).timestamp():.6f}"
    thread = moved(moved(None, added(text, ts=ts)), Due(at=at(2), fresh=fresh()))
    thread = moved(thread, found(thread))
    return moved(thread, validated(thread)).evolve(**changes)


def replied(thread: Thread) -> Thread:
    """Its draft approved and posted."""
    draft = thread.draft_pending
    assert draft is not None
    named: dict[str, Any] = {"by": OPERATOR, "draft_id": draft.draft_id, "nonce": draft.nonce}
    approved = moved(thread, Approve(at=at(60), fresh=fresh(), **named))
    return moved(approved, Posted(at=at(61), fresh=fresh(), ts="9.000001"))


class Broken(MemoryStore):
    """A store with a document that does not parse."""

    async def load(self, thread_id: str) -> Thread | None:
        """All others do."""
        if thread_id.endswith("-1.000001"):
            raise Unreadable(thread_id)
        return await super().load(thread_id)


async def seen(*threads: Thread, hours_back: float = 15) -> BriefContents:
    """What there is to tell of the hours before `T0`."""
    store, replies = Broken(), MemoryJournal()
    for thread in threads:
        await store.save(thread)
        if thread.outcome == "replied":
            posted = {"chat_id": thread.chat_id, "thread_id": thread.thread_id, "posted_message_id": "9.000001"}
            await replies.append({**posted, "posted_at": T0.isoformat(), "reply_text": "Three <!channel> times."})
    sources = Sources(
        classified=MemoryJournal(),
        audit=MemoryJournal(),
        replies=replies,
        labels=MemoryJournal(),
        feedback=MemoryJournal(),
        sessions=MemorySessions(run(days=0.1), run(days=3)),
        store=store,
    )
    open_ids = [thread.thread_id for thread in threads if thread.is_open]
    since = T0 - timedelta(hours=hours_back)
    return await read_brief(
        sources, open_ids=[*open_ids, "T0A-C0A-1.000001"], since=since, until=T0, redactor=Redactor([SECRET])
    )


def text(said: Announcement) -> str:
    """All of it."""
    return "\n".join((said.line, *said.rows))


async def test_the_brief_tells_what_came_waits_was_replied_and_spent() -> None:
    """Those that wait longest first, since when they do; a person's answer in the thread is marked."""
    old, new, done = asked(30, "how is it rolled back?"), asked(3), replied(asked(2, "what is the limit?"))
    word = message("it is three", ts=f"{T0.timestamp():.6f}", root=new.root_ts, sender="U0BEN")
    new = moved(new, Overheard(at=at(90), fresh=fresh(), message=word))
    *history, last = old.status_history
    old = old.evolve(status_history=(*history, last.evolve(at=T0 - timedelta(hours=29))))
    said = build_brief(await seen(old, new, done), "brief", url=URL)
    assert "2 questions came in; 2 wait for a decision, the oldest for 29 h; 0 others open; 1 reply posted" in said.line
    assert "cost $0.25." in said.line
    parts = {part.title: part.rows for part in said.parts}
    assert list(parts) == ["Waiting, oldest first", "Came in", "Replied"]
    first, second = parts["Waiting, oldest first"]
    assert first.startswith("<https://sandbox.slack.com/archives/C0HELP/p")
    assert "29 h: how is it rolled" in first
    assert [row.endswith("_already replied_") for row in (first, second)] == [False, True]
    assert [row.rpartition(" ")[2] for row in parts["Came in"]] == ["decision)", "(replied)"]
    assert "&lt;!channel&gt;" in parts["Replied"][0]


async def test_what_the_bot_itself_said_marks_a_question() -> None:
    """As far as an operator was told of it; what it said before the question does not."""
    before, after = f"{(T0 - timedelta(hours=4)).timestamp():.6f}", f"{T0.timestamp():.6f}"
    for own_ts, marked in ((None, False), (before, False), (after, True)):
        said = text(build_brief(await seen(asked(3, own_ts=own_ts)), "brief", url=URL))
        assert ("_already replied_" in said) == marked


async def test_no_half_of_a_secret_stands_in_a_brief() -> None:
    """A question is cut where a line ends, and what is cut off is no secret that anybody knows again."""
    said = text(build_brief(await seen(asked(text=f"{'why ' * 27}{SECRET}?")), "brief", url=URL))
    assert "[redacted" in said
    assert SECRET[:6] not in said


async def test_a_calm_night_is_one_line() -> None:
    """With nothing below it; a dismissed question of long ago says nothing either."""
    old = asked(50)
    draft = old.draft_pending
    assert draft is not None
    named: dict[str, Any] = {"by": OPERATOR, "draft_id": draft.draft_id, "nonce": draft.nonce}
    old = moved(old, Dismiss(at=at(60), fresh=fresh(), **named))
    said = build_brief(await seen(old), "brief", url=URL)
    assert said.line.startswith("*Morning brief*: nothing came in since ")
    assert said.parts == ()


async def test_what_no_check_proves_is_counted_and_what_runs_longer_listed() -> None:
    """While it is open; the one is not called by the other's name."""
    thread = asked(1)
    assert thread.verdict is not None
    escalated = thread.evolve(verdict=thread.verdict.evolve(verdict="escalate"))
    said = build_brief(await seen(escalated), "end_of_day", url=URL)
    assert "1 without a proven draft" in said.line
    assert "escalated" not in said.line
    assert "Escalated" not in [part.title for part in said.parts]
    longer = build_brief(await seen(thread.evolve(is_escalated=True)), "end_of_day", url=URL)
    assert "1 escalated to a longer run" in longer.line
    assert "Escalated" in [part.title for part in longer.parts]


def every(**times: str) -> ReportHours:
    """The usual hours in Berlin, but for those given."""
    return parse_report_hours(ReportsSection(**times), "Europe/Berlin")


@pytest.mark.parametrize(
    ("times", "kind", "since"),
    [
        ({}, "brief", "2026-01-04T16:30"),
        ({}, "end_of_day", "2026-01-05T07:30"),
        ({"end_of_day_at": "off"}, "brief", "2026-01-04T07:30"),
        ({"brief_at": "off"}, "end_of_day", "2026-01-04T23:00"),
        ({"brief_at": "off", "end_of_day_at": "off"}, "brief", "2026-01-03T23:00"),
    ],
)
def test_a_report_begins_where_the_one_before_ended(times: dict[str, str], kind: Any, since: str) -> None:
    """So that nothing is left out and nothing told twice."""
    assert f"{every(**times).begin_of(kind, date(2026, 1, 5)):%Y-%m-%dT%H:%M}" == since


ALPHABETS = (
    "plain words ",
    "&<>|*_`~ ",
    "漢字かな ",
    "عربي ",
    "🙂👍🏽 ",
    "<!channel> <@U0ANA> ",
    "a\n\nb\t",
    "\u202e\u0000x",
)


def scribble(rng: random.Random, longest: int) -> str:
    """Text of any length, in any script."""
    letters = rng.choice(ALPHABETS)
    return "".join(rng.choice(letters) for _ in range(rng.randrange(longest))) or "x"


@pytest.mark.parametrize("number", [0, 1, 9, 11, 60, pytest.param(300, marks=pytest.mark.long)])
async def test_slack_takes_a_report_of_any_length(number: int) -> None:
    """Names and questions in any script mint no mention; what does not fit is counted."""
    rng = random.Random(number)
    threads = [
        asked(1 + index / 100, scribble(rng, 3_000), original_sender_name=scribble(rng, 200)) for index in range(number)
    ]
    said = build_brief(await seen(*threads), "brief", url=URL)
    made = build_announcement(said)
    assert checked_blocks(made["blocks"])
    shown = json.dumps(made, ensure_ascii=False)
    assert "<!channel>" not in shown
    assert "<@U" not in shown
    if number:
        waiting = made["blocks"][1]["text"]["text"].split("\n")
        counted = int(re.search(r"… and (\d+) more", f"{waiting[-1]} … and 0 more")[1])  # type: ignore[index]  # it is there
        rows = sum(row.startswith("• ") for row in waiting)
        assert (rows + counted, rows <= MAX_ROWS) == (number, True)


@pytest.mark.parametrize("length", [1, 200, 2_900, 10_000])
def test_slack_takes_rows_of_any_length(length: int) -> None:
    """Whole rows only; those that do not fit are counted."""
    rows = tuple("x" * length for _ in range(30))
    assert checked_blocks(
        build_announcement(Announcement(line="y" * length, parts=(Part("z" * length, rows),) * 40, note="n"))["blocks"]
    )


def test_the_review_holds_the_figures_of_the_week() -> None:
    """Word for word those of `triage metrics`; a week of nothing is one line."""
    figures = count_figures(days=7, since=T0, classified=[{"classification": "ack"}], threads=[asked()])
    nothing = build_report(Recorded(), now=T0)
    made = build_announcement(build_review(figures, nothing))
    assert checked_blocks(made["blocks"])
    assert "In the last 7 days: 1 message (" in made["text"]
    assert "First drafts: no validator" in json.dumps(made)
    assert "0 met, 0 not met, 11 with too few cases." in json.dumps(made)
    missed = build_report(live(1).recorded(), now=NOW)
    assert "AC-07 Long runs end with a result file: " in json.dumps(build_announcement(build_review(figures, missed)))
    assert build_review(count_figures(days=7, since=T0), nothing).parts == ()
