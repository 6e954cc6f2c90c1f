"""Incidents and their remedies, over the whole line: proposal, press, run, checks, and the handoff to the last tier."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.escalation.handoffs import build_handoff
from bot.models.findings import EngineReport
from bot.models.handoff import WatchHandoff
from bot.models.incident import ProposedRunbook
from tests.builders import findings, reference
from tests.line.agents import document
from tests.line.conftest import TriageTime
from tests.line.human import View, shows, until
from tests.line.play import CITED
from tests.line.test_health import Shop, check, documents, reports, shop
from tests.line.test_longer_runs import processes_of

if TYPE_CHECKING:
    from bot.models.findings import Assignment
    from bot.models.thread import Thread
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

RUNBOOKS = """
runbooks:
- {{name: repair-shop, argv: [{program}, "two words"], services: [shop]}}
"""
TIER_3 = """
escalation: {enabled: true}
tiers: {3: {command: [sleep, "60"]}}
"""


@dataclass
class Proposer:
    """An engine that proposes the first runbook that it may; `seen` are its assignments."""

    name: str = "keyword"
    wish: str | None = None
    seen: list[Assignment] = field(default_factory=list)

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return findings with the proposal."""
        self.seen.append(assignment)
        name = self.wish or (assignment.runbooks[0].name if assignment.runbooks else "")
        wish = ProposedRunbook(name=name, reason="It hangs since the deploy.") if name else None
        return EngineReport(
            project="shop",
            engine="keyword",
            findings=findings(evidence_refs=(reference(ref="orders.py:3-4", quote=CITED),), proposed_runbook=wish),
        )


@dataclass
class Scene:
    """A bot with a shop that is checked, and a program that repairs it if it may."""

    line: Line
    bot: Bot
    shop: Shop
    clock: TriageTime
    engine: Proposer

    async def breaks(self) -> View:
        """Break the shop; return the incident's message."""
        self.shop.status = 503
        await check(self.bot, self.clock, self.shop)
        (message,) = await self.line.ana.sees(reports)
        self.clock.move(hours=0.01)
        found: View = message
        return found

    async def thread(self) -> Thread:
        """The thread of the incident."""
        (thread,) = await documents(self.bot)
        return thread

    async def comes_to(self, status: str, *, seconds: float = 0) -> Thread:
        """The thread, once it has this status; so much time passes at each look."""

        def is_so() -> bool:
            self.clock.move(hours=seconds / 3600)
            found: str = document(self.line)["status"]
            return found == status

        await until(is_so)
        return await self.thread()


def program(line: Line, body: str) -> Path:
    """A program of the team's; each start is a line of the file `starts`."""
    path = line.folder / "repair"
    path.write_text(f'#!/bin/sh\necho "$1" >> {line.folder}/starts\n{body}\n')
    path.chmod(0o700)
    return path


def starts(line: Line) -> list[str]:
    """The starts of the program."""
    path = line.folder / "starts"
    return path.read_text().splitlines() if path.exists() else []


def children_of(bot: Bot) -> list[Any]:
    """The processes of runbooks that a bot started, which outlive it."""
    counted: Any = bot.core.orchestrator._effects
    effects = counted._effects
    return [*effects.runbook_runs.runbooks.programs._children]


@asynccontextmanager
async def scene(line: Line, made: Shop, *, body: str = "exit 0", more: str = "", **engine: Any) -> AsyncIterator[Scene]:
    """A bot with the shop and the program; nothing is broken yet."""
    clock, proposer = TriageTime(), Proposer(**engine)
    settings = made.settings + RUNBOOKS.format(program=program(line, body)) + more
    async with line.bot(clock=clock, engine=proposer, more=settings) as bot:
        yield Scene(line, bot, made, clock, proposer)


async def test_an_approved_runbook_ends_its_incident(line: Line) -> None:
    """Scenario "Handoff file not written when Tier 2 resolves the issue", for a remedy by consent.

    The card shows the program; one press runs it, the checks are healthy, and the thread says who had it run.
    """
    async with shop() as made, scene(line, made) as play:
        message = await play.breaks()
        card = await line.olu.card("Proposed runbook", "repair-shop", "'two words'", "It hangs since the deploy")
        assert (play.engine.seen[0].services, starts(line)) == (("shop",), [])
        made.repair = line.folder / "starts"
        await line.olu.press("run_runbook", card)
        thread = await play.comes_to("closed")
        assert (thread.outcome, starts(line)) == ("recovered", ["two words"])
        assert (thread.escalation, [*line.home.rglob("handoff.json")]) == (None, [])
        told = await line.ana.replies(message["ts"])
        assert [shows(each, "had the runbook `repair-shop` run") for each in told] == [True]
        await line.olu.card("*Ran* `repair-shop`", "The checks after it were healthy.")
        await line.olu.press("run_runbook", card)
        assert starts(line) == ["two words"]
    audit = [json.loads(row) for row in (line.home / "audit.ndjson").read_text().splitlines()]
    assert next(row["user_id"] for row in audit if row.get("action") == "run_runbook") == "U0OPS"


async def test_a_runbook_that_did_not_help_leads_to_the_last_tier(line: Line) -> None:
    """Scenario "Tier 2 writes handoff for Tier 3": it says what was attempted, and why it failed.

    The recovery ends the run of tier 3.
    """
    body = "echo 'the port is in use'; exit 3"
    async with shop() as made, scene(line, made, body=body, more=TIER_3) as play:
        processes = processes_of(play.bot)
        await play.breaks()
        card = await line.olu.card("Proposed runbook")
        await line.olu.press("run_runbook", card)
        await until(lambda: [*(line.home / "runbooks").glob("*/return.json")])
        await play.comes_to("escalated", seconds=1)
        await until(lambda: processes.begun)
        await line.ana.sees(lambda view: [each for each in reports(view) if shows(each, "ended with exit code 3")])
        handoff = build_handoff(processes.begun[0][0], 3)
        assert isinstance(handoff, WatchHandoff)
        assert (handoff.recommended_tier, handoff.services_affected) == (3, ("shop",))
        assert (handoff.investigation_findings or "").startswith("It is set in `bot/a.py:1`.")
        attempted = handoff.remediation_attempted or ""
        assert f"An operator had the runbook repair-shop ({line.folder}/repair 'two words') run at " in attempted
        assert "it ended with exit code 3, and the services were still not healthy after it." in attempted
        assert "the port is in use" in attempted
        assert handoff.check_results[0].status == "down"
        made.status = 200
        await check(play.bot, play.clock, made)
        assert (await play.comes_to("closed", seconds=1)).outcome == "recovered"
        await until(lambda: processes.ended)


async def test_a_refused_and_an_expired_proposal_run_nothing(line: Line) -> None:
    """The document has the reason; nothing that a person did not press is run."""
    async with shop() as made, scene(line, made) as play:
        await play.breaks()
        card = await line.olu.card("Proposed runbook")
        await line.olu.dismiss(card)
        thread = await play.comes_to("closed")
        assert thread.incident
        assert [(each.state, each.why) for each in thread.incident.remedies] == [
            ("refused", "an operator dismissed it")
        ]
        await line.ada.command(f"restart_task {thread.task}")
        await play.comes_to("pending-user")
        play.clock.move(hours=100)
        thread = await play.comes_to("closed", seconds=1)  # the sweeper may have looked at the clock right before
        assert thread.incident
        assert (thread.outcome, thread.incident.remedies[-1].state) == ("expired", "expired")
    assert starts(line) == []


async def test_a_runbook_that_the_settings_do_not_have_is_refused_by_code(line: Line) -> None:
    """The card names it, and has no button for it."""
    async with shop() as made, scene(line, made, wish="reboot") as play:
        await play.breaks()
        card = await line.olu.card("*Not run:* `reboot`", "no such runbook")
        assert "run_runbook" not in json.dumps(card["blocks"])


async def test_a_bot_that_is_killed_during_a_runbook_reads_its_end(line: Line) -> None:
    """It is started once, whatever the next bot finds."""
    body = f"while [ ! -e {line.folder}/go ]; do sleep 0.05; done"
    async with shop() as made:
        async with scene(line, made, body=body) as play:
            await play.breaks()
            card = await line.olu.card("Proposed runbook")
            await line.olu.press("run_runbook", card)
            await until(lambda: starts(line))
            await line.olu.card("*Running* `repair-shop`")
            children = children_of(play.bot)
        made.status = 200
        (line.folder / "go").touch()
        async with scene(line, made, body=body) as play:
            thread = await play.comes_to("closed")
            assert thread.incident
            assert (thread.outcome, thread.incident.remedies[-1].outcome) == ("recovered", "succeeded")
    for child in children:
        child.wait()
    assert starts(line) == ["two words"]
