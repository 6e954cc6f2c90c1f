"""The supervisor with real processes: start, watch, end, and what remains when bot or process is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.config.settings import Settings
from bot.decide.escalation import EscalationPolicy
from bot.models.role import Category
from tests.builders import findings
from tests.escalation.builders import assignment
from tests.escalation.life import Life, within
from tests.escalation.machine import TMUX, machine, needs_tmux, until_free

WAYS = [pytest.param(TMUX, id="tmux", marks=needs_tmux), pytest.param(None, id="detached")]
REPORT = {"project": "shop", "engine": "claude", "findings": findings().model_dump(mode="json")}


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    """A bot with detached processes."""
    with machine(tmp_path / "home") as made:
        bot = await Life(made).start()
        yield bot
        await bot.kill()


def events(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """The recorded events: level and message."""
    return [(record.levelname.lower(), record.getMessage()) for record in caplog.records if hasattr(record, "session")]


@pytest.mark.parametrize("tmux", WAYS)
async def test_a_run_starts_and_its_return_reaches_its_thread(tmp_path: Path, tmux: str | None) -> None:
    """AC-07: an escalation completes and writes `return.json`."""
    with machine(tmp_path / "home", tmux=tmux) as made:
        life = await Life(made).start()
        made.order("tell on", "spend 0.3", f"return {json.dumps({'report': REPORT})}")
        life.escalate()
        assert await made.told() == "on"
        end = await life.ended()
        assert (end.returned.outcome, end.is_started, end.next_tier, end.refusal) == ("answered", True, None, "")
        assert end.returned.report
        assert end.returned.report.findings == findings()
        assert end.assignment == assignment(journal="run.md")
        (record,) = await life.tiers()
        assert (record.tier, record.outcome, record.cost_usd, record.num_turns) == (2, "answered", 0.3, 3)
        assert life.ledger.spent == pytest.approx(0.3)
        assert (life.queue.newest.turns, life.queue.newest.cost_usd) == (3, 0.3)


@pytest.mark.parametrize("tmux", WAYS)
async def test_a_run_outlives_its_bot_and_its_return_is_found_by_the_next(tmp_path: Path, tmux: str | None) -> None:
    """AC-09: the bot is killed during the escalation and started again, while it runs and after its end."""
    with machine(tmp_path / "home", tmux=tmux) as made:
        life = await Life(made).start()
        made.order("tell on", "wait")
        life.escalate()
        await made.told()
        first = made.folder().find_process()
        await life.restart()
        life.resume()
        await life.look()
        assert made.folder().find_process() == first
        await life.kill()
        assert first is not None
        os.kill(first, signal.SIGTERM)
        await until_free(made.folder())
        await life.start()
        life.resume()
        end = await life.ended()
        assert end.returned.reason == "it was ended by a signal"
        assert len(await life.tiers()) == 1


async def test_a_killed_run_is_told_within_one_look_with_its_transcript(
    life: Life, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that is gone without `.done` has died: a critical event, and a reason for the operator."""
    life.machine.order("say turn 1", "tell on", "stay")
    life.escalate()
    await life.machine.told()
    folder = life.machine.folder()
    os.kill(folder.find_process() or 0, signal.SIGKILL)
    end = await life.ended()
    reason = f"its process ended without a result; its transcript is {folder.transcript}"
    assert (end.returned.outcome, end.returned.reason, end.is_started) == ("died", reason, True)
    assert ("critical", f"Tier 2 ended: died, {reason}") in events(caplog)
    (record,) = await life.tiers()
    assert (record.outcome, record.spent_usd) == ("died", 1.0)  # it left no account


async def test_both_killed_leaves_a_stated_end(life: Life) -> None:
    """As after a reboot of the machine: the next bot finds the death."""
    life.machine.order("spend 0.2", "tell on", "stay")
    life.escalate()
    await life.machine.told()
    await life.kill()
    os.kill(life.machine.folder().find_process() or 0, signal.SIGKILL)
    await until_free(life.machine.folder())
    await life.start()
    life.resume()
    end = await life.ended()
    assert end.returned.outcome == "died"
    assert life.ledger.spent == pytest.approx(0.2)


async def test_a_thread_that_no_longer_waits_ends_its_run(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    """Stop, a dismissal, a mute and an edit all leave a thread that waits for no run, or for another."""
    life.machine.order("spend 0.2", "tell on", "wait")
    effect = life.escalate()
    await life.machine.told()
    life.put(life.thread.evolve(status="pending-user", run_id=None))
    effect.cancel()
    await asyncio.gather(effect, return_exceptions=True)
    await life.look()
    assert life.machine.folder().read_state() == "ended"
    assert ("warning", "Tier 2 was ended: its question did not wait for it any more") in events(caplog)
    (record,) = await life.tiers()
    assert (record.outcome, record.spent_usd) == ("cancelled", 0.2)
    assert life.ledger.spent == pytest.approx(0.2)
    assert life.supervisor.open_runs == {}


async def test_a_thread_that_stopped_waiting_while_the_bot_was_away_ends_its_run(life: Life) -> None:
    """The next bot finds a process that nothing waits for."""
    life.machine.order("tell on", "wait")
    life.escalate()
    await life.machine.told()
    await life.kill()
    life.put(life.thread.evolve(status="closed", run_id=None))
    await life.start()
    await life.supervisor.look()
    assert life.machine.folder().find_process() is None
    assert life.supervisor.open_runs == {}


async def test_a_stop_of_triage_ends_runs_and_a_resume_tells_why(life: Life) -> None:
    """`/triage stop` kills what runs; its thread learns the reason once Triage is resumed."""
    life.machine.order("tell on", "wait")
    effect = life.escalate()
    await life.machine.told()
    await life.controls.set_state("stopped", life.clock.now())
    effect.cancel()
    await asyncio.gather(effect, return_exceptions=True)
    await life.look()
    assert life.machine.folder().find_process() is None
    await life.controls.set_state("running", life.clock.now())
    life.resume()
    end = await life.ended()
    assert (end.returned.outcome, end.returned.reason) == ("cancelled", "an admin stopped Triage, which ended it")


async def test_a_run_that_takes_too_long_is_ended(life: Life) -> None:
    """A process that ignores its own limit is killed a minute after it; its thread learns the limit."""
    life.machine.order("spend 0.2", "tell on", "wait")
    effect = life.escalate()
    await life.machine.told()
    await life.look()
    await life.clock.move(31 * 60)
    await life.look()
    assert not effect.done()
    await life.clock.move(1)
    await life.look()
    end = await within(effect)
    assert (end.returned.outcome, end.returned.reason) == ("limit", "it took longer than 30 minutes, and was ended")


async def test_a_run_without_output_is_ended_after_the_time_of_its_category(life: Life) -> None:
    """Any line of the transcript counts as life."""
    life.machine.order("say turn 1", "tell on", "wait")
    category = Category(inactivity_timeout_min=5, turns=10, usd=1.0)
    effect = life.escalate()
    await life.machine.told()
    (watched,) = life.supervisor._watched.values()
    watched.task = watched.task.evolve(assignment=assignment(allowed=category))
    await life.look()
    await life.clock.move(4 * 60)
    with life.machine.folder().transcript.open("a") as file:
        file.write("turn 2\n")
    await life.look()
    await life.clock.move(4 * 60)
    await life.look()
    assert not effect.done()
    await life.clock.move(2 * 60)
    await life.look()
    end = await within(effect)
    assert (end.returned.outcome, end.returned.reason) == ("stalled", "it gave no output for 5 minutes, and was ended")


async def test_progress_reaches_the_thread_and_the_journal_of_its_task(life: Life) -> None:
    """Turns, cost, the last line, and how to watch; only what is new is told."""
    life.machine.order("say 09:00 turn 3: search", "spend 0.3", "tell on", "wait")
    life.escalate()
    await life.machine.told()
    await life.look()
    event, folder = life.queue.newest, life.machine.folder()
    assert (event.run_id, event.turns, event.cost_usd, event.latest) == ("run1", 3, 0.3, "09:00 turn 3: search")
    assert (event.tmux_session, event.transcript_path) == (None, str(folder.transcript))
    assert event.watch_command == f"tail -f {folder.transcript}"
    journal = (life.machine.home / "tasks" / "take-long-0105" / "run.md").read_text()
    assert "3 turns, at most $0.30: 09:00 turn 3: search" in journal
    told = len(life.queue.events)
    await life.look()
    assert len(life.queue.events) == told
    (record,) = await life.tiers()
    assert (record.num_turns, record.cost_usd, record.spent_usd) == (3, 0.3, 1.0)


async def test_follow_ups_reach_the_run_once(life: Life) -> None:
    """A message that came in during the run is appended for it, with its author's name."""
    life.machine.order("tell on", "wait")
    life.escalate()
    await life.machine.told()
    thread = life.thread
    follow_up = thread.messages[0].evolve(message_id="100.000002", content="since nine")
    life.put(thread.evolve(messages=(*thread.messages, follow_up), inbox=("100.000002",), names={"U0ANA": "Ana"}))
    await life.look()
    await life.look()
    (line,) = life.machine.folder().messages.read_text().splitlines()
    assert json.loads(line) == {"ts": "100.000002", "by": "Ana", "text": "since nine"}


async def test_a_day_without_money_starts_nothing(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    """The operator learns why; no process, no folder, no session is left."""
    await life.spend(19.9)
    end = await within(life.escalate())
    assert (end.is_started, end.returned.outcome, end.next_tier) == (False, "over_cap", None)
    assert "a run needs $0.20" in end.returned.reason
    assert [each.tier for each in await life.tiers()] == [1]
    assert (life.machine.folder().read_state(), life.supervisor.open_runs) == ("empty", {})
    assert [level for level, _ in events(caplog)] == ["warning"]


async def test_a_program_that_is_not_there_costs_nothing(life: Life) -> None:
    """A start that the system refuses is a stated end, and its money is free again."""
    life.machine.launcher = type(life.machine.launcher)(tmux=None, command=("/nowhere/python",))
    await life.start()
    end = await within(life.escalate())
    assert (end.is_started, end.returned.outcome) == (False, "failed")
    assert (life.ledger.spent, life.supervisor.open_runs) == (0.0, {})


async def test_a_settings_cap_of_the_tier_is_the_sum_that_is_held(tmp_path: Path) -> None:
    """The task names it, the process's own ledger keeps to it."""
    settings = Settings.model_validate({"tiers": {"2": {"max_usd": 3.5, "hard_cap_runtime_min": 7}}})
    with machine(tmp_path / "home") as made:
        life = await Life(made, settings=settings).start()
        made.order("tell on", "wait")
        life.escalate()
        await made.told()
        task = made.folder().read_task()
        assert task is not None
        assert (task.usd, task.seconds, life.ledger.spent) == (3.5, 420, 3.5)
        await life.kill()


async def test_the_next_question_of_a_thread_ends_the_run_before(life: Life) -> None:
    """Its folder is in `earlier`, its cost is booked, its session closed."""
    life.machine.order("spend 0.2", "tell on", "wait")
    life.escalate()
    await life.machine.told()
    await life.kill()
    life.escalate(run_id="run2")
    await life.machine.told()
    task = life.machine.folder().read_task()
    assert task is not None
    assert task.run_id == "run2"
    first, _ = await life.tiers()
    assert (first.outcome, first.spent_usd) == ("cancelled", 0.2)
    assert (life.machine.folder().path / "earlier" / first.session_id / "return.json").exists()


async def test_escalation_that_is_switched_off_starts_nothing_and_takes_earlier_results(life: Life) -> None:
    """A run goes on over the change of the settings; the next one is refused with the reason."""
    life.machine.order("spend 0.2", "tell on", "wait")
    life.escalate()
    await life.machine.told()
    life.policy = EscalationPolicy()
    await life.restart()
    life.resume()
    os.kill(life.machine.folder().find_process() or 0, signal.SIGTERM)
    end = await life.ended()
    assert (end.is_started, end.returned.outcome, life.ledger.spent) == (True, "cancelled", 0.2)
    refused = await within(life.escalate(run_id="run2"))
    assert (refused.is_started, refused.returned.reason) == (False, "the settings start no tier 2 any more")
