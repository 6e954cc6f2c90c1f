"""Run of one row: engines as the bot builds them, over the row's server, and everything that must hold afterwards."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from bot.adapters.home import Home
from bot.adapters.prices import PriceTable
from bot.agents.evidence import EvidenceChecker
from bot.config.environment import Environment
from bot.config.settings import Settings
from bot.decide.gate import reach_verdict
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.findings import Assignment
from bot.models.project import Project
from bot.models.verdict import Review
from bot.models.visible import clean
from bot.wiring.engines import build_engines
from bot.wiring.file_storage import FileStorage
from measure.battery.play import FINDINGS, VERDICT, CountingServer, Play, write_project
from measure.battery.row import Ending, Outcome, Row
from tests.fakes import MemoryJournal
from tests.model_dialects import SAID

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.models.findings import EngineReport
    from tests.model_stream import Body

THREAD = "T0SANDBOX-C0HELP-1.000001"
SLUG = "1-000001-battery"
COST = 0.02
"""Goal: share by which the known cost may differ from the server's count."""
GRACE = 2.0
"""Seconds beyond the limits, for the keyword engine."""


@dataclass
class Record:
    """What a run leaves behind."""

    reason: str = ""
    notes: str = ""
    has_draft: bool = False
    faults: list[str] = field(default_factory=list)
    kept: str = ""
    """All texts of the runs' files."""
    sessions: list[Body] = field(default_factory=list)
    ledger_usd: float = 0.0

    @property
    def ended(self) -> Ending:
        """Return the ending."""
        if not self.reason:
            return "draft"
        return "notes" if self.notes else "reason"


async def run_row(row: Row) -> Outcome:
    """Run a row, and check it."""
    play, record = Play(row.turns), Record()
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        write_project(Path(folder) / "shop")
        server = CountingServer(play)
        SAID.set(lambda body: _say_in_dialect(server, play, body))
        async with server:
            made = _build(row, server, home, play)
            try:
                await made.start()
                await _draft(made, Path(folder) / "shop", record)
            except TriageError as problem:
                record.faults.append(f"no engine answers: {problem}")
            except Exception as problem:  # the row must be reported with the others
                record.faults.append(f"{type(problem).__name__}: {problem}")
            finally:
                await made.close()
            record.ledger_usd = made.ledger.spent if made.ledger else 0.0
        record.sessions = [json.loads(path.read_text()) for path in sorted(home.sessions.glob("*.json"))]
        record.kept = "\n".join(_texts_of(home.tasks)) + record.notes
    return _judge(row, play, server, record)


def _build(row: Row, server: CountingServer, home: Home, play: Play) -> Engines:
    address = {"base_url": server.url} if row.has_key else {}
    sections: Any = {"model": address | row.model, "investigator": {"hard_cap_runtime_min": row.minutes}}
    settings = Settings(engine="claude", mcp=row.mcp, **sections)
    key = SecretStr("key-of-the-battery") if row.has_key else None
    return build_engines(
        settings,
        Environment(anthropic_api_key=key),
        home,
        FileStorage(home.path),
        clock=play.clock,
        redactor=Redactor(),
        replies=MemoryJournal(),
        tell=lambda line: None,
    )


async def _draft(made: Engines, root: Path, record: Record) -> None:
    """Investigate and validate as the workflow does."""
    project = Project(name="shop", root=root, description="A small shop.")
    assignment = Assignment(
        question="how often is a payment tried again?",
        projects=(project,),
        asker="Ana",
        thread_id=THREAD,
        question_type="technical_qa",
        task=SLUG,
        journal="investigator.md",
    )
    report = await made.engine.investigate(assignment)
    if report.fallback:
        record.reason, record.notes = report.fallback, report.unchecked_notes
        return
    record.has_draft = bool(report.findings.draft_reply.strip())
    try:
        await _validate(made, report, project)
    except TriageError as problem:
        record.reason, record.notes = str(problem), problem.unchecked_notes


async def _validate(made: Engines, report: EngineReport, project: Project) -> None:
    checker = EvidenceChecker(project.root)
    checks = tuple([await checker.check(reference) for reference in report.findings.evidence_refs])
    review = Review(
        question="how often is a payment tried again?",
        question_type="technical_qa",
        project=project,
        findings=report.findings,
        checks=checks,
        thread_id=THREAD,
        task=SLUG,
        journal="validator.md",
    )
    if made.validator is None:
        raise TriageError("there is no validator")
    reach_verdict(report.findings, checks, await made.validator.validate(review))


def _say_in_dialect(server: CountingServer, play: Play, body: Body) -> str:
    """Return the answer of a dialect, and count it as `model_dialects` reports it."""
    server.note(body, {"input_tokens": 9, "output_tokens": 5})
    place = {"ref": "a.py:1", "quote": "LIMIT = 3"}
    found = FINDINGS | {"evidence_refs": [FINDINGS["evidence_refs"][0] | place]}
    said = json.dumps(VERDICT | {"spot_check_ref": "a.py:1"} if play.agent == "validator" else found)
    if '"tool_result"' in json.dumps(body["messages"]):
        play.sent.append(said)
    return said


def _texts_of(tasks: Path) -> list[str]:
    """Return the texts of all steps that the runs have kept."""
    texts = []
    for path in tasks.glob(f"{SLUG}/*.json"):
        record = json.loads(path.read_text())
        texts += [step["model"] for step in record.get("steps", ()) if "model" in step]
        texts += record.get("broken", ())
    return texts


def _judge(row: Row, play: Play, server: CountingServer, record: Record) -> Outcome:
    faults, requests = record.faults, len(server.requests)
    if record.ended not in row.ends:
        faults.append(f"ended with {record.ended}, not {' or '.join(sorted(row.ends))}: {record.reason}")
    if record.reason and not re.search(row.reason or "(?!)", record.reason):
        faults.append(f"the reason is another: {record.reason}")
    limit = 60 * row.minutes * 1.8 + GRACE  # the validator has its own limit, 0.8 of the investigator's
    if play.clock.seconds > limit:
        faults.append(f"{play.clock.seconds:.0f} s, of {limit:.0f} s")
    if row.requests is not None and requests != row.requests:
        faults.append(f"{requests} requests, not {row.requests}")
    kept, redact = _squeeze(record.kept), Redactor().redact
    faults += [f"lost text: {text[:60]!r}" for text in play.sent if text.strip() and _squeeze(redact(text)) not in kept]
    deviation, wrong = _compare_costs(server, play, record)
    return Outcome(
        row=row,
        ended=record.ended,
        reason=record.reason,
        seconds=play.clock.seconds,
        deviation=deviation,
        faults=(*faults, *wrong),
    )


def _squeeze(text: str) -> str:
    return "".join(clean(text).split())


def _compare_costs(server: CountingServer, play: Play, record: Record) -> tuple[float, list[str]]:
    """Return the deviation of the known cost from the server's count, and what is wrong.

    What the server did not report counts as at most so much: then its count must lie between the known and the most.
    """
    prices, faults = PriceTable(), []
    counts = [usage for body, usage in server.__dict__.get("counts", {}).items() if body not in play.unbilled]
    counted = sum(prices.cost("claude-opus-5-5", usage) or 0.0 for usage in counts)
    most = sum((one["cost_usd"] or 0.0) + one["unsure_usd"] for one in record.sessions)
    if any(one["held_usd"] for one in record.sessions):
        faults.append("money is still held")
    if abs(most - record.ledger_usd) > 0.00001:
        faults.append(f"sessions ${most:.6f}, ledger ${record.ledger_usd:.6f}")
    if any(one["unsure_usd"] for one in record.sessions):
        known = sum(one["cost_usd"] or 0.0 for one in record.sessions)
        if not known / (1 + COST) <= counted <= most * (1 + COST):
            faults.append(f"the server counts ${counted:.6f}, the sessions ${known:.6f} to ${most:.6f}")
        return 0.0, faults
    deviation = abs(most - counted) / counted if counted else most
    if deviation > COST:
        faults.append(f"the server counts ${counted:.6f}, the sessions ${most:.6f}")
    return deviation, faults
