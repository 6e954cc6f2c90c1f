"""One investigation and its validation, turn by turn: `python -m measure.agents`.

The agents, their tools, the checks and the HTTP calls are the real ones, over this source. **The model is scripted**:
what it says was written by hand, so this shows how a run goes and what it carries, never how good a model is. Tokens
are the scripted server's estimate, four characters a token.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import textwrap
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.clock import SystemClock
from bot.adapters.home import Home
from bot.adapters.journal import NdjsonJournal
from bot.agents.evidence import EvidenceChecker
from bot.config.environment import Environment
from bot.config.settings import Settings
from bot.decide.gate import reach_verdict
from bot.decide.redaction.redactor import Redactor
from bot.models.findings import Assignment
from bot.models.project import Project
from bot.models.verdict import Review
from bot.wiring.engines import build_engines
from bot.wiring.file_storage import FileStorage
from tests.model_server import ModelServer, calls, says

if TYPE_CHECKING:
    from bot.models.findings import EngineReport
    from tests.model_server import Body

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "for how long are closed threads kept?"
THREAD = "T0SANDBOX-C0HELP-1.000001"
FILE = "bot/config/sections/approval.py"
SHOWN = 3
"""Lines of a tool's result that the record shows."""


def script() -> list[Body]:
    """What the model says: five turns of the investigator and the validator."""
    lines = (ROOT / FILE).read_text().split("\n")
    first = next(number for number, line in enumerate(lines, 1) if line.startswith("    days: Annotated[float"))
    ref, quote = f"{FILE}:{first}-{first + 1}", "\n".join(lines[first - 1 : first + 1])
    near = {"path": FILE, "first": first - 3, "count": 8}
    findings = {
        "confidence": "high",
        "confidence_reason": "The two opened lines show the setting and its meaning.",
        "summary_for_orchestrator": "retention.days defaults to 365.",
        "draft_reply": f"365 days, unless `retention.days` in `triage.yml` has another value (`{FILE}:{first}`).",
        "draft_language": "en",
        "evidence_refs": [{"kind": "file", "ref": ref, "supports_claim": "Default and meaning.", "quote": quote}],
        "research_notes": "Searched for the retention settings and opened their section.",
    }
    verdict = {
        "verdict": "pass",
        "reasons": [],
        "spot_check_ref": ref,
        "spot_check_result": "supports",
        "spot_check_note": "The default is 365, and the docstring describes the removal.",
        "schema_check": "ok",
        "confidence_language_match": "match",
        "scope_drift": "none",
        "cross_investigation_consistency": "no_overlap",
        "risk_gate_check": "passes",
        "tone_assessment": "matches",
    }
    return [
        calls(("search", {"text": "class RetentionSection"}), said="I look for the setting."),
        calls(("read_file", near)),
        says(json.dumps(findings)),
        calls(("read_file", near)),
        says(json.dumps(verdict)),
    ]


class NumberingClock(SystemClock):
    """Real time, and numbers as ids, so that a record changes only with what it shows."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new_id(self) -> str:
        """Return the next number."""
        return f"{next(self._numbers):04x}"


async def record() -> str:
    """The record, as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        replies = NdjsonJournal(home.replies, stop=None)
        answers = script()
        async with ModelServer(answers) as server:
            settings = Settings(engine="claude", model={"base_url": server.url})
            made = build_engines(
                settings,
                Environment(),
                home,
                FileStorage(home.path),
                clock=NumberingClock(),
                redactor=Redactor(),
                replies=replies,
                tell=print,
            )
            await made.start()
            project = Project(name="triage", root=ROOT, description="Triage's own source")
            assignment = Assignment(
                question=QUESTION, projects=(project,), asker="Ana", thread_id=THREAD, question_type="technical_qa"
            )
            began = datetime.now(UTC)
            report = await made.engine.investigate(assignment)
            (investigation,) = made.ledger.runs_of(THREAD, began) if made.ledger else ()
            verdict = await _judged(made.validator, report, project, investigation.session_id)
            await made.close()
            sessions = sorted(home.sessions.glob("*.json"), key=lambda path: json.loads(path.read_text())["started_at"])
            kept = [json.loads(path.read_text()) for path in sessions]
            requests = server.requests
        await replies.close()
    return "\n".join([*_turns(requests, answers), "", *_figures(kept), "", *_carried(report), "", *verdict])


async def _judged(validator: Any, report: EngineReport, project: Project, parent: str) -> list[str]:
    checker = EvidenceChecker(project.root)
    checks = tuple([await checker.check(reference) for reference in report.findings.evidence_refs])
    review = Review(
        question=QUESTION,
        question_type="technical_qa",
        project=project,
        findings=report.findings,
        checks=checks,
        thread_id=THREAD,
        parent_session_id=parent,
    )
    gate = reach_verdict(report.findings, checks, await validator.validate(review))
    told = [f"- {line.check}: {line.result}" for line in gate.checks]
    opened = f"References that were not opened in the run: {len(report.unopened)}."
    return [f"{opened} The gate says **{gate.verdict}**:", "", *told]


def _turns(requests: list[Body], answers: list[Body]) -> list[str]:
    """Each turn: who was asked, what it said and called, and what the tools answered."""
    lines = []
    for number, (body, answer) in enumerate(zip(requests, answers, strict=True), 1):
        who = "validator" if len(body["tools"]) == 1 else "investigator"
        turn = sum(message["role"] == "assistant" for message in body["messages"]) + 1
        lines.append(f"**{number}. {who}, turn {turn}** ({len(json.dumps(body)):,} characters sent)\n")
        if turn == 1:
            text = body["messages"][0]["content"][0]["text"]
            tools = ", ".join(tool["name"] for tool in body["tools"])
            lines.append(f"New context; tools: {tools}; a first message of {len(text):,} characters.\n")
        lines += _results(body["messages"][-1]["content"])
        lines += ["The model:", "", "```text", *_texts_of_turn(answer), "```", ""]
    return lines


def _texts_of_turn(answer: Body) -> list[str]:
    """What a turn says, and what it calls."""
    lines = []
    for block in answer["content"]:
        if block["type"] == "tool_use":
            lines.append(f"calls {block['name']} {json.dumps(block['input'])}")
        elif block["text"].startswith("{"):
            lines += textwrap.wrap(block["text"], 110)
        else:
            lines.append(block["text"])
    return lines


def _results(blocks: list[dict[str, Any]]) -> list[str]:
    lines = []
    for block in blocks:
        if block["type"] == "tool_result":
            rows = block["content"].split("\n")
            more = [f"… {len(rows) - SHOWN} more lines"] if len(rows) > SHOWN else []
            lines += ["Its tool:", "", "```text", *(row[:110] for row in rows[:SHOWN]), *more, "```", ""]
    return lines


def _figures(sessions: list[dict[str, Any]]) -> list[str]:
    rows = [
        "| agent | turns | calls | tokens in | from the cache | into it | out | cost at list price |",
        "|---|" + "---|" * 7,
    ]
    for one in sessions:
        usage = one["usage"]
        tokens = (usage[f"{kind}_tokens"] for kind in ("input", "cache_read", "cache_write", "output"))
        counted = " | ".join(f"{number:,}" for number in tokens)
        rows.append(
            f"| {one['agent']} | {one['num_turns']} | {one['tool_calls']} | {counted} | ${one['cost_usd']:.4f} |"
        )
    return rows


def _carried(report: EngineReport) -> list[str]:
    taken = [report.findings.summary_for_orchestrator, *(one.ref for one in report.findings.evidence_refs)]
    size = sum(map(len, taken))
    return [
        "The orchestrator is code and has no context: 0 tokens of a model, of 2,000 allowed.",
        f"It would pass on summary and references: {size} characters, about {size // 4} tokens.",
    ]


def main() -> None:
    """Print the record."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(asyncio.run(record()))  # noqa: T201  # a script speaks to a person


if __name__ == "__main__":
    main()
