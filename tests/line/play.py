"""A scripted model for the whole line: what its investigator and its validator say, round by round, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.model_server import Answer, Body, calls, says, status

FIRST_ROUND = "It was not; this is the first."

CITED = 'RETRY_LIMIT = 3\n"""How often a payment is tried again before the order is cancelled."""'

Turns = Sequence[Answer] | Callable[[int], Answer]
"""What is answered turn by turn, or a function of the turn's number, from 0."""


def found(**changes: Any) -> Body:
    """Findings about the shop that stand: draft, one reference, its quote."""
    reference = {
        "kind": "file",
        "ref": "orders.py:3-4",
        "supports_claim": "The limit stands there.",
        "quote": changes.pop("quote", CITED),
    }
    body = {
        "confidence": "high",
        "confidence_reason": "The line that sets it was opened.",
        "summary_for_orchestrator": "A payment is tried again three times.",
        "draft_reply": "Three times: `RETRY_LIMIT = 3` in `orders.py:3`.",
        "draft_language": "en",
        "evidence_refs": [reference],
        "research_notes": "Looked in orders.py.",
    }
    return says(json.dumps(body | changes))


def judged(**changes: Any) -> Body:
    """A verdict of a validator that found nothing wrong."""
    body = {
        "verdict": "pass",
        "reasons": [],
        "spot_check_ref": "orders.py:3-4",
        "spot_check_result": "supports",
        "spot_check_note": "The constant stands there and says what the draft says.",
        "schema_check": "ok",
        "confidence_language_match": "match",
        "scope_drift": "none",
        "cross_investigation_consistency": "no_overlap",
        "risk_gate_check": "passes",
        "tone_assessment": "matches",
    }
    return says(json.dumps(body | changes))


READ = calls(("read_file", {"path": "orders.py"}))
GOOD = (calls(("search", {"text": "tried again"}), said="I look for the words."), READ, found())
PASSES = (READ, judged())


def role(body: Body) -> str:
    """Whose request it is: the validator has one tool."""
    return "validator" if len(body["tools"]) == 1 else "investigator"


def said(body: Body) -> str:
    """The first message of a run."""
    return str(body["messages"][0]["content"][0]["text"])


@dataclass
class Play:
    """Answers each request by its role, its round and its turn; past the end of a script the last word is repeated."""

    investigator: Sequence[Turns] = (GOOD,)
    validator: Sequence[Turns] = (PASSES,)
    judgements: int = 0
    asked: list[Body] = field(default_factory=list)

    def __call__(self, body: Body) -> Answer:
        self.asked.append(body)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if role(body) == "validator":
            self.judgements += turn == 0
            return self._at(self.validator, self.judgements - 1, turn)
        return self._at(self.investigator, 0 if FIRST_ROUND in said(body) else 1, turn)

    def of(self, whose: str) -> list[Body]:
        """The requests of one role."""
        return [body for body in self.asked if role(body) == whose]

    @staticmethod
    def _at(script: Sequence[Turns], number: int, turn: int) -> Answer:
        turns = script[min(number, len(script) - 1)]
        if callable(turns):
            return turns(turn)
        return turns[min(turn, len(turns) - 1)] if turns else status(500)
