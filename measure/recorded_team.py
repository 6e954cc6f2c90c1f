"""A demonstration team: a home with four recorded weeks, for `triage report`.

    python -m measure.recorded_team --home /tmp/team
    triage report --home /tmp/team --html report.html

The records are drawn by a seeded lot, in the forms in which a bot keeps them; no team has written them. They end at the
present time, so that the report finds them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.adapters.sessions import SessionFiles
from bot.models.baseline import Baseline, ChannelTimes
from bot.models.decision import Decision, Round
from bot.models.escalation import Escalation
from bot.models.message_sample import MessageSample, SampledMessage
from bot.runtime.system_events import STARTED
from bot.wiring.file_storage import FileStorage
from bot.wiring.report_records import keep_baseline
from tests.builders import CHANNEL, OPERATOR, findings, reference
from tests.builders import draft_for as seal
from tests.reports.criteria.home import Home as Records
from tests.reports.criteria.home import evaluation, figures_of, history, row, session_of, thread_at, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.session import Session
    from bot.models.thread import Thread

WEEKS = 4
QUESTIONS = 48
"""Questions of a week."""
LEFT_ALONE = 130
"""Messages of a week that are no questions."""
SAMPLED = 16
PASSED, BOUNCED, LONG, KEYWORD = 0.78, 0.16, 0.05, 0.12
"""Shares of the questions: passed in the first round, sent back by the operator, with a long run, without a model."""
CHANNELS = {CHANNEL: "help-platform", "C0PAY": "payments"}


def record_team(seed: int, now: datetime) -> Records:
    """Draw the records of the four weeks before `now`."""
    lot, records = random.Random(seed), Records()  # noqa: S311  # a lot, not a secret
    for week in range(WEEKS):
        begin = now - timedelta(days=7 * (WEEKS - week))
        for number in range(LEFT_ALONE):
            kind = lot.choices(("ambient", "ack"), (3, 1))[0]
            records.classified.append(_classify(_draw_time(lot, begin), kind, f"left-{week}-{number}"))
        for number in range(QUESTIONS):
            _add_question(records, lot, _draw_time(lot, begin), week * QUESTIONS + number)
        records.samples += [
            SampledMessage(
                chat_id=CHANNEL,
                message_id=f"{week}.{number}",
                classification="ambient",
                stratum=f"{CHANNEL} clear",
                weight=LEFT_ALONE / SAMPLED,
                judgement="missed" if week == 1 and number == 3 else "fine",
                by=OPERATOR,
                at=begin + timedelta(days=6.9),
            )
            for number in range(SAMPLED)
        ]
        if week % 2:
            kinds = ("wrong path", "wrong line", "changed quote")
            records.evaluations.append(evaluation(begin + timedelta(days=5), *(row(kind, 4, 4, 4) for kind in kinds)))
    records.starts = [now - timedelta(days=20), now - timedelta(days=6)]
    records.before = Baseline(
        source="export.zip",
        classifier="7",
        since=now - timedelta(days=7 * WEEKS + 60),
        until=now - timedelta(days=7 * WEEKS),
        channels=tuple(
            ChannelTimes(
                channel=channel,
                name=name,
                seconds=tuple(sorted(round(lot.lognormvariate(7.4, 1.1)) for _ in range(90))),
                unanswered=11,
            )
            for channel, name in CHANNELS.items()
        ),
    )
    return records


def _draw_time(lot: random.Random, begin: datetime) -> datetime:
    """Draw a time at work, Monday to Friday between 8 and 18, in the week that begins then."""
    monday = begin - timedelta(days=begin.weekday(), hours=begin.hour, minutes=begin.minute)
    at = monday + timedelta(days=lot.randrange(5), hours=8 + 10 * lot.random())
    return at if at >= begin else at + timedelta(days=7)


def _classify(at: datetime, kind: str, ts: str) -> dict[str, Any]:
    return {"classified_at": at.isoformat(), "classification": kind, "chat_id": CHANNEL, "message_id": ts}


def _add_question(records: Records, lot: random.Random, at: datetime, number: int) -> None:
    """Add a question from its message to its reply, with its runs, its verdicts and its cost."""
    thread = thread_at(at, project=lot.choice(("shop", "shop", "payments")))
    records.classified.append(_message_of(thread, at))
    answered = at + timedelta(seconds=round(lot.lognormvariate(5.6, 0.8)))
    is_long, by_model = lot.random() < LONG, lot.random() > KEYWORD
    runs = _draw_runs(thread, lot, at, number, answered, is_long=is_long) if by_model else []
    changes: dict[str, Any] = {"runs": tuple(map(figures_of, runs)), "engine": "claude" if by_model else "keyword"}
    if is_long and by_model:
        changes |= {
            "escalation": Escalation(
                tier=2,
                reason="the history of the code is long",
                decided_at=at,
                started_at=at,
                watch_command="tmux attach",
            ),
            "escalation_transcript_path": f"escalations/{thread.thread_id}/transcript.log",
            "status_history": history(at, (1, "investigating", "escalated"), (25, "escalated", "pending-user")),
        }
    passed = lot.random() < PASSED
    verdicts = [verdict(at + timedelta(minutes=1), "pass" if passed else "bounce")] if by_model else []
    if lot.random() < BOUNCED:
        sent_back = Round(
            number=1, draft="It is set in `bot/a.py:1`.", refs=("bot/a.py:1",), by="operator", attack="See b.py:4"
        )
        improved = lot.random() < 0.85
        refs = ("bot/b.py:4",) if improved else ("bot/a.py:1",)
        changes |= {
            "rounds": (sent_back,),
            "investigator_round": 2,
            "investigator_return": findings(evidence_refs=tuple(reference(ref=each) for each in refs)),
            "draft_pending": seal(thread, f"It is {'42' if improved else 'set'}, in `{refs[0]}`."),
            "decision": Decision(action="approve", by=OPERATOR, at=answered),
        }
        verdicts.append(verdict(at + timedelta(minutes=2), "pass"))
    thread = thread.evolve(judged=tuple(verdicts), **changes)
    records.threads.append(thread)
    records.sessions += runs
    records.replies.append(
        {
            "thread_id": thread.thread_id,
            "draft_id": f"{thread.thread_id}/1",
            "posted_at": answered.isoformat(),
            "investigator_task_id": runs[0].session_id if runs else None,
            "project": thread.project,
            "engine": changes["engine"],
        }
    )


def _message_of(thread: Thread, at: datetime) -> dict[str, Any]:
    """Return the question as a line of `events-classified.ndjson`."""
    message = thread.messages[0]
    return _classify(at, "actionable", thread.root_ts) | {
        "team_id": thread.team_id,
        "chat_name": CHANNELS[CHANNEL],
        "thread_id": None,
        "content": "how do I reset my password? it says 'account locked'",
        "sender": {"id": message.sender_id, "type": "user"},
    }


def _draw_runs(
    thread: Thread, lot: random.Random, at: datetime, number: int, answered: datetime, *, is_long: bool
) -> list[Session]:
    runs = [
        session_of(thread, at, number, cost_usd=round(lot.uniform(0.06, 0.3), 4)),
        session_of(thread, at, number + 10_000, agent="validator", cost_usd=round(lot.uniform(0.02, 0.08), 4)),
    ]
    if is_long:
        long = session_of(thread, at, number + 5_000, tier=2, saved_at=answered, cost_usd=round(lot.uniform(0.5, 2), 4))
        runs.insert(1, long)
    if number % 5 == 0:
        runs.append(session_of(None, at, number + 30_000, agent="chat", cost_usd=0.03))
    return runs


async def write_home(folder: Path, records: Records, now: datetime) -> None:
    """Write the records in the forms of a home."""
    home = Home(folder)
    for path, lines in ((home.classified, records.classified), (home.replies, records.replies)):
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    documents, sessions = Documents(home.state, stop=None), SessionFiles(home.sessions)
    for thread in records.threads:
        await documents.save(thread)
    for session in records.sessions:
        await sessions.save(session)
    starts = ({"at": at.isoformat(timespec="seconds"), "message": STARTED % (1, 0, 0)} for at in records.starts)
    home.system.write_text("".join(f"{json.dumps(line)}\n" for line in starts))
    home.samples.write_text(json.dumps(_write_samples(records.samples, now)))
    home.evaluations.mkdir(exist_ok=True)
    for number, each in enumerate(records.evaluations):
        (home.evaluations / f"{number}.json").write_text(each.model_dump_json())
    if records.before:
        await keep_baseline(FileStorage(home.path), records.before)


def _write_samples(rows: Sequence[SampledMessage], now: datetime) -> dict[str, Any]:
    samples = {}
    for week in range(WEEKS):
        day = (now - timedelta(days=7 * (WEEKS - 1 - week))).date()
        of_week = tuple(rows[week * SAMPLED : (week + 1) * SAMPLED])
        sample = MessageSample(day=day, operator=OPERATOR, drawn_at=now, messages=LEFT_ALONE, rows=of_week)
        samples[day.isoformat()] = sample.model_dump(mode="json")
    return samples


def main() -> int:
    """Write the home of `--home`, which must not exist yet."""
    parser = argparse.ArgumentParser(description="Write a home with four recorded weeks of a demonstration team.")
    parser.add_argument("--home", type=Path, required=True, metavar="DIR", help="a folder that does not exist yet")
    parser.add_argument("--seed", type=int, default=2, metavar="N", help="the lot (default: 2)")
    options = parser.parse_args()
    if options.home.exists():
        sys.stderr.write(f"{options.home}: expected a folder that does not exist yet\n")
        return 2
    now = datetime.now(UTC)
    asyncio.run(write_home(options.home, record_team(options.seed, now), now))
    sys.stdout.write(f"Written. Next: triage report --home {options.home} --html report.html\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
