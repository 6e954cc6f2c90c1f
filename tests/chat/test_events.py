"""What happened lately and what was used: from the journals' ends and the records of runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.approval.actions import DIALOG_OPENED
from bot.approval.answers import FIRST_OF_TWO, TOO_SOON
from bot.commands.command import NotDone
from bot.commands.events import MAX_RECORDS, EventCommands
from bot.commands.inputs_work import RecentEvents, TokenUsage
from bot.commands.search import TaskFinder
from bot.commands.usage import UsageCommands
from bot.decide.redaction.redactor import Redactor
from bot.models.session import Session
from bot.models.status import Outcome
from bot.models.status_change import StatusChange
from bot.models.thread import Thread
from bot.models.turn import Usage
from bot.reports.metrics import Sources
from bot.triage.open_threads import OpenThreads
from sandbox.blockkit import checked_blocks
from tests.builders import T0, TEAM
from tests.chat.crew import MEMBER, OPERATOR, command, handler
from tests.chat.test_task_changes import task as ordered
from tests.chat.test_tasks import drafted, failed
from tests.decide.unhealthy import collecting as broken
from tests.decide.unhealthy import result
from tests.fakes import HandClock, MemoryJournal, MemorySessions, MemoryStore, orchestrator

SECRET = "a-loaded" + "-secret-0815"
NOW = T0 + timedelta(days=10)


def run(number: int, *, hours: float = 1, **changes: Any) -> Session:
    """A run that ended so many hours ago."""
    at = NOW - timedelta(hours=hours)
    values: dict[str, Any] = {
        "session_id": f"{at:%Y%m%dT%H%M%S}-run{number}",
        "agent": "investigator",
        "model": "claude-opus-5-5",
        "started_at": at,
        "saved_at": at,
        "usage": Usage(input_tokens=100, cache_read_tokens=2_000, cache_write_tokens=30, output_tokens=4),
        "cost_usd": 0.25,
        "outcome": "answered",
    }
    return Session(**(values | changes))


def ago(hours: float) -> str:
    """A moment as journals have it."""
    return (NOW - timedelta(hours=hours)).isoformat()


def events(*sessions: Session, **journals: list[dict[str, Any]]) -> EventCommands:
    """Over journals in memory."""
    kept = {name: MemoryJournal() for name in ("classified", "audit", "replies", "labels", "feedback")}
    for name, records in journals.items():
        kept[name].kept = records
    store = MemoryStore()
    store.saved = {thread.thread_id: thread for thread in (failed(), drafted(200))}
    open_threads = OpenThreads()
    for thread in store.saved.values():
        open_threads.note(thread)
    return EventCommands(
        sources=Sources(sessions=MemorySessions(*sessions), store=store, **kept),
        open_threads=open_threads,
        clock=HandClock(start=NOW),
        redactor=Redactor([SECRET]),
    )


async def test_what_happened_is_told_newest_first_and_without_what_means_something() -> None:
    """Questions, decisions, replies, failed runs; mere reading is none, what was no question is counted."""
    said = f"<!channel> {'why ' * 22}{SECRET}"
    question = {"classification": "actionable", "sender": {"id": "U0ANA"}, "chat_id": "C0HELP", "content": said}
    told = await events(
        run(1, hours=4, outcome="over_cap", reason="the day's money is used up"),
        run(2),
        run(3, hours=40, outcome="failed"),
        classified=[
            question | {"classified_at": ago(30)},
            question | {"classified_at": ago(5)},
            question | {"classified_at": ago(5), "classification": "ambient"},
            {"classified_at": "nonsense"},
        ],
        audit=[
            {"at": ago(3), "action": "approve", "user_id": "U0OPS", "thread_id": "T0-C0HELP-1.1", "result": "done"},
            {"at": ago(2), "kind": "direct", "action": "stopped", "user_id": "U0ANA", "result": "done"},
            {"at": ago(2), "kind": "conversation", "action": "chat", "user_id": "U0ANA", "result": "answered"},
            {"at": ago(3), "kind": "command", "tier": "read", "action": "status", "user_id": "U0OPS"},
            {"at": ago(2), "kind": "command", "tier": "reversible", "action": "stop_task", "user_id": "U0OPS"}
            | {"outcome": "done", "channel_id": "C0HELP"},
        ],
        replies=[{"posted_at": ago(1), "reply_text": "Three\ntimes.", "chat_id": "C0HELP"}],
    ).recent(RecentEvents(), command())
    assert told.line == "5 events in the last 24 hours, the newest first; 1 message was no question."
    assert [row.partition("UTC> ")[2] for row in told.rows] == [
        "replied Three times. in <#C0HELP>",
        "stop_task by <@U0OPS> in <#C0HELP>",
        "approve by <@U0OPS> in <#C0HELP>",
        "investigator run ended without an answer: the day's money is used up",
        f"question of <@U0ANA> in <#C0HELP>: &lt;!channel&gt; {'why ' * 22}…",
    ]
    assert SECRET[:9] not in told.text


PRESS = {"action": "approve", "thread_id": "T0-C0HELP-1.1"}
COMMAND = {"kind": "command", "action": "pause", "tier": "reversible", "outcome": "done"}


@pytest.mark.parametrize(
    ("record", "row"),
    [
        (COMMAND, "pause by <@U0OPS>"),
        (COMMAND | {"settled": "confirmed"}, "pause by <@U0OPS>"),
        (COMMAND | {"unchanged": "yes"}, None),
        (COMMAND | {"action": "create_task"}, None),
        (COMMAND | {"action": "status", "tier": "read"}, None),
        *[
            (COMMAND | {"outcome": outcome}, None)
            for outcome in ("refused", "invalid", "unknown", "failed", "asked", "cancelled", "expired")
        ],
        (COMMAND | {"action": "psue", "tier": None, "outcome": "unknown"}, None),
        (COMMAND | {"outcome": "expired", "rejected": "yes"}, None),
        (PRESS | {"result": "done"}, "approve by <@U0OPS> in <#C0HELP>"),
        (PRESS | {"result": FIRST_OF_TWO}, f"approve by <@U0OPS> in <#C0HELP>: {FIRST_OF_TWO}"),
        (PRESS | {"result": TOO_SOON}, None),
        (PRESS | {"result": "Only operators decide. Nothing was changed."}, None),
        (PRESS | {"action": "edit", "result": DIALOG_OPENED}, None),
        (PRESS | {"kind": "mute", "action": "mute_word", "result": "refused"}, None),
        (PRESS | {"kind": "mute", "action": "mute_word", "result": "done"}, "mute_word by <@U0OPS> in <#C0HELP>"),
        (PRESS | {"kind": "task", "action": "stop", "result": "stopped"}, "stop by <@U0OPS> in <#C0HELP>: stopped"),
        (PRESS | {"kind": "reaction", "action": "missed_this", "result": "<#C0X> is not watched."}, None),
        (
            PRESS | {"kind": "reaction", "action": "missed_this", "result": "Recorded: it starts."},
            "missed_this by <@U0OPS> in <#C0HELP>: Recorded: it starts.",
        ),
        ({"kind": "silent_end", "result": "alarmed"}, None),
        ({"kind": "direct", "action": "message", "result": "refused"}, None),
        (
            {"kind": "runbook", "action": "start", "runbook": "restart`"},
            "runbook `restart'` started, as <@U0OPS> approved",
        ),
        (
            {"kind": "runbook", "action": "end", "runbook": "restart", "outcome": "timed-out"},
            "runbook `restart` ended: timed-out",
        ),
    ],
)
async def test_only_what_took_effect_is_an_event(record: dict[str, Any], row: str | None) -> None:
    """Tries that were refused, mistyped, failed or cancelled are for admins, in the audit."""
    told = await events(audit=[{"at": ago(1), "user_id": "U0OPS"} | record]).recent(RecentEvents(), command())
    assert [shown.partition("UTC> ")[2] for shown in told.rows] == ([row] if row else [])


def created(**changes: Any) -> Thread:
    """A task that was created an hour ago."""
    return ordered(400, title="Count *them*", created_at=NOW - timedelta(hours=1)).evolve(**changes)


def ended(outcome: Outcome) -> Thread:
    """The same task, ended half an hour ago."""
    thread, at = created(), NOW - timedelta(minutes=30)
    assert thread.order
    line = StatusChange(at=at, previous="collecting", next="closed")
    return thread.evolve(
        status="closed",
        outcome=outcome,
        closed_at=at,
        order=thread.order.evolve(outcome=outcome),
        status_history=(*thread.status_history, line),
    )


def outage(**changes: Any) -> Thread:
    """An incident that began two hours ago."""
    return broken(**({"since": NOW - timedelta(hours=2)} | changes))


BEGUN = f"task `{created().task}` created by <@U0ANA> in <#C0HELP>: Count *them*"
BROKEN = f"incident `{outage().task}` in <#C0HELP>: payments is down"
AGAIN = f"incident `{outage().task}` is over: payments is healthy again"
HEALTHY = {
    "recovered_at": NOW - timedelta(hours=1),
    "checks": (result(status="healthy"),),
    "failed_checks": (result(),),
}


@pytest.mark.parametrize(
    ("thread", "rows"),
    [
        (created(), [BEGUN]),
        (ended("replied"), [f"task `{created().task}` completed, as replied: Count *them*", BEGUN]),
        (ended("taken-over"), [f"task `{created().task}` completed, as taken over: Count *them*", BEGUN]),
        (ended("dismissed"), [f"task `{created().task}` failed, as dismissed: Count *them*", BEGUN]),
        (outage(), [BROKEN]),
        (outage(**HEALTHY), [AGAIN, BROKEN]),
        (outage(**(HEALTHY | {"since": NOW - timedelta(hours=30)})), [AGAIN]),
        (drafted(), []),
    ],
)
async def test_created_tasks_and_incidents_are_events(thread: Thread, rows: list[str]) -> None:
    """With their ends, each at its own time."""
    commands = events()
    store = commands.sources.store
    assert isinstance(store, MemoryStore)
    store.saved[thread.thread_id] = thread
    commands.open_threads.note(thread)
    told = await commands.recent(RecentEvents(), command())
    assert [shown.partition("UTC> ")[2] for shown in told.rows] == rows


async def test_a_question_without_a_draft_is_told_once() -> None:
    """By its own sentence, and not once more by the run that it ended with."""
    told = await events(run(1, hours=100, outcome="over_cap", thread_id=failed().thread_id)).recent(
        RecentEvents(hours=24), command()
    )
    assert told.rows == ()
    told = await EventCommands(
        **{**vars(events(run(1, hours=239, outcome="over_cap", thread_id=failed().thread_id))), "clock": HandClock()}
    ).recent(RecentEvents(hours=24), command())
    (row,) = told.rows
    assert row.partition("UTC> ")[2] == f"no draft for `{failed().task}` in <#C0HELP>: the day's money is used up"


async def test_a_busy_day_is_cut_where_it_says() -> None:
    """No more rows than are shown, no more records than are read."""
    busy = [{"posted_at": ago(1), "reply_text": "x", "chat_id": "C0HELP"}] * (MAX_RECORDS + 10)
    told = await events(replies=busy).recent(RecentEvents(hours=2), command())
    assert (len(told.rows), told.rows[-1]) == (26, f"… and {MAX_RECORDS - 25} older ones.")


class Projects:
    """A `ProjectOverview` that knows one project."""

    def find_project(self, name: str) -> str:
        """The one, or none."""
        if name != "triage":
            raise NotDone(f"There is no project `{name}`.")
        return name


class Names:
    """Names of no task."""

    async def names(self) -> list[str]:
        """None."""
        return []


def spending(*sessions: Session, has_agents: bool = True) -> UsageCommands:
    """Over records in memory, and one thread."""
    store = MemoryStore()
    thread = drafted()
    store.saved[thread.thread_id] = thread
    engine = "claude" if has_agents else "keyword"
    journals = {name: MemoryJournal() for name in ("classified", "audit", "replies", "labels", "feedback")}
    return UsageCommands(
        sources=Sources(sessions=MemorySessions(*sessions), store=store, **journals),
        clock=HandClock(start=NOW),
        engine=engine,
        has_agents=has_agents,
        overview=Projects(),  # type: ignore[arg-type]  # it has the one call
        finder=TaskFinder(
            store=store,
            tasks=Names(),
            orchestrator=orchestrator(store),
            team_id=TEAM,
            url="https://acme.slack.com/",
        ),
    )


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", ["2026-01-15", "2026-01-14"]),
        ("agent", ["investigator on claude-opus-5-5", "validator on claude-opus-5-5", "investigator on free"]),
        ("project", ["triage", "no project known"]),
        ("task", [drafted().task, "no task"]),
    ],
)
async def test_tokens_are_told_apart(by: str, names: list[str]) -> None:
    """The dearest first, days the newest first."""
    home = drafted().thread_id
    runs = (
        run(1, thread_id=home),
        run(2, thread_id=home, agent="validator", cost_usd=0.125),
        run(3, hours=20, model="free", cost_usd=None),
        run(4, hours=24 * 8),
    )
    answer = await spending(*runs).tokens(TokenUsage.model_validate({"by": by}), command())
    assert answer.line == (
        "The last 7 days: 3 runs, 6,402 tokens "
        "(300 in, 6,000 from the cache, 90 into it, 12 out), $0.38, and 1 run of unknown cost."
    )
    assert [row.split("`")[1] for row in answer.rows] == names
    _, table = answer.blocks
    checked_blocks([*answer.blocks])
    assert [row[0]["text"] for row in table["rows"]] == [by.capitalize(), *names]
    unknown = ("1", "$0.00, and 1 run of unknown cost")
    cost = {row[0]["text"]: (row[1]["text"], row[-1]["text"]) for row in table["rows"]}
    assert cost.get("investigator on free", unknown) == unknown


@pytest.mark.parametrize(
    ("words", "phrase", "numbers"),
    [
        ({"project": "triage"}, " in `triage`: 2 runs", [2]),
        ({"task": drafted().task}, f" for `{drafted().task}`: 2 runs", [2]),
        ({"task": drafted().task, "project": "triage", "by": "agent"}, " in `triage`: 2 runs", [1, 1]),
        ({"project_id": "triage", "by": "day"}, " in `triage`: 2 runs", [2]),
    ],
)
async def test_the_runs_of_one_project_or_task_are_counted_alone(
    words: dict[str, str], phrase: str, numbers: list[int]
) -> None:
    """By each grouping, and by the specification's names."""
    home = drafted().thread_id
    runs = (run(1, thread_id=home), run(2, thread_id=home, agent="validator"), run(3))
    commands = handler(runs={"get_token_usage": spending(*runs).tokens})
    answer = await commands.execute("get_token_usage", words, command())
    assert phrase in answer.line
    assert answer.data is not None
    data = answer.data.model_dump()
    assert (data["runs"], [group["runs"] for group in data["groups"]]) == (2, numbers)
    assert {data["project"], data["task"]} - {None} == {each for each in words.values() if each not in ("agent", "day")}


@pytest.mark.parametrize(
    ("words", "outcome", "says"),
    [
        ({"project": "shop"}, "invalid", "There is no project `shop`."),
        ({"task": "no-such-task-0101-0000-aaaaaa"}, "invalid", "There is no task"),
        ({"task": "<b>"}, "invalid", "expected a task's name"),
        ({"task": "x" * 200}, "invalid", "expected a task's name"),
    ],
)
async def test_an_unknown_project_or_task_is_named(words: dict[str, str], outcome: str, says: str) -> None:
    """With the next step."""
    commands = handler(runs={"get_token_usage": spending(run(1)).tokens})
    answer = await commands.execute("get_token_usage", words, command())
    assert (answer.outcome, says in answer.text) == (outcome, True), answer.text


async def test_a_task_without_runs_costs_nothing() -> None:
    """It is named all the same."""
    answer = await spending(run(1)).tokens(TokenUsage.model_validate({"task": drafted().task}), command())
    assert answer.line == f"No agent has run for `{drafted().task}` in the last 7 days."


@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (100, 40)])
async def test_as_many_events_are_listed_as_somebody_wants(limit: int, shown: int) -> None:
    """The newest ones; the others are counted."""
    busy = [{"posted_at": ago(n), "reply_text": f"{n}", "chat_id": "C0HELP"} for n in range(1, 41)]
    told = await events(replies=busy).recent(RecentEvents(hours=48, limit=limit), command())
    assert told.data is not None
    data = told.data.model_dump()
    assert (len(data["events"]), data["total"], data["omitted"]) == (shown, 40, 40 - shown)
    assert "replied 1 in" in told.rows[0]


@pytest.mark.parametrize(
    ("user", "words", "outcome"),
    [
        (OPERATOR, {"limit": 0}, "invalid"),
        (OPERATOR, {"limit": 101}, "invalid"),
        (OPERATOR, {"limit": "all"}, "invalid"),
        (OPERATOR, {"hours": 169}, "invalid"),
        (MEMBER, {"limit": 5}, "refused"),
        (OPERATOR, {"limit": 5}, "done"),
    ],
)
async def test_who_may_list_events_and_how_many(user: str, words: dict[str, Any], outcome: str) -> None:
    """Between one and a hundred, for operators."""
    commands = handler(runs={"get_recent_events": events().recent})
    assert (await commands.execute("get_recent_events", words, command(user_id=user))).outcome == outcome


async def test_an_engine_without_agents_costs_nothing_and_says_so() -> None:
    """Beside what was used before, where there is any."""
    answer = await spending(has_agents=False).tokens(TokenUsage(), command())
    assert answer.line == "No agent has run in the last 7 days. The keyword engine answers, which costs nothing."
