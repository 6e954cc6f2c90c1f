"""The demonstration of an escalation: recorded answers, real processes, and a card at its end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from measure.escalation import play
from measure.escalation_history import CLAUSE
from tests.line.human import shows

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_question_goes_through_all_tiers_and_comes_back_with_a_card(tmp_path: Path) -> None:
    """Tier 2 searches the history and hands over; tier 3 answers; each session has its own cost in the chain."""
    told: list[str] = []
    played = await play(tmp_path, pace=0.0, port=0, say=told.append)
    assert shows(played.card, "3 of 3 references open")
    first, *_ = played.chain.splitlines()
    assert "tiers 1, 2 and 3" in first
    assert played.chain.count("Escalated from Session #") == 2
    assert played.chain.count("Escalated to Session #") == 2
    second, third = played.transcripts
    assert "calls git_log" in second
    assert "handoff to tier 3" in second
    assert "calls git_blame" in third
    assert any(CLAUSE.strip() in line for line in told)
    sessions = [json.loads(path.read_text()) for path in (tmp_path / "home" / "sessions").glob("*.json")]
    assert sorted((each["tier"], each["agent"], each["outcome"]) for each in sessions) == [
        (1, "investigator", "answered"),
        (1, "validator", "answered"),
        (2, "investigator", "answered"),
        (3, "investigator", "answered"),
    ]
    assert all(each["cost_usd"] > 0 and each["held_usd"] == 0 for each in sessions)
