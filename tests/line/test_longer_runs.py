"""Longer runs on the whole line, with processes that end as a test says: message, Stop, result, Dig Deeper, failure."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bot.models.escalation import HeadlessReturn, TierEnd
from bot.models.findings import EngineReport
from bot.models.thread_event import TierProgress
from tests.builders import findings, fresh, reference
from tests.line.agents import QUESTION, agents, document
from tests.line.human import shows, until
from tests.line.play import CITED, Play, found

if TYPE_CHECKING:
    from bot.models.findings import Assignment
    from bot.models.thread import Thread
    from bot.triage.effect_counts import CountedEffects
    from bot.triage.effects import Effects
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

SESSION = "20260105T090003-tier2"
LONG = "how often is a payment tried again? please do a thorough investigation"
DEEPER = "Three times, at once: `RETRY_LIMIT = 3` in `orders.py:3`."


@dataclass
class Processes:
    """`Escalations` whose runs end when a test says how."""

    begun: list[tuple[Thread, str, Assignment]] = field(default_factory=list)
    ends: list[asyncio.Future[TierEnd]] = field(default_factory=list)
    ended: int = 0

    async def run(self, thread: Thread, run_id: str, assignment: Assignment) -> TierEnd:
        """Wait for the word of the test."""
        self.begun.append((thread, run_id, assignment))
        self.ends.append(asyncio.get_running_loop().create_future())
        try:
            return await self.ends[-1]
        finally:
            self.ended += 1

    def answer(self, draft: str = DEEPER) -> None:
        """End the newest run with a report."""
        ref = reference(ref="orders.py:3-4", quote=CITED)
        report = EngineReport(
            project="shop", engine="claude", findings=findings(draft_reply=draft, evidence_refs=(ref,))
        )
        self._end(outcome="answered", report=report)

    def fail(self, reason: str) -> None:
        """End the newest run without one."""
        self._end(outcome="died", reason=reason)

    def _end(self, **fields: Any) -> None:
        returned = HeadlessReturn(session_id=SESSION, **fields)
        self.ends[-1].set_result(TierEnd(returned=returned, assignment=self.begun[-1][2]))


def processes_of(bot: Bot) -> Processes:
    """The bot's processes, which are none."""
    processes = Processes()
    counted: CountedEffects = bot.core.orchestrator._effects  # type: ignore[assignment]  # the bot's own
    effects: Effects = counted._effects  # type: ignore[assignment]  # the same
    counted._effects = replace(effects, escalations=processes)
    return processes


def tell(bot: Bot, processes: Processes, **changes: Any) -> None:
    """Tell how far the newest run has come."""
    thread, run_id, _ = processes.begun[-1]
    values: dict[str, Any] = {
        "run_id": run_id,
        "session_id": SESSION,
        "started_at": bot.core.clock.now(),
        "watch_command": "triage attach payments",
        "tmux_session": None,
        "transcript_path": "/home/bot/transcript.log",
        "turns": 4,
        "cost_usd": 0.25,
        "latest": "search tried again",
    }
    event = TierProgress(at=bot.core.clock.now(), fresh=fresh(), **(values | changes))
    bot.core.orchestrator.tell(thread.thread_id, event)


async def test_a_long_question_is_answered_by_a_longer_run(line: Line) -> None:
    """Its message comes at once, with Stop and how to watch; its result is validated, and waits for approval."""
    async with agents(line, Play(), more="approval: {progress_min: 0}") as bot:
        processes = processes_of(bot)
        asked = await line.ana.say(LONG)
        await line.olu.card("Taking longer", "tier 2, since it takes about", "being started", '"stop"')
        await until(lambda: processes.begun)
        assert processes.begun[0][2].question == LONG
        tell(bot, processes)
        await line.olu.card("4 turns · at most $0.25", "Last: search tried again", "`triage attach payments`")
        processes.answer()
        card = await line.olu.card("Three times, at once", "✓ validated", "*Longer run:* tier 2", '"approve"')
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        assert shows(reply, "Three times, at once")
        await line.olu.card("The reply is posted.")
    (record,) = [json.loads(row) for row in (line.home / "replies.ndjson").read_text().splitlines()]
    assert (record["was_escalated"], record["engine"]) == (True, "claude")
    thread = document(line)
    assert [change["next"] for change in thread["status_history"]][1:4] == [
        "escalated",
        "awaiting-validation",
        "pending-user",
    ]
    assert (thread["is_escalated"], thread["escalation_transcript_path"]) == (True, "/home/bot/transcript.log")


async def test_dig_deeper_keeps_the_draft_until_there_is_a_better_one(line: Line) -> None:
    """A run that dies brings it back with the reason; the next one replaces it."""
    async with agents(line, Play()) as bot:
        processes = processes_of(bot)
        await line.ana.say(QUESTION)
        card = await line.olu.card("Three times", '"dig_deeper"')
        await line.olu.press("dig_deeper", card)
        await line.olu.card("In progress", "tier 2, since <@U0OPS> asked for it", '"stop"')
        await until(lambda: processes.begun)
        processes.fail("its process ended without a result; its transcript is /home/bot/transcript.log")
        card = await line.olu.card("Three times", "its transcript is /home/bot/transcript.log", '"approve"')
        await line.olu.press("dig_deeper", card)
        await until(lambda: len(processes.begun) == 2)
        processes.answer()
        await line.olu.card("Three times, at once", "✓ validated", '"approve"')


async def test_stop_ends_a_longer_run(line: Line) -> None:
    """Its question waits for its operator, without a draft."""
    async with agents(line, Play()) as bot:
        processes = processes_of(bot)
        await line.ana.say(LONG)
        await until(lambda: processes.begun)
        message = await line.olu.card("Taking longer", '"stop"')
        await line.olu.press("stop", message)
        await line.olu.card("an operator stopped the investigation", '"dig_deeper"')
        await until(lambda: processes.ended)


async def test_tier_1_leads_on_and_its_draft_is_not_lost(line: Line) -> None:
    """Its investigator asks for more; the longer run dies, so the first draft is checked and shown."""
    wish = (found(escalation_requested=True, escalation_reason="The history of the file is missing."),)
    async with agents(line, Play(investigator=(wish,))) as bot:
        processes = processes_of(bot)
        await line.ana.say(QUESTION)
        await line.olu.card("Taking longer", "since its investigator asks for a longer run: The history of the file")
        await until(lambda: processes.begun)
        assert processes.begun[0][0].draft_pending
        processes.fail("the machine was restarted")
        await line.olu.card("Three times", "*The longer run has no result:* the machine was restarted", '"approve"')
