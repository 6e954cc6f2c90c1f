"""Sessions and the chains that escalations make of them, with the events of the supervisor (spec 3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.commands.handler import CommandHandler
from bot.commands.inputs_work import HoursInput, OfChain, OfTask
from bot.commands.registry import bound_commands
from bot.commands.sessions import MAX_SESSIONS, MAX_STEPS, SessionCommands
from bot.commands.system_events import MAX_EVENTS, SystemEventCommands
from bot.decide.redaction.redactor import Redactor
from bot.models.session import CHECKS_AGENT, Session
from bot.models.system_event import SystemEvent
from tests.agents.test_ledger import session
from tests.builders import T0
from tests.chat.crew import ADMIN, MEMBER, OPERATOR, command, handler
from tests.chat.test_tasks import Desk, drafted
from tests.fakes import HandClock, MemorySessions

NOW = T0 + timedelta(days=1)
SECRET = "a-loaded" + "-secret-0815"
THREAD = drafted(100)
LINK = "https://acme.slack.com/archives/C0HELP/p100000001"


def run(number: int, tier: int = 1, parent: Session | None = None, **changes: Any) -> Session:
    """A session that ended, begun `number` minutes after the first."""
    values: dict[str, Any] = {
        "started_at": NOW - timedelta(hours=1) + timedelta(minutes=number),
        "tier": tier,
        "parent_session_id": parent.session_id if parent else None,
        "thread_id": THREAD.thread_id,
        "num_turns": 10 * number,
        "duration_ms": 60_000 * number,
        "cost_usd": number / 10,
        "outcome": "answered",
    }
    return session(number, **(values | changes))


FIRST = run(1)
SECOND = run(2, 2, FIRST)
THIRD = run(3, 3, SECOND)
BESIDE = run(4, thread_id=None)


def commands(*saved: Session) -> SessionCommands:
    """Over records in memory; one thread is known."""
    return SessionCommands(
        saved=MemorySessions(*saved),
        finder=Desk(THREAD).tasks.finder,
        clock=HandClock(start=NOW),
        redactor=Redactor([SECRET]),
    )


@pytest.mark.parametrize(
    "of",
    [FIRST.session_id, f"#{SECOND.session_id}", f"`{THIRD.session_id}`", LINK, THREAD.task, THREAD.thread_id],
)
async def test_the_chain_is_shown_from_any_session_and_from_its_thread(of: str) -> None:
    """Scenarios "Chain cost breakdown visible" and "Escalation chain cost rollup", and the links of "Dashboard
    Escalation Chain Display": each tier has its own figures and its links; the sum is a summary."""
    shown = await commands(FIRST, SECOND, THIRD, BESIDE).show_chain(OfChain.model_validate({"task": of}), command())
    assert shown.line.endswith("3 sessions of tiers 1, 2 and 3, in all $0.6000.")
    assert len(shown.rows) == 3
    first, second, third = shown.rows
    assert "10 turns, 1 min, $0.1000." in first
    assert first.endswith(f" Escalated to Session #{SECOND.session_id} (Tier 2).")
    assert "20 turns, 2 min, $0.2000." in second
    assert f"Escalated from Session #{FIRST.session_id} (Tier 1). Escalated to" in second
    assert "30 turns, 3 min, $0.3000." in third
    assert third.endswith(f" Escalated from Session #{SECOND.session_id} (Tier 2).")


async def test_each_cost_is_told_as_sure_as_it_is() -> None:
    """A running session counts with the money that it holds, one without a price adds nothing; reasons are clean."""
    held = run(2, 2, FIRST, outcome="running", held_usd=4.5, num_turns=0, duration_ms=0)
    free = run(3, 3, held, cost_usd=None, outcome="failed", reason=f"it said {SECRET}\n<!channel>")
    shown = await commands(FIRST, held, free).show_chain(OfChain(task=FIRST.session_id), command())
    assert shown.line.endswith("in all $4.8000 at most, of which $0.3000 known, and 1 run of unknown cost.")
    assert "running; 0 turns, 58 min, $4.7000 at most, of which $0.2000 known." in shown.rows[1]
    assert "failed (it said [redacted] &lt;!channel&gt;); 30 turns, 3 min, cost unknown." in shown.rows[2]


async def test_a_thread_without_an_escalation_says_so() -> None:
    """With its newest session, or that no agent has worked on it; an unknown session is named."""
    of_task = OfChain(task=THREAD.task)
    assert "No agent on a model" in (await commands(BESIDE).show_chain(of_task, command())).line
    alone = await commands(FIRST, run(5)).show_chain(of_task, command())
    assert "2 sessions, none escalated. The newest: 1 session of tier 1, in all $0.5000." in alone.line
    assert len(alone.rows) == 1
    unknown = await commands().show_chain(OfChain(task=BESIDE.session_id), command())
    assert (unknown.outcome, "There is no session" in unknown.line) == ("invalid", True)


async def test_links_that_cannot_be_followed_are_told_below_the_chain() -> None:
    """A chain of two whose first session is gone, and one that is longer than an answer."""
    shown = await commands(SECOND, THIRD).show_chain(OfChain(task=THIRD.session_id), command())
    assert shown.rows[-1] == f"Session #{FIRST.session_id}, the parent of #{SECOND.session_id}, has no record."
    many = [FIRST, *(run(number, 2, FIRST) for number in range(2, MAX_STEPS + 4))]
    shown = await commands(*many).show_chain(OfChain(task=FIRST.session_id), command())
    assert (len(shown.rows), shown.rows[-1]) == (MAX_STEPS + 1, "… and 3 more sessions.")


async def test_the_chains_of_one_thread_are_shown_newest_first() -> None:
    """Each with its sum, the newest three."""
    firsts = [run(number) for number in range(1, 11, 2)]
    saved = [*firsts, *(run(number + 1, 2, first) for number, first in zip(range(1, 11, 2), firsts, strict=True))]
    shown = await commands(*saved).show_chain(OfChain(task=THREAD.task), command())
    assert shown.line.endswith("5 chains, the newest first.")
    assert shown.rows[0] == "*Chain:* 2 sessions of tiers 1 and 2, in all $1.9000."
    assert (len(shown.rows), shown.rows[-1]) == (10, "… and 2 older chains.")


async def test_sessions_are_listed_newest_first_with_a_mark_at_chains() -> None:
    """Scenario "Sessions list shows escalation indicator". A session beside a chain, or too old, has none."""
    check = run(5, agent="validator", parent_session_id=BESIDE.session_id)
    old = session(0, started_at=NOW - timedelta(hours=30))
    shown = await commands(old, FIRST, SECOND, BESIDE, check).list_newest(HoursInput(), command())
    assert shown.line == "4 sessions in the last 24 hours, the newest first."
    assert [row.startswith("⛓ ") for row in shown.rows] == [False, False, True, True]
    assert "Tier 1 validator on m" in shown.rows[0]
    assert shown.rows[0].endswith(f" Checks Session #{BESIDE.session_id} (Tier 1).")
    assert shown.rows[2].endswith(f" Escalated from Session #{FIRST.session_id} (Tier 1).")
    none = await commands(old).list_newest(HoursInput(hours=1), command())
    assert none.line == "No agent has run in the last 1 hour."
    many = [run(number) for number in range(MAX_SESSIONS + 7)]
    assert (await commands(*many).list_newest(HoursInput(), command())).rows[-1] == "… and 7 older ones."


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("running", "not over; 30 check runs, 57 min"), ("answered", "over; 30 check runs, 3 min"), ("died", "not seen;")],
)
async def test_the_session_of_an_outage_is_told_as_checks(outcome: str, words: str) -> None:
    """No agent ran, and nothing was paid."""
    checks = run(3, agent=CHECKS_AGENT, model="none", outcome=outcome, cost_usd=0.0)
    (row,) = (await commands(checks).list_newest(HoursInput(), command())).rows
    assert "Tier 1, checks of an outage, <!date^" in row
    assert words in row
    assert row.endswith(", no cost.")


async def test_the_thread_of_an_escalation_points_to_its_chain() -> None:
    """One that was not escalated says nothing of sessions."""
    board = Desk(THREAD)
    board.saved.kept = {each.session_id: each for each in (FIRST, SECOND)}
    shown = await board.views.get(OfTask(task=THREAD.task), command())
    assert shown.rows[-1] == (f"⛓ 2 sessions of tiers 1 and 2, in all $0.3000. `chain {THREAD.task}` shows each.")
    del board.saved.kept[SECOND.session_id]
    assert "⛓" not in (await board.views.get(OfTask(task=THREAD.task), command())).text


class Log:
    """Events in memory, the newest first."""

    def __init__(self, *events: SystemEvent) -> None:
        self.events = events

    async def newest(self, limit: int) -> list[SystemEvent]:
        """As many as wanted."""
        return list(self.events[:limit])


def event(level: Any, hours: float, message: str = "Escalation blocked: why", **changes: Any) -> SystemEvent:
    """An event of so many hours ago."""
    values = {"at": NOW - timedelta(hours=hours), "level": level, "session": None, "message": message}
    return SystemEvent(**(values | changes))


async def test_critical_events_come_first() -> None:
    """Then warnings, each the newest first and with its session; others of the log are left to its readers."""
    log = Log(
        event("info", 1, "Removed a stale handoff"),
        event("critical", 3, session=FIRST.session_id),
        event("warning", 4, "cut <!channel>\nin two"),
        event("critical", 2, "Escalation blocked: could not read handoff from tier 2 — torn"),
        event("critical", 30),
    )
    shown = await SystemEventCommands(log=log, clock=HandClock(start=NOW)).list_newest(HoursInput(), command())
    assert shown.line == "4 events of escalations in the last 24 hours, 2 of them critical."
    assert [row.partition("> ")[2] for row in shown.rows] == [
        "*Critical:* Escalation blocked: could not read handoff from tier 2 — torn.",
        f"*Critical:* Escalation blocked: why. Session #{FIRST.session_id}.",
        "*Warning:* cut &lt;!channel&gt; in two.",
        "Removed a stale handoff.",
    ]


async def test_only_so_many_events_are_shown() -> None:
    """The others are counted; without any, that is said."""
    many = Log(*(event("info", 1) for _ in range(MAX_EVENTS + 4)))
    shown = await SystemEventCommands(log=many, clock=HandClock(start=NOW)).list_newest(HoursInput(), command())
    assert (len(shown.rows), shown.rows[-1]) == (MAX_EVENTS + 1, "… and 4 more.")
    none = await SystemEventCommands(log=Log(), clock=HandClock(start=NOW)).list_newest(HoursInput(), command())
    assert none.text == "No event of an escalation in the last 24 hours."


@pytest.mark.parametrize(("user", "may"), [(ADMIN, True), (OPERATOR, True), (MEMBER, False)])
async def test_operators_and_admins_see_sessions_and_events(user: str, may: bool) -> None:
    """Nobody else does."""
    bound = (
        *bound_commands(commands(FIRST, SECOND)),
        *bound_commands(SystemEventCommands(log=Log(), clock=HandClock(start=NOW))),
    )
    given: CommandHandler = handler(runs={each.spec.name: each.run for each in bound})
    asked = command(user_id=user)
    for name, arguments in (("sessions", {}), ("events", {}), ("chain", {"task": FIRST.session_id})):
        answer = await given.execute(name, arguments, asked)
        assert answer.outcome == ("done" if may else "refused"), name


def test_a_word_that_is_no_task_is_refused() -> None:
    """With the form that is expected."""
    with pytest.raises(ValueError, match="expected a task's name"):
        OfChain.model_validate({"task": "x y"})
