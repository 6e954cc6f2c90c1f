"""An answer from logs, through real sockets and a real MCP server: held against the run's own record."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.adapters.test_mcp import PROGRAM
from tests.line.agents import agents, document
from tests.line.play import Play, found, judged
from tests.line.test_straight_line import records
from tests.model_server import calls

if TYPE_CHECKING:
    import pytest

    from tests.line.conftest import Line
    from tests.model_server import Answer

MCP = f"""
mcp:
  servers:
    logs:
      command: [{sys.executable}, {PROGRAM}]
      tools: {{query_logs: read_only}}
      env: [LOGS_TOKEN]
"""
ASKS = calls(("logs_query_logs", {"query": "timeout after 40 s", "limit": 2}))


def said(quote: str) -> Answer:
    """Findings that rest on a log alone."""
    log = {"kind": "log_query", "ref": "logs_query_logs timeout", "supports_claim": "It says so.", "quote": quote}
    return found(draft_reply="The mirror times out after 40 s.", evidence_refs=[log])


async def test_a_true_log_passes_and_an_invented_one_is_sent_back(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quote stands in what the tool said in this run; the value in the draft stands in that quote."""
    monkeypatch.setenv("LOGS_TOKEN", "x")
    rounds = ((ASKS, said("line 1: timeout after 50 s")), (ASKS, said("line 1: timeout after 40 s")))
    play = Play(investigator=rounds, validator=((judged(spot_check_ref="logs_query_logs timeout"),),))
    async with agents(line, play, more=MCP):
        asked = await line.ana.say("why does the mirror of the shop time out?")
        card = await line.olu.card("1 of 1 reference from the run's record", "Evidence checked", '"approve"')
        assert '"confirm": {' not in str(card)
        await line.olu.press("approve", card)
        await line.ana.replies(asked)
    thread = document(line)
    assert [round_["attack"] for round_ in thread["rounds"]] == [
        "The reference logs_query_logs timeout is not valid: no answer of a tool in this run has the quote."
    ]
    assert thread["verdict"]["verdict"] == "pass"
    (record,) = records(line.home / "replies.ndjson")
    assert record["validator_verdict"] == "bounce-then-pass"
    assert record["evidence"][0]["reason"] == "from the run's record: the quote is in the answer of logs_query_logs"
