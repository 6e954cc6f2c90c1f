"""Handoffs between tiers (spec 3), with real processes: read, judged and deleted by the bot; `test_scenarios` lists
all."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.config.settings import Settings
from bot.decide.escalation import EscalationPolicy
from bot.escalation.folder import RunFolder
from bot.models.escalation import EscalationTask, TierEnd
from bot.models.session import Session
from tests.builders import findings
from tests.escalation.builders import FIRST, THREAD, handoff, returned
from tests.escalation.life import POLICY, Life
from tests.escalation.machine import machine
from tests.escalation.test_handoff_forms import WATCH
from tests.escalation.test_supervisor import events

HANDOFF = handoff().model_dump(mode="json")


@pytest.fixture(autouse=True)
def _events_of_all_levels(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    """A bot with detached processes."""
    with machine(tmp_path / "home") as made:
        bot = await Life(made).start()
        yield bot
        await bot.kill()


async def end_of(life: Life, *orders: str, tier: int = 2, **thread: Any) -> TierEnd:
    """The end of a run that follows these orders."""
    life.machine.order("tell on", *orders, tier=tier)
    life.escalate(run_id=f"run{tier}", tier=tier, **thread)
    await life.machine.told()
    return await life.ended()


def assert_ended(folder: RunFolder, end: TierEnd) -> None:
    """No tier is started, and nothing is left of the handoff."""
    assert (end.next_tier, folder.handoff.exists(), folder.child_task.exists()) == (None, False, False)


async def begun(life: Life, tier: int = 2, run_id: str = "run1", **thread: Any) -> tuple[EscalationTask, Session]:
    """Task and record of a run that has begun."""
    life.machine.order("tell on", "wait", tier=tier)
    life.escalate(run_id, tier, **thread)
    await life.machine.told()
    current = life.machine.folder().read_task()
    assert current is not None
    return current, await life.session(current.session_id)


async def test_a_relative_settings_file_is_named_whole(tmp_path: Path) -> None:
    """The process of a run starts in a folder of its own."""
    with machine(tmp_path / "home") as made:
        bot = await Life(made, settings_file=Path("triage.yml")).start()
        await end_of(bot, "answer")
        task = json.loads((bot.machine.home / "escalations" / THREAD / "task.json").read_text())
        await bot.kill()
    assert task["settings_file"] == str(Path.cwd() / "triage.yml")


async def test_tier_1_hands_over_by_the_bot_s_own_code(life: Life) -> None:
    """Scenarios "Tier 1 writes handoff for Tier 2" and "Supervisor reads and deletes handoff after Tier 1": it runs in
    the bot, so its handoff is in the task of the next, and never a file."""
    found = findings(escalation_requested=True, escalation_reason="The logs are missing.")
    begins, _ = await begun(life, investigator_return=found, question_type="technical_qa")
    assert begins.handoff is not None
    assert begins.handoff.kind == "question"
    assert (begins.handoff.schema_version, begins.handoff.recommended_tier, begins.handoff.thread_id) == (1, 2, THREAD)
    assert found.draft_reply in begins.handoff.findings
    assert begins.handoff.missing
    assert not life.machine.folder().handoff.exists()


async def test_tier_2_continues_tier_1_in_a_session_of_its_own(tmp_path: Path) -> None:
    """Scenarios "Supervisor spawns Tier 2 from handoff", "Parent session ID column added" and "Tier 1 cost recorded
    independently"."""
    first = Session(
        session_id=FIRST,
        agent="investigator",
        model="m",
        started_at="2026-01-05T09:00:00Z",
        saved_at="2026-01-05T09:00:00Z",
        cost_usd=0.1,
        outcome="answered",
    )
    settings = Settings.model_validate({"tiers": {"2": {"model": "claude-opus-5-5"}}})
    with machine(tmp_path / "home") as made:
        life = await Life(made, settings=settings).start()
        await life.sessions.save(first)
        begins, record = await begun(life, runs=(first.to_figures(),))
        assert first.parent_session_id is None
        assert (begins.parent_session_id, record.parent_session_id) == (FIRST, FIRST)
        assert (record.tier, record.model, record.outcome) == (2, "claude-opus-5-5", "running")
        assert await life.session(FIRST) == first
        await life.kill()


async def test_tier_3_continues_tier_2_with_its_handoff(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    """Scenarios "Supervisor spawns Tier 3 from handoff" and "Supervisor reads and deletes handoff after Tier 2"."""
    end = await end_of(life, "spend 0.3", f"hand {json.dumps(HANDOFF)}")
    folder = life.machine.folder()
    assert (end.next_tier, end.refusal, folder.handoff.exists()) == (3, "", False)
    assert end.next_reason == "the run before could not finish: the logs of the week before"
    assert folder.find_process() is None  # the handoff is gone before the next process starts
    second = (await life.tiers())[0]
    begins, record = await begun(life, tier=3, run_id="run3")
    assert (begins.tier, begins.handoff, begins.parent_session_id) == (3, handoff(), second.session_id)
    assert (record.tier, record.parent_session_id, second.parent_session_id) == (3, second.session_id, None)
    assert [level for level, _ in events(caplog) if level != "info"] == []


async def test_each_tier_has_its_own_cost(life: Life) -> None:
    """Scenario "Tier 2 cost recorded independently", of tier 3 beside it, too."""
    await end_of(life, "spend 0.3", f"hand {json.dumps(HANDOFF)}")
    await life.clock.move(60)
    await end_of(life, "spend 0.2", tier=3)
    second, third = await life.tiers()
    assert (second.tier, second.cost_usd, second.num_turns) == (2, 0.3, 3)
    assert (third.tier, third.cost_usd, third.num_turns) == (3, 0.2, 3)
    assert life.ledger.spent == pytest.approx(0.5)


async def test_a_watch_hands_over_too(life: Life) -> None:
    """Scenario "Tier 2 writes handoff for Tier 3", with the fields of the specification alone."""
    end = await end_of(life, f"hand {json.dumps(WATCH)}")
    assert (end.next_tier, end.next_reason) == (3, "not healthy: caddy, jellyfin")
    saved = life.machine.folder().read_child_task()
    assert saved is not None
    assert saved.handoff is not None
    assert saved.handoff.model_dump(mode="json", exclude_none=True) == {"kind": "watch", **WATCH}


async def test_a_refused_handoff_leaves_the_report(life: Life) -> None:
    """Of both: the tier's findings reach the thread, and nothing is started."""
    end = await end_of(life, "scrawl {", f"return {returned().model_dump_json(include={'report'})}")
    assert_ended(life.machine.folder(), end)
    assert (end.returned.outcome, end.returned.report) == ("answered", returned().report)
    assert end.refusal.startswith("could not read handoff from tier 2: expected JSON")


@pytest.mark.parametrize(
    ("orders", "outcome"),
    [
        (["crash"], "died"),
        (['return {"outcome": "failed", "reason": "exit code 2"}'], "failed"),
        (['return {"outcome": "refused", "reason": "the server refused"}'], "refused"),
    ],
)
async def test_the_handoff_of_a_failed_run_is_ignored(
    life: Life, caplog: pytest.LogCaptureFixture, orders: Sequence[str], outcome: str
) -> None:
    """Scenario "CLI process exits with non-zero code": it is deleted unread, and the session is one that failed."""
    end = await end_of(life, "scrawl {", *orders)
    assert_ended(life.machine.folder(), end)
    assert (end.returned.outcome, end.refusal) == (outcome, "")
    assert ("warning", "Handoff from tier 2 ignored: its run failed") in events(caplog)
    assert not [event for event in events(caplog) if "could not read" in event[1]]
    (record,) = await life.tiers()
    assert record.outcome == outcome


async def test_a_run_without_a_handoff_ends_its_chain(life: Life) -> None:
    """Scenarios "No handoff file after session exit" and "Handoff file not written when Tier 2 resolves the issue"."""
    end = await end_of(life, "spend 0.1")
    assert_ended(life.machine.folder(), end)
    assert end.refusal == ""
    (record,) = await life.tiers()
    assert record.outcome == "answered"


async def bot_with(life: Life, policy: EscalationPolicy) -> Life:
    """The next bot, with these rules."""
    life.policy = policy
    return await life.restart()


@pytest.mark.parametrize(("handed", "subjects"), [(WATCH, "caddy, jellyfin"), (HANDOFF, "Why did it take so long?")])
async def test_a_dry_run_starts_no_tier(
    life: Life, caplog: pytest.LogCaptureFixture, handed: dict[str, Any], subjects: str
) -> None:
    """Scenarios "Dry-run mode prevents escalation" and "Info event when dry-run suppresses escalation"."""
    await bot_with(life, replace(POLICY, dry_run=True))
    end = await end_of(life, f"hand {json.dumps(handed)}")
    assert_ended(life.machine.folder(), end)
    suppressed = f"Escalation suppressed (dry run): would have escalated to tier 3 for: {subjects}"
    assert ("info", suppressed) in events(caplog)
    assert end.refusal == "`escalation.dry_run` is on"


async def test_a_tier_above_the_highest_is_blocked(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    """Scenario "Maximum tier limit enforced": the operator is told by the card, as the refusal of the end says."""
    await bot_with(life, replace(POLICY, max_tier=2))
    end = await end_of(life, f"hand {json.dumps(HANDOFF)}")
    assert_ended(life.machine.folder(), end)
    assert end.refusal == "tier 3 is above `escalation.max_tier: 2`"
    assert ("warning", f"Escalation blocked: {end.refusal}") in events(caplog)


@pytest.mark.parametrize("text", [json.dumps(HANDOFF), "{"])
async def test_tier_3_ends_the_chain(life: Life, caplog: pytest.LogCaptureFixture, text: str) -> None:
    """Scenario "Escalation chain terminates at Tier 3": its handoff is deleted, and a person has to look."""
    end = await end_of(life, f"scrawl {text}", tier=3)
    assert_ended(life.machine.folder(), end)
    assert end.refusal
    assert [level for level, message in events(caplog) if message.startswith("Escalation ")] != []


async def test_a_stale_handoff_is_removed_at_the_start(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    """Scenario "Handoff file deleted on supervisor crash recovery": of a thread that waits for no run."""
    life.machine.order(f"hand {json.dumps(HANDOFF)}", "tell on", "wait")
    life.escalate()
    await life.machine.told()
    await life.kill()
    life.machine.launcher.kill(life.machine.folder())
    assert life.machine.folder().handoff.exists()
    life.put(life.thread.evolve(status="closed", run_id=None))
    await life.start()
    assert not life.machine.folder().handoff.exists()
    assert ("info", "Stale handoff removed: no session waits for it") in events(caplog)


async def test_the_next_question_takes_no_handoff_of_the_one_before(life: Life) -> None:
    """Scenario "Stale handoff file from previous cycle": the run of another question removes it unread."""
    life.machine.order(f"hand {json.dumps(HANDOFF)}", "tell on", "wait")
    effect = life.escalate()
    await life.machine.told()
    effect.cancel()
    await asyncio.gather(effect, return_exceptions=True)
    begins, _ = await begun(life, run_id="run7")
    assert (begins.run_id, begins.handoff) == ("run7", None)
    folder = life.machine.folder()
    assert not folder.handoff.exists()
    assert not [*folder.path.rglob("handoff.json")]
