"""What approved answers cost, by project and week: all that was spent, whoever spent it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.models.session import CHECKS_AGENT, Session
from bot.reports.spending import Spending, count_spending
from tests.builders import T0, fresh

if TYPE_CHECKING:
    from bot.models.thread import Thread

SHOP, API = "T0SANDBOX-C0HELP-100.000001", "T0SANDBOX-C0HELP-200.000001"
MONDAY = date(2026, 1, 5)


def run(agent: str, usd: float | None, thread: str | None = SHOP, *, days: float = 0) -> Session:
    """A run of an agent, so many days later."""
    at = T0 + timedelta(days=days)
    values: dict[str, Any] = {"agent": agent, "model": "m", "started_at": at, "saved_at": at, "thread_id": thread}
    return Session(session_id=f"{at:%Y%m%dT%H%M%S}-{fresh()}", cost_usd=usd, outcome="answered", **values)


def reply(
    engine: str = "claude", thread: str = SHOP, project: str | None = "shop", *, days: float = 0
) -> dict[str, Any]:
    """A posted reply."""
    at = (T0 + timedelta(days=days)).isoformat()
    return {"thread_id": thread, "project": project, "engine": engine, "posted_at": at}


def rows(sessions: list[Session], replies: list[dict[str, Any]], threads: tuple[Thread, ...] = ()) -> list[Spending]:
    """The rows in Berlin's weeks."""
    return [*count_spending(sessions=sessions, replies=replies, threads=threads, zone="Europe/Berlin")]


def test_all_that_was_spent_counts_for_the_answers() -> None:
    """Rejected drafts and the validator for their project; chat, and questions of no project, in a row of their own."""
    spent = [run("investigator", 0.5), run("investigator", 0.5), run("validator", 0.2), run("chat", 0.3, None)]
    chat, shop = rows([*spent, run("investigator", 9.0, API, days=-1)], [reply(), reply(thread=API, days=-1)])[:2]
    assert (chat.project, chat.cost.usd, chat.answers, chat.usd_per_answer) == ("", 0.3, 0, None)
    assert (shop.project, shop.week, shop.answers, shop.usd_per_answer) == ("shop", MONDAY, 1, 1.2)
    assert shop.by_agent == {"investigator": 1.0, "validator": 0.2}


@pytest.mark.parametrize(
    ("engines", "without", "saved"),
    [
        pytest.param(["claude"] * 2, {}, 0.0, id="all by a model"),
        pytest.param(["claude", "claude", "keyword"], {"keyword": 1}, 0.5, id="one by the keyword engine"),
        pytest.param(["claude"] * 2 + ["answered before"] * 3, {"answered before": 3}, 1.5, id="three asked again"),
        pytest.param(["keyword"], {"keyword": 1}, None, id="no model to compare with"),
    ],
)
def test_answers_without_a_model_save_what_the_others_cost(
    engines: list[str], without: dict[str, int], saved: float | None
) -> None:
    """At the price of an answer that a model has drafted in this week."""
    [row] = rows([run("investigator", 1.0)], [reply(engine) for engine in engines])
    assert (row.without_model, row.saved_usd, row.answers) == (without, saved, len(engines))


def test_weeks_begin_on_monday_in_the_zone_of_the_team() -> None:
    """Sunday 23:30 in UTC is Monday in Berlin; the newest week comes first."""
    late = run("investigator", 1.0, days=-(9.5 / 24))
    assert late.started_at.isoformat().startswith("2026-01-04T23:30")
    weeks = [row.week for row in rows([late, run("investigator", 1.0, days=-1), run("investigator", 1.0, days=7)], [])]
    assert weeks == [MONDAY + timedelta(days=7), MONDAY, MONDAY - timedelta(days=7)]


def test_checks_without_a_model_and_broken_records_cost_nothing() -> None:
    """A reply without a time belongs to no week; a run without a price adds none."""
    found = rows([run(CHECKS_AGENT, 0.0), run("investigator", None)], [{"thread_id": SHOP, "posted_at": "soon"}, {}])
    [row] = found
    assert (row.cost.usd, row.cost.unknown_runs, row.usd_per_answer, row.saved_usd) == (0.0, 1, None, None)


def test_the_rows_add_up_to_all_sessions() -> None:
    """Whatever thread, project and week they belong to."""
    spent = [run("chat", 0.25, thread, days=day) for thread in (SHOP, API, None) for day in range(20)]
    assert sum(row.cost.usd for row in rows(spent, [reply(), reply(thread=API, project=None)])) == 15.0


def test_an_automatic_reply_is_no_approved_answer() -> None:
    """What it cost counts all the same, so that wrong ones never make the others cheaper."""
    [row] = rows([run("investigator", 1.0), run("investigator", 1.0)], [reply(), reply() | {"is_automatic": True}])
    assert (row.answers, row.usd_per_answer) == (1, 2.0)
