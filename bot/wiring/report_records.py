"""Records of a bot for the acceptance report: journals, documents, sessions, samples, evaluations, starts, and the
baseline."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.decide.classify.stream_classifier import StreamClassifier
from bot.errors import Unreadable
from bot.models.baseline import Baseline
from bot.models.evaluation import Evaluation
from bot.models.message_sample import MessageSample
from bot.reports.baseline import measure_weeks
from bot.reports.criteria import Recorded
from bot.reports.criteria.measuring import TREND_WEEKS, WEEK
from bot.reports.minutes import read_moment
from bot.reports.records import read_threads, records_since
from bot.runtime.system_events import STARTED

if TYPE_CHECKING:
    from pathlib import Path

    from bot.adapters.home import Home
    from bot.intake.team import Team
    from bot.models.message_sample import SampledMessage
    from bot.ports.outbound import Journal, JsonFile
    from bot.ports.storage import Storage

LOOKED_BACK = 12 * WEEK
"""Age up to which records are read: the longest period of a criterion."""
_NAMED = 3
"""Most damaged documents that are named."""
_STARTED = re.compile(re.escape(STARTED).replace("%d", r"(?<!\d)\d++"))


async def read_baseline(storage: Storage) -> tuple[Baseline | None, str]:
    """Return the kept baseline, or `None` and why one that is there cannot be used."""
    file = storage.json_file("baseline")
    try:
        return (Baseline.model_validate(await file.read_whole()) if await file.exists() else None), ""
    except (Unreadable, ValidationError) as problem:
        reason = f"baseline.json in {storage.place} does not parse ({type(problem).__name__})"
        return None, f"No comparison: {reason}. Measure it again: `triage report --baseline`."


async def keep_baseline(storage: Storage, baseline: Baseline) -> None:
    """Write the baseline, in place of an earlier one. Raises `RetryLater`."""
    await storage.json_file("baseline").write(baseline.model_dump(mode="json"))


@dataclass(frozen=True, kw_only=True)
class HomeRecords:
    """Records of a bot that runs: those that replicas share, and its home. `team` has the classifier in force."""

    home: Home
    storage: Storage
    team: Team

    async def read(self, *, now: datetime) -> Recorded:
        """Read them; the messages are classified anew, as those of the baseline were."""
        return await read_recorded(self.home, self.storage, StreamClassifier(self.team.classifier), now=now)


async def read_recorded(home: Home, storage: Storage, classifier: StreamClassifier, *, now: datetime) -> Recorded:
    """Read what the criteria are measured by."""
    since = now - LOOKED_BACK
    threads, unread = await read_threads(storage.store(None), since)
    before, problem = await read_baseline(storage)
    classified = await records_since(storage.journal("events-classified", None), "classified_at", since)
    replies = await records_since(storage.journal("replies", None), "posted_at", since)
    return Recorded(
        classified=classified,
        replies=replies,
        sessions=await storage.sessions().list_since(since.date()),
        threads=threads,
        damage=_describe_unread(unread, storage.place),
        samples=await _read_samples(storage.json_file("samples")),
        evaluations=await asyncio.to_thread(_read_evaluations, home.evaluations),
        starts=await asyncio.to_thread(_read_starts, home.system),
        before=before,
        before_problem=problem,
        weeks=await asyncio.to_thread(measure_weeks, classified, replies, classifier, now=now, weeks=TREND_WEEKS),
    )


def _describe_unread(ids: list[str], place: str) -> str:
    if not ids:
        return ""
    count = "1 document of a thread does" if len(ids) == 1 else f"{len(ids)} documents of threads do"
    return f"Left out: {count} not parse, in {place}: {', '.join(ids[:_NAMED])}{', …' if len(ids) > _NAMED else ''}."


async def find_first_message(classified: Journal) -> datetime | None:
    """Return the time of the first classified message: before that Triage was not there."""
    async for record in classified.records():
        try:
            return datetime.fromtimestamp(float(record["message_id"]), UTC)
        except (KeyError, TypeError, ValueError):
            continue
    return None


async def _read_samples(file: JsonFile) -> list[SampledMessage]:
    """Return the rows of all weekly samples that parse."""
    rows: list[SampledMessage] = []
    for record in (await file.read()).values():
        try:
            rows += MessageSample.model_validate(record).rows
        except ValidationError:
            continue
    return rows


def _read_evaluations(folder: Path) -> list[Evaluation]:
    """Return the kept evaluations that parse."""
    evaluations = []
    for path in sorted(folder.glob("*.json")):
        try:
            evaluations.append(Evaluation.model_validate_json(path.read_bytes()))
        except (OSError, ValueError):
            continue
    return evaluations


def _read_starts(path: Path) -> list[datetime]:
    """Return the times at which the bot was started, by its log; empty without a log."""
    starts: list[datetime] = []
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if _STARTED.search(line) and (at := _read_time(line)):
                    starts.append(at)
    except FileNotFoundError:
        return []
    return starts


def _read_time(line: str) -> datetime | None:
    try:
        return read_moment(json.loads(line)["at"])
    except (ValueError, KeyError, TypeError):
        return None
