"""The night's health in the brief: each outage with its length and end, from the history of changes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from blocks.announcement import Announcement, build_announcement
from bot.decide.redaction.redactor import Redactor
from bot.models.alert import Alert, begin_record
from bot.models.service_state import ServiceState
from bot.models.session import CHECKS_AGENT
from bot.models.thread import Thread
from bot.reports.brief import build_brief, read_brief
from bot.reports.metrics import Sources
from bot.reports.outages import Outage, OutageReader
from sandbox.blockkit import checked_blocks
from tests.builders import T0, added, moved
from tests.commands.test_services import Health, state
from tests.decide import unhealthy as story
from tests.fakes import MemoryJournal, MemorySessions, MemoryStore
from tests.reports.test_metrics import run

SECRET = "a-loaded" + "-secret-0815"
URL = "https://sandbox.slack.com/"
SINCE = T0 - timedelta(hours=15)


def hours(ago: float) -> datetime:
    """A time so long before the brief."""
    return T0 - timedelta(hours=ago)


def change(ago: float, status: str = "down", service: str = "shop", **changes: Any) -> dict[str, Any]:
    """A line of the history."""
    error = "" if status == "healthy" else "expected status 200, got 503"
    values = {"service": service, "check_type": "http", "status": status, "service_status": status, "error": error}
    return values | {"at": hours(ago).isoformat()} | changes


def now_is(status: str | None, since: float = 1, service: str = "shop") -> ServiceState:
    """The present state of a service."""
    return state(service, status, since=hours(since) if status else None)


async def read(lines: list[dict[str, Any]], *states: ServiceState) -> tuple[Outage, ...]:
    """The outages of the night."""
    journal = MemoryJournal()
    for line in lines:
        await journal.append(line)
    return await OutageReader(history=journal, health=Health(*states), redactor=Redactor([SECRET])).read(SINCE)


NIGHTS: dict[str, tuple[list[dict[str, Any]], list[ServiceState], list[tuple[str, float, float | None, str]]]] = {
    "nothing": ([], [], []),
    "one that is over": (
        [change(3), change(2, "healthy")],
        [now_is("healthy", 2)],
        [("shop", 3, 2, "down")],
    ),
    "one that goes on": ([change(3)], [now_is("down", 3)], [("shop", 3, None, "down")]),
    "one from before the night that goes on": ([change(40)], [now_is("down", 40)], [("shop", 40, None, "down")]),
    "one that began before the night": (
        [change(40), change(2, "healthy")],
        [now_is("healthy", 2)],
        [("shop", 40, 2, "down")],
    ),
    "one that was over before": ([change(40), change(20, "healthy")], [now_is("healthy", 20)], []),
    "it became worse and better again": (
        [change(3, "degraded"), change(2.5), change(2, "degraded"), change(1, "healthy")],
        [now_is("healthy", 1)],
        [("shop", 3, 1, "down")],
    ),
    "one check of two is healthy again": (
        [change(3), change(2, "healthy", service_status="degraded"), change(1, "healthy")],
        [now_is("healthy", 1)],
        [("shop", 3, 1, "down")],
    ),
    "two outages": (
        [change(4), change(3, "healthy"), change(2, "degraded"), change(1, "healthy")],
        [now_is("healthy", 1)],
        [("shop", 4, 3, "down"), ("shop", 2, 1, "degraded")],
    ),
    "its end is not in the history": ([change(3)], [now_is("healthy", 1)], [("shop", 3, 1, "down")]),
    "its begin is not in the history": ([], [now_is("degraded", 5)], [("shop", 5, None, "degraded")]),
    "not checked since": ([change(3)], [now_is(None)], []),
    "no longer in the settings": ([change(3)], [], []),
    "damaged lines": (
        [change(3, at="soon"), change(3) | {"service": 7}, {"at": "x"}, change(2, "broken"), change(1)],
        [now_is("down", 1)],
        [("shop", 1, None, "down")],
    ),
    "what goes on comes first": (
        [change(5), change(4, "healthy"), change(3, service="cart")],
        [now_is("healthy", 4), now_is("down", 3, "cart")],
        [("cart", 3, None, "down"), ("shop", 5, 4, "down")],
    ),
}


@pytest.mark.parametrize("name", NIGHTS)
async def test_outages_are_read_from_the_history(name: str) -> None:
    """The present states decide what is not over, whatever lines a crash has lost."""
    lines, states, expected = NIGHTS[name]
    told = [(each.service, each.began, each.ended, each.status) for each in await read(lines, *states)]
    times = [(service, hours(began), ended and hours(ended), status) for service, began, ended, status in expected]
    assert told == times


async def brief(
    outages: tuple[Outage, ...], *threads: Thread, since: datetime = SINCE, open_ids: tuple[str, ...] = ()
) -> Announcement:
    """The brief of a night with these outages."""
    store, empty = MemoryStore(), MemoryJournal()
    for thread in threads:
        await store.save(thread)
    checks = [run(days=0.1).evolve(agent=CHECKS_AGENT, thread_id=thread.thread_id) for thread in threads]
    sources = Sources(
        classified=empty,
        audit=empty,
        replies=empty,
        labels=empty,
        feedback=empty,
        sessions=MemorySessions(*checks),
        store=store,
    )
    contents = await read_brief(
        sources, open_ids=open_ids, since=since, until=T0, redactor=Redactor([SECRET]), outages=outages
    )
    return build_brief(contents, "brief", url=URL)


async def test_the_brief_has_a_row_for_each_service() -> None:
    """How long it was not healthy, the reason, the end, and its incident."""
    lines = [change(3, service="payments", error=f"<!here> {SECRET}"), change(2, "healthy", "payments")]
    lines += [change(5, service="cart"), change(4, "healthy", "cart"), change(1.5, "degraded", "cart"), change(1)]
    states = [now_is("healthy", 2, "payments"), now_is("degraded", 1.5, "cart"), now_is("down", 1)]
    shown = await brief(await read(lines, *states), story.pending())
    assert "; 3 services failed (4 outages), 2 of them still; " in shown.line
    (rows,) = (part.rows for part in shown.parts if part.title == "Services")
    cart, shop, payments = rows
    assert cart.startswith("*cart* is degraded since <!date^")
    assert cart.endswith("for 1 h 30 min: expected status 200, got 503. Outages: 2, 2 h 30 min in all.")
    assert shop.startswith("*shop* is down since <!date^")
    assert payments.startswith("*payments* was down for 1 h 0 min, until <!date^")
    link = "<https://sandbox.slack.com/archives/C0HELP/p100000001|Incident>"
    assert payments.endswith(f": &lt;!here&gt; [redacted]. Healthy again. {link}")


async def test_outages_that_are_over_are_told_together() -> None:
    """A service that flapped is one row."""
    lines = [line for ago in range(10, 2, -2) for line in (change(ago), change(ago - 1, "healthy"))]
    (row,) = (await brief(await read(lines, now_is("healthy", 3)))).parts[0].rows
    assert row.startswith("*shop* is healthy again since <!date^")
    assert row.endswith(". Outages: 4, 4 h 0 min in all. The last one: expected status 200, got 503.")


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        (story.proposed(), "*Proposed runbook:* `restart-payments`."),
        (story.running(), "*Running* `restart-payments` · <!date^"),
        (moved(story.running(), story.ended()), "it ended with exit code 0"),
        (moved(story.proposed(), story.recovered()), "*Not run:* `restart-payments`, since the incident was over"),
    ],
)
async def test_runbooks_are_told_with_their_end(thread: Thread, words: str) -> None:
    """Those of the night: a decision of before is not told again."""
    outages = await read([change(3, service="payments")], now_is("down", 3, "payments"))
    shown = await brief(outages, thread)
    (row,) = next(part.rows for part in shown.parts if part.title == "Runbooks")
    assert words in row
    assert row.endswith(" (payments)")
    later = await brief(outages, thread, since=T0 + timedelta(hours=1))
    assert "Runbooks" not in [part.title for part in later.parts]


async def test_alerts_of_the_night_are_listed() -> None:
    """With their state; one that was resolved before is not told again, and a title shows no secret."""
    alert = Alert(source="grafana", state="firing", title=f"Disk of {SECRET}", fingerprint="f", group="g")
    fired = begin_record(alert, "100.000001", hours(3))
    resolved = fired.evolve(recovered_at=hours(1), fired=2)
    for record, words in ((fired, "fired once, last <!date^"), (resolved, "fired 2 times, last <!date^")):
        thread = moved(None, added()).evolve(alert=record)
        shown = await brief((), thread, open_ids=(thread.thread_id,))
        (row,) = next(part.rows for part in shown.parts if part.title == "Alerts of other programs")
        assert row.startswith("*Alert of Grafana:* Disk of [redacted] · ")
        assert words in row
        assert (" · resolved <!date^" in row) == bool(record.recovered_at)
    over = begin_record(alert, "100.000001", hours(40)).evolve(recovered_at=hours(30))
    old = moved(None, added()).evolve(alert=over)
    titles = [part.title for part in (await brief((), old, open_ids=(old.thread_id,))).parts]
    assert "Alerts of other programs" not in titles


async def test_alerts_that_still_fire_come_first_and_are_counted() -> None:
    """Also one that fired before, and one that was dismissed; then those that ended, the newest first."""

    def alert(title: str, fired: float, ended: float | None = None, **changes: Any) -> Thread:
        ts = f"{hours(fired).timestamp():.6f}"
        named = Alert(source="grafana", state="firing", title=title, fingerprint=title, group=title)
        record = begin_record(named, ts, hours(fired)).evolve(recovered_at=hours(ended) if ended else None)
        return moved(None, added(ts=ts)).evolve(alert=record, **changes)

    closed: dict[str, Any] = {"status": "closed", "closed_at": hours(1)}
    threads = (
        alert("Ended", 9, 5, outcome="recovered", **closed),
        alert("Later", 8, 2, outcome="recovered", **closed),
        alert("Dismissed", 30, outcome="dismissed", **closed),
        alert("Open", 4),
        alert("Forgotten", 24 * 8, outcome="dismissed", **closed),
        alert("Withdrawn", 3, outcome="withdrawn", **closed),
    )
    shown = await brief((), *threads, open_ids=(threads[3].thread_id,))
    rows = next(part.rows for part in shown.parts if part.title == "Alerts of other programs")
    assert [row.split(" ")[3] for row in rows] == ["Open", "Dismissed", "Later", "Ended"]
    assert "; 2 alerts still fire; " in shown.line
    assert [row.endswith("|thread>, dismissed)") for row in rows] == [False, True, False, False]
    (only,) = (await brief((), threads[2])).parts
    assert only.title == "Alerts of other programs"


async def test_a_night_without_outages_says_nothing_of_services() -> None:
    """Nor that all were healthy."""
    shown = await brief(await read([], now_is("healthy")))
    assert (shown.parts, "services" in shown.line) == ((), False)
    assert shown.line.startswith("*Morning brief*: nothing came in since ")


async def test_slack_takes_a_night_in_which_all_failed() -> None:
    """With a count of those that are not shown."""
    names = [f"s{number:03}-{'n' * 50}" for number in range(200)]
    states = [now_is("down", 1, name) for name in names]
    shown = build_announcement(await brief(await read([change(1, service=n, error="&" * 900) for n in names], *states)))
    checked_blocks(shown["blocks"])
    assert "200 services failed, still" in shown["text"]
