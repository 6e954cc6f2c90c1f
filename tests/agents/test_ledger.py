"""The ledger: caps in money, told in time, kept across restarts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from blocks.cost import format_cost
from bot.agents.ended_runs import THREADS_REMEMBERED
from bot.agents.ledger import Ledger
from bot.errors import OverCap, RetryLater
from bot.models.cost import Cost
from bot.models.session import Session
from bot.models.turn import Turn, Usage
from tests.builders import T0
from tests.fakes import HandClock, MemoryKept, MemorySessions, RoundPrices

if TYPE_CHECKING:
    from collections.abc import Callable

CENT = Usage(input_tokens=5_000, output_tokens=5_000)


def session(number: int = 1, **changes: Any) -> Session:
    """A session that has just begun."""
    started = changes.pop("started_at", T0)
    values: dict[str, Any] = {"agent": "investigator", "model": "m", "started_at": started, "saved_at": started}
    return Session(session_id=f"{started:%Y%m%dT%H%M%S}-run{number}", **(values | changes))


def ledger(
    *kept: Session, cap: float = 0.10, allowance: MemoryKept | None = None, redact: Callable[[str], str] = str
) -> tuple[Ledger, MemorySessions, list[str], HandClock]:
    """A ledger and all that it touches."""
    sessions, told, clock = MemorySessions(*kept), [], HandClock()  # type: ignore[var-annotated]  # filled below
    made = Ledger(
        sessions=sessions,
        allowance_file=allowance or MemoryKept(),
        prices=RoundPrices(),
        clock=clock,
        usd_per_day=cap,
        tell=told.append,
        redact=redact,
    )
    return made, sessions, told, clock


def turn(usage: Usage) -> Turn:
    """A turn that cost so much."""
    return Turn(text="yes", calls=(), stop="answered", usage=usage, content=({"type": "text", "text": "yes"},))


async def spend(book: Ledger, times: int) -> None:
    """Turns for a cent each, each a session of its own."""
    for number in range(times):
        book.book(await book.reserve(session(number), CENT), turn(CENT))


async def test_at_eighty_percent_the_admin_is_told_once() -> None:
    """Not before, and not again with each turn."""
    book, _, told, _ = ledger()
    await spend(book, 7)
    assert told == []
    await spend(book, 2)
    (line,) = told
    assert line.startswith("The agents have cost $0.08; today's limit is $0.10. `/triage allow &lt;usd&gt;`")


async def test_at_the_cap_no_call_is_made_until_an_admins_word() -> None:
    """The caller is told why and how to go on, the admin once; an allowance makes room."""
    book, _, told, _ = ledger()
    await spend(book, 10)
    for _ in range(2):
        with pytest.raises(OverCap, match=r"\$0\.10 today: \$0\.10 are spent or held.*/triage allow <usd>"):
            await book.reserve(session(), CENT)
    assert [line for line in told if "used up" in line] == [told[-1]]
    assert "`/triage allow &lt;usd&gt;`" in told[-1]
    await book.allow(0.05)
    await book.reserve(session(), CENT)
    assert book.cap == pytest.approx(0.15)


async def test_what_was_allowed_adds_up_survives_a_restart_and_ends_with_its_day() -> None:
    """And is taken back by 0."""
    allowance = MemoryKept()
    book, _, _, clock = ledger(cap=10, allowance=allowance)
    assert await book.allow(5)
    assert await book.allow(2.5)
    again, _, _, _ = ledger(cap=10, allowance=allowance)
    await again.start()
    assert (again.allowed, again.cap) == (7.5, 17.5)
    assert again.day_ends == T0.replace(day=6, hour=0)
    await again.allow(0)
    assert again.allowed == 0
    await again.allow(5)
    await clock.move(24 * 3600)
    assert book.allowed == 0
    late, _, _, clock = ledger(cap=10, allowance=allowance)
    await clock.move(24 * 3600)
    await late.start()
    assert late.allowed == 0


async def test_no_more_than_a_days_most_is_allowed() -> None:
    """That is the cap of the settings once more, whatever a file says."""
    book, *_ = ledger(cap=20)
    assert await book.allow(19)
    assert not await book.allow(2)
    assert book.allowed == 19
    for said, counts in ((21, 20), (-1, 0), ("much", 0), (float("nan"), 0), (None, 0)):
        odd, *_ = ledger(cap=20, allowance=MemoryKept(day="2026-01-05", usd=said))
        await odd.start()
        assert odd.allowed == counts


async def test_what_cannot_be_kept_is_not_allowed() -> None:
    """A restart would forget it."""

    class Full(MemoryKept):
        async def write(self, said: dict[str, Any]) -> None:
            raise RetryLater("no space left")

    book, *_ = ledger(cap=20, allowance=Full())
    with pytest.raises(RetryLater):
        await book.allow(5)
    assert book.allowed == 0


async def test_the_ended_runs_of_a_thread_are_told_once() -> None:
    """Those of the present question, of this thread; also one that a crash cut off."""
    earlier = T0 - timedelta(hours=1)
    mine = {"thread_id": "T0SANDBOX-C0HELP-100.000001"}
    died = session(3, **mine, held_usd=0.01)
    book, *_ = ledger(died)
    await book.start()
    await book.close(session(1, **mine), "unreachable", "no answer")
    await book.close(session(2, started_at=earlier, **mine), "cancelled")
    await book.close(session(4), "answered")
    told = book.runs_of(mine["thread_id"], T0)
    assert [(ran.session_id[-4:], ran.outcome, ran.cost_usd) for ran in told] == [
        ("run3", "died", 0.01),
        ("run1", "unreachable", 0),
    ]
    assert book.runs_of(mine["thread_id"], T0) == ()


async def test_runs_that_nobody_asks_for_are_forgotten() -> None:
    """The thread that has waited longest first."""
    book, *_ = ledger()
    for number in range(THREADS_REMEMBERED + 1):
        await book.close(session(thread_id=f"T0SANDBOX-C0HELP-{number}.000001"), "cancelled")
    assert book.runs_of("T0SANDBOX-C0HELP-0.000001", T0) == ()
    assert len(book.runs_of("T0SANDBOX-C0HELP-1.000001", T0)) == 1


async def test_no_secret_of_a_reason_is_saved() -> None:
    """A reason may name a call, and a server's own words."""
    book, sessions, *_ = ledger(redact=lambda text: text.replace("hush", "[redacted]"))
    await book.close(session(), "loop", "the same call: hush")
    assert sessions.saves[-1].reason == "the same call: [redacted]"


async def test_a_new_day_begins_with_nothing_spent() -> None:
    """At midnight UTC; what an operator allowed was for that day."""
    book, _, _, clock = ledger()
    await book.allow(0.1)
    await spend(book, 10)
    await clock.move(24 * 3600)
    assert (book.spent, book.cap) == (0, 0.10)


async def test_what_runs_hold_counts_before_it_is_spent() -> None:
    """Two calls that fit one by one do not fit together."""
    book, _, _, _ = ledger(cap=0.015)
    held = await book.reserve(session(1), CENT)
    with pytest.raises(OverCap):
        await book.reserve(session(2), CENT)
    await book.close(book.write_off(held, billed=False), "unreachable")
    assert book.spent == 0
    await book.reserve(session(2), CENT)


@pytest.mark.parametrize(
    ("billed", "at_most", "usd"),
    [
        (False, None, 0.0),
        (False, Usage(output_tokens=4_000), 0.0),
        (True, None, 0.01),
        (True, Usage(output_tokens=4_000), 0.004),
        (True, Usage(output_tokens=40_000), 0.04),
    ],
)
async def test_a_call_without_a_turn_costs_what_it_can_have_used(
    billed: bool, at_most: Usage | None, usd: float
) -> None:
    """Its known maximum use, or all that was held for it; nothing where it was not billed. A second time adds none."""
    book, *_ = ledger()
    written_off = book.write_off(await book.reserve(session(), CENT), billed=billed, at_most=at_most)
    again = book.write_off(written_off, billed=billed, at_most=at_most)
    closed = await book.close(again, "unreachable")
    assert (closed.cost_usd, closed.unsure_usd, closed.spent_usd, book.spent) == pytest.approx((0, usd, usd, usd))
    assert closed.held_usd == 0
    assert (closed.to_figures().cost_usd, closed.to_figures().unsure_usd) == pytest.approx((usd, usd))


async def test_a_turn_without_counts_is_no_free_turn() -> None:
    """Its cost is unknown, and all that was held for it counts against the caps, with what was known before."""
    book, *_ = ledger()
    known = book.book(await book.reserve(session(), CENT), turn(Usage(input_tokens=2_000, output_tokens=1)))
    unknown = book.book(await book.reserve(known, CENT), turn(Usage()))
    later = book.book(await book.reserve(unknown, CENT), turn(Usage(input_tokens=1_000, output_tokens=1)))
    closed = await book.close(later, "answered")
    assert closed.cost_usd is closed.to_figures().cost_usd is None
    assert (closed.spent_usd, book.spent) == pytest.approx((0.013_002, 0.013_002))


async def test_a_run_holds_the_money_for_its_answer_until_it_ends() -> None:
    """Between its turns, too: no other run takes it."""
    book, *_ = ledger(cap=0.05)
    first = await book.reserve(session(1), CENT, keep_usd=0.045)
    first = book.book(first, turn(Usage(input_tokens=4_000, output_tokens=1_000)))
    assert (book.spent, book.money_left(first)) == pytest.approx((0.045, 0.045))
    with pytest.raises(OverCap):
        await book.reserve(session(2), CENT)
    await book.close(first, "answered")
    assert book.spent == pytest.approx(0.005)
    await book.reserve(session(2), CENT, keep_usd=9)
    assert book.spent == pytest.approx(0.05)


async def test_the_days_spending_survives_a_restart() -> None:
    """Closed sessions with their cost, one that the crash cut off with what it held; yesterday's do not count."""
    yesterday = T0 - timedelta(days=1)
    book, sessions, _, _ = ledger(
        session(1, cost_usd=0.03, outcome="answered"),
        session(2, cost_usd=0.02, held_usd=0.01),
        session(3, cost_usd=None, outcome="answered"),
        session(4, cost_usd=5.0, outcome="answered", started_at=yesterday),
        session(5, cost_usd=0.001, outcome="answered", started_at=yesterday, saved_at=T0),
    )
    await book.start()
    assert book.spent == pytest.approx(0.061)
    died = sessions.kept["20260105T090000-run2"]
    assert (died.outcome, died.cost_usd, died.unsure_usd, died.held_usd) == ("died", 0.02, 0.01, 0)
    again, *_ = ledger(*sessions.kept.values())
    await again.start()
    assert again.spent == pytest.approx(0.061)


async def test_runs_of_another_process_count_and_go_on() -> None:
    """Their records stay as they are, and only this process's own cost is its total."""
    running = session(2, cost_usd=0.02, held_usd=0.01)
    book, sessions, *_ = ledger(running)
    await book.start(owns_home=False)
    assert sessions.kept["20260105T090000-run2"] == running
    await spend(book, 1)
    assert (book.spent, book.total.usd) == pytest.approx((0.04, 0.01))


async def test_the_cost_of_a_day_is_kept_by_agent() -> None:
    """It begins with what was spent before the start, and ends with the day."""
    book, _, _, clock = ledger(session(1, outcome="answered", cost_usd=0.02))
    await book.start()
    for number, agent in ((2, "chat"), (3, "investigator")):
        each = session(number, agent=agent)
        book.book(await book.reserve(each, CENT), turn(CENT))
    assert book.usd_by_agent == {"investigator": 0.03, "chat": 0.01}
    await clock.move(24 * 3_600)
    assert book.usd_by_agent == {}


async def test_the_total_does_not_end_at_midnight() -> None:
    """The cost of an answer is what the total has grown by, and never less than nothing."""
    book, _, _, clock = ledger()
    await spend(book, 3)
    before = book.total
    await spend(book, 1)
    await clock.move(86_400)
    await spend(book, 1)
    assert (book.spent, book.total.minus(before)) == (0.01, Cost(usd=0.02))


async def test_what_is_held_is_saved_before_the_call() -> None:
    """So that a kill in the middle of it loses no cent."""
    book, sessions, _, _ = ledger()
    await book.reserve(session(), CENT)
    assert (sessions.saves[-1].outcome, sessions.saves[-1].held_usd) == ("running", 0.01)


async def test_a_record_that_cannot_be_saved_lets_no_call_be_made() -> None:
    """Nothing is held then, and the caller is told."""

    class Full(MemorySessions):
        async def save(self, session: Session) -> None:
            raise RetryLater("no space left")

    book = Ledger(
        sessions=Full(),
        allowance_file=MemoryKept(),
        prices=RoundPrices(),
        clock=HandClock(),
        usd_per_day=1,
        tell=lambda _: None,
    )
    for work in (book.reserve(session(), CENT), book.hold(session(), 0.5, least=0.1)):
        with pytest.raises(RetryLater):
            await work
        assert book.spent == 0
    assert (await book.close(session(), "answered")).outcome == "answered"


async def test_the_days_cost_is_told_by_its_parts() -> None:
    """Known turns, calls without a turn, held money and runs without a price; the same after a restart."""
    book, sessions, _, _ = ledger(cap=1.0)
    known = book.book(await book.reserve(session(1), CENT), turn(CENT))
    cut = book.write_off(await book.reserve(session(2), CENT), billed=True)
    uncounted = book.book(await book.reserve(session(3), CENT), turn(Usage()))
    free = book.book(await book.reserve(session(4, model="free"), CENT), turn(CENT))
    under_way = await book.reserve(session(5), CENT)
    for ended in (known, cut, uncounted, free):
        await book.close(ended, "answered")
    assert format_cost(book.cost_today) == "$0.04 at most, of which $0.01 known, and 1 run of unknown cost"
    await book.close(book.book(under_way, turn(CENT)), "answered")
    whole = "$0.04 at most, of which $0.02 known, and 1 run of unknown cost"
    assert format_cost(book.cost_today) == format_cost(book.total) == whole
    again, _, _, _ = ledger(*sessions.kept.values(), cap=1.0)
    await again.start()
    assert format_cost(again.cost_today) == whole
