"""Nouns for tests, each valid as it is and changed by keyword."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from bot.decide.workflow import Transition, WorkflowLimits, advance
from bot.models.draft import Draft
from bot.models.findings import EngineReport, EvidenceCheck, EvidenceRef, InvestigatorReturn
from bot.models.message import Message, Sender, thread_id
from bot.models.run_figures import RunFigures
from bot.models.staleness import ReferencesOpened
from bot.models.thread import Thread
from bot.models.thread_event import EditSubmitted, Findings, MessageAdded, Validated
from bot.models.verdict import ValidatorReturn
from bot.surfaces.draft_payload import make_draft

T0 = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
LIMITS = WorkflowLimits(debounce=timedelta(seconds=2))
TEAM, CHANNEL, ASKER, OPERATOR = "T0SANDBOX", "C0HELP", "U0ANA", "U0OPS"
_ids = count(1)


def fresh() -> str:
    """An id that no other call has given."""
    return f"id{next(_ids)}"


def at(seconds: float = 0) -> datetime:
    """A moment after the start of every story."""
    return T0 + timedelta(seconds=seconds)


def message(text: str = "where is the limit set?", *, ts: str = "100.000001", **changes: Any) -> Message:
    """A message by the asker in the channel itself."""
    root = changes.pop("root", None)
    values: dict[str, Any] = {
        "team_id": TEAM,
        "chat_id": CHANNEL,
        "chat_name": "help-platform",
        "message_id": ts,
        "create_time": T0,
        "msg_type": "thread_reply" if root else "text",
        "content": text,
        "thread_id": thread_id(TEAM, CHANNEL, root) if root else None,
        "sender": Sender(id=changes.pop("sender", ASKER), type=changes.pop("sender_type", "user")),
        "mentions": (),
    }
    return Message(**(values | changes))


def added(text: str = "where is the limit set?", *, seconds: float = 0, **changes: Any) -> MessageAdded:
    """`MessageAdded` for `message(...)`."""
    own = {key: changes.pop(key) for key in ("mode", "mentioned", "muted", "replayed", "external") if key in changes}
    values: dict[str, Any] = {"mode": "live", "mentioned": False} | own
    return MessageAdded(at=at(seconds), fresh=fresh(), message=message(text, **changes), operator=OPERATOR, **values)


def reference(**changes: Any) -> EvidenceRef:
    """A reference to a file."""
    values = {"kind": "file", "ref": "bot/a.py:1", "supports_claim": "It is set there.", "quote": "limit = 3"}
    return EvidenceRef(**(values | changes))


def findings(**changes: Any) -> InvestigatorReturn:
    """Findings with one reference."""
    values: dict[str, Any] = {
        "confidence": "medium",
        "confidence_reason": "Two of two words stand there.",
        "summary_for_orchestrator": "The limit is set in one place.",
        "draft_reply": "It is set in `bot/a.py:1`.",
        "draft_language": "en",
        "evidence_refs": (reference(),),
        "investigator_round": 1,
        "research_notes": "",
    }
    return InvestigatorReturn(**(values | changes))


def check(result: str = "ok", ref: str = "bot/a.py:1") -> EvidenceCheck:
    """What code found at a reference."""
    return EvidenceCheck(ref=ref, result=result, reason="so it is")


def validator(**changes: Any) -> ValidatorReturn:
    """A validator that found nothing wrong."""
    values: dict[str, Any] = {
        "verdict": "pass",
        "reasons": (),
        "spot_check_ref": "bot/a.py:1",
        "spot_check_result": "supports",
        "spot_check_note": "It stands there.",
        "schema_check": "ok",
        "confidence_language_match": "match",
        "scope_drift": "none",
        "cross_investigation_consistency": "no_overlap",
        "risk_gate_check": "passes",
        "tone_assessment": "matches",
        "validator_model": "scripted",
        "validated_at": T0.isoformat(),
    }
    return ValidatorReturn(**(values | changes))


def ran(number: int = 1, agent: str = "investigator", **changes: Any) -> RunFigures:
    """A run."""
    values: dict[str, Any] = {
        "session_id": f"20260105T090000-run{number}",
        "agent": agent,
        "tier": 1,
        "model": "claude-opus-5-5",
        "turns": 3,
        "tool_calls": 2,
        "tokens": 9_000,
        "cost_usd": 0.0202,
        "duration_ms": 12_300,
        "outcome": "answered",
    }
    return RunFigures(**(values | changes))


def draft_for(thread: Thread, text: str = "It is set in `bot/a.py:1`.") -> Draft:
    """The next sealed draft of a thread."""
    return make_draft(thread, text, nonce=fresh())


def found(thread: Thread, text: str = "It is set in `bot/a.py:1`.", seconds: float = 3, **changes: Any) -> Findings:
    """`Findings` of the thread's live run."""
    run_id, fallback = changes.pop("run_id", thread.run_id), changes.pop("fallback", None)
    made = findings(draft_reply=text, **changes)
    return Findings(
        at=at(seconds),
        fresh=fresh(),
        run_id=run_id,
        report=EngineReport(project="triage", engine="keyword", fallback=fallback, findings=made),
        draft=draft_for(thread, text),
        asker_name="Ana",
    )


def validated(thread: Thread, *checks: EvidenceCheck, seconds: float = 4, **changes: Any) -> Validated:
    """`Validated` for the thread's live run."""
    return Validated(
        at=at(seconds),
        fresh=fresh(),
        run_id=changes.pop("run_id", thread.run_id),
        checks=checks or (check(),),
        validator_return=changes.pop("validator_return", None),
    )


def edited(thread: Thread, text: str, *checks: EvidenceCheck, by: str = OPERATOR, seconds: float = 6) -> Thread:
    """The thread with another text for its draft, whose references were opened; each check is of a file's line."""
    draft = thread.draft_pending
    assert draft is not None
    made = make_draft(thread, text, nonce=fresh(), edited_by=by)
    submitted = EditSubmitted(
        at=at(seconds), fresh=fresh(), by=by, draft_id=draft.draft_id, nonce=draft.nonce, draft=made
    )
    return opened(moved(thread, submitted), *checks, seconds=seconds)


def opened(thread: Thread, *checks: EvidenceCheck, seconds: float = 6, **changes: Any) -> Thread:
    """The thread once the references of its edited text were opened."""
    return moved(thread, references_opened(thread, *checks, seconds=seconds, **changes))


def references_opened(thread: Thread, *checks: EvidenceCheck, seconds: float = 6, **changes: Any) -> ReferencesOpened:
    """What was found of the references of the thread's edited text."""
    assert thread.draft_pending
    assert thread.opening
    values: dict[str, Any] = {
        "opening": thread.opening,
        "references": tuple(reference(ref=each.ref) for each in checks),
        "checks": checks,
        "payload": thread.draft_pending.payload,
        "sha256": thread.draft_pending.sha256,
    }
    return ReferencesOpened(at=at(seconds), fresh=fresh(), **(values | changes))


def step(thread: Thread | None, happening: Any, limits: WorkflowLimits = LIMITS) -> Transition:
    """`advance` with the usual limits."""
    return advance(thread, happening, limits)


def moved(thread: Thread | None, happening: Any, limits: WorkflowLimits = LIMITS) -> Thread:
    """The document after a happening that must be accepted."""
    made = advance(thread, happening, limits)
    assert made.accepted, f"{type(happening).__name__} was not accepted in {thread and thread.status}"
    assert made.thread is not None
    return made.thread
