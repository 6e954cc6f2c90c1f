"""Eight weeks of a team by a seeded lot: journals, documents, sessions, samples and evaluations as they are kept."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.models.baseline import Baseline, ChannelTimes
from bot.models.criterion import Criterion
from bot.models.decision import Decision, Round
from bot.models.drill_row import DrillRow, Tally
from bot.models.escalation import Escalation
from bot.models.evaluation import EngineEvaluation, Evaluation
from bot.models.message_sample import SampledMessage
from bot.models.run_figures import RunFigures
from bot.models.session import Session
from bot.models.status_change import StatusChange
from bot.models.thread import Thread
from bot.models.turn import Usage
from bot.models.verdict import CountedVerdict
from bot.reports.criteria import Recorded, build_report
from tests.builders import CHANNEL, OPERATOR, TEAM, added, findings, moved, reference
from tests.builders import draft_for as seal

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
AT = NOW - timedelta(days=2)
WEEKS = 8


@dataclass
class Home:
    """Its records; `recorded` has them as the report takes them."""

    classified: list[dict[str, Any]] = field(default_factory=list)
    replies: list[dict[str, Any]] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    samples: list[SampledMessage] = field(default_factory=list)
    starts: list[datetime] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    before: Baseline | None = None
    weeks: list[Baseline | None] = field(default_factory=list)

    def recorded(self) -> Recorded:
        """Everything."""
        return Recorded(**vars(self))


def thread_at(at: datetime, **changes: Any) -> Thread:
    """A thread that began then, with a draft."""
    ts = f"{at.timestamp():.6f}"
    thread = moved(None, added(ts=ts)).evolve(
        thread_id=f"{TEAM}-{CHANNEL}-{ts}", investigator_return=findings(), status="pending-user", investigator_round=1
    )
    thread = thread.evolve(started_at=at, last_event_at=at, status_history=history(at))
    return thread.evolve(**({"draft_pending": seal(thread)} | changes))


def history(at: datetime, *further: tuple[float, str, str]) -> tuple[StatusChange, ...]:
    """The changes of a question's status; the further ones come so many minutes after it."""
    steps = ((0.0, "new", "collecting"), (0.1, "collecting", "investigating"), *further)
    return tuple(StatusChange(at=at + timedelta(minutes=m), previous=was, next=now) for m, was, now in steps)


def session_of(thread: Thread | None, at: datetime, number: int, **changes: Any) -> Session:
    """A run for a thread."""
    values: dict[str, Any] = {
        "session_id": f"{at:%Y%m%dT%H%M%S}-run{number}",
        "agent": "investigator",
        "model": "claude-opus-5-5",
        "thread_id": thread.thread_id if thread else None,
        "started_at": at,
        "saved_at": at + timedelta(minutes=2),
        "usage": Usage(input_tokens=20_000 + number, output_tokens=900),
        "outcome": "answered",
    }
    return Session(**(values | changes))


def figures_of(session: Session) -> RunFigures:
    """Its figures in the document."""
    return session.to_figures()


def verdict(at: datetime, word: Any, round_: int = 1, gate: Any = None) -> CountedVerdict:
    """A counted verdict."""
    return CountedVerdict(at=at, question_round=round_, verdict=gate or word or "bounce", validator=word)


def row(kind: str, cases: int, by_code: int, stopped: int | None) -> DrillRow:
    """A class of a drill."""
    tally = None if stopped is None else Tally(count=stopped, total=cases)
    return DrillRow(
        kind=kind, cases=cases, by_code=Tally(count=by_code, total=cases), stopped=tally, named=None, no_verdict=0
    )


def evaluation(at: datetime, *rows: DrillRow) -> Evaluation:
    """An evaluation with these planted faults."""
    return Evaluation(saved_at=at.isoformat(), engines=(EngineEvaluation(engine="keyword", planted=rows),))


def times(*channels: tuple[str, tuple[int, ...]], at: datetime = NOW) -> Baseline:
    """Answer times by channel."""
    return Baseline(
        source="home",
        classifier="7",
        since=at - timedelta(days=7),
        until=at,
        channels=tuple(ChannelTimes(channel=f"C0{n}", name=n, seconds=s, unanswered=0) for n, s in channels),
    )


def live(seed: int) -> Home:
    """Eight weeks, some records older or newer than the report looks at."""
    lot, home = random.Random(seed), Home()
    for number in range(1_200):
        at = NOW - timedelta(days=lot.uniform(-0.5, 60))
        name = lot.choice(("actionable", "ambient", "ambient", "ack", "odd"))
        record = {
            "classified_at": at.isoformat(),
            "classification": name,
            "chat_id": CHANNEL,
            "message_id": f"{number}.1",
        }
        home.classified += [record] if lot.random() < 0.9 else [record, {**record, "classification": "ambient"}]
    for number in range(160):
        _add_question(home, lot, number)
    home.starts = sorted(NOW - timedelta(days=lot.uniform(0, 50)) for _ in range(400))
    for number in range(180):
        at = NOW - timedelta(days=lot.uniform(0, 100))
        judgement = lot.choice(("fine", "fine", "fine", "missed", None))
        home.samples.append(
            SampledMessage(
                chat_id=CHANNEL,
                message_id=f"{number}.5",
                classification="ambient",
                stratum="s",
                weight=lot.uniform(1, 9),
                judgement=judgement,
                by=judgement and OPERATOR,
                at=at if judgement else None,
            )
        )
    home.before = times(("help", tuple(lot.randrange(9_000) for _ in range(40))), ("ops", (5, 9, 70)))
    home.weeks = [times(("help", tuple(lot.randrange(6_000) for _ in range(lot.randrange(30))))) for _ in range(WEEKS)]
    home.weeks[2] = None
    for days in (80, 20, 5):
        rows = (row("wrong path", 3, 3, 2), row("changed quote", 3, lot.choice((1, 3)), 1), row("scope drift", 3, 0, 1))
        home.evaluations.append(evaluation(NOW - timedelta(days=days), *rows))
    return home


def _add_question(home: Home, lot: random.Random, number: int) -> None:
    """Add a question with its runs, its verdicts, and its end."""
    at = NOW - timedelta(days=lot.uniform(0, 60)) if number % 3 else NOW - timedelta(days=1 + number / 40)
    thread = thread_at(at)
    tier = lot.choice((1, 1, 1, 2))
    outcome = lot.choice(("answered", "answered", "limit", "died", "cancelled", "running")) if tier > 1 else "answered"
    ended = at + timedelta(hours=lot.uniform(0.1, 30))
    runs = [session_of(thread, at, number)]
    if tier > 1:
        runs.append(session_of(thread, at, number + 5_000, tier=tier, outcome=outcome, saved_at=ended))
    runs.append(session_of(thread, at, number + 10_000, agent="validator"))
    if lot.random() < 0.1:
        runs.append(session_of(thread, at, number + 20_000, agent="dispatcher"))
    home.sessions += [*runs, session_of(None, at, number + 30_000, agent="chat")]
    changes: dict[str, Any] = {"runs": tuple(map(figures_of, runs))}
    if tier > 1:
        changes["escalation"] = Escalation(
            tier=2, reason="long", decided_at=at, started_at=at, watch_command=lot.choice(("tmux attach", ""))
        )
        changes["escalation_transcript_path"] = lot.choice(("transcript.log", None))
        minutes = (ended - at).total_seconds() / 60 + 1
        changes["status_history"] = history(
            at, (1, "investigating", "escalated"), (minutes, "escalated", "pending-user")
        )
    word = lot.choice(("pass", "pass", "pass", "bounce", None))
    verdicts = [verdict(at + timedelta(minutes=3), word)]
    if lot.random() < 0.4:
        attack = lot.choice(("Wrong", "Outdated: see b.py:4", "a.py is wrong", ""))
        sent_back = Round(
            number=1, draft="It is set in `bot/a.py:1`.", refs=("bot/a.py:1",), by="operator", attack=attack
        )
        refs = lot.choice((("bot/a.py:1",), ("bot/b.py:4",)))
        changes |= {
            "rounds": (sent_back,),
            "investigator_round": 2,
            "investigator_return": findings(evidence_refs=tuple(reference(ref=each) for each in refs)),
            "draft_pending": seal(thread, lot.choice(("It is set in `bot/a.py:1`.", "It is 42, in `bot/a.py:1`."))),
        }
        verdicts.append(verdict(at + timedelta(minutes=9), "pass"))
        if lot.random() < 0.5:
            action: Any = lot.choice(("approve", "dismiss"))
            changes["decision"] = Decision(action=action, by=OPERATOR, at=at + timedelta(minutes=20))
    thread = thread.evolve(judged=tuple(verdicts), **changes)
    home.threads.append(thread)
    reply = {"thread_id": thread.thread_id, "draft_id": f"{thread.thread_id}/1", "posted_at": ended.isoformat()}
    home.replies.append({**reply, "investigator_task_id": runs[0].session_id})


def measured(name: str, **recorded: Any) -> Criterion:
    """One criterion of these records."""
    return next(each for each in build_report(Recorded(**recorded), now=NOW).criteria if each.id == name)


def told(criterion: Criterion) -> tuple[str, float | None, int, int]:
    """Its standing, figure, cases and missing cases."""
    return criterion.standing, criterion.measurement.figure, criterion.measurement.cases, criterion.missing
