"""Alerts on their way to a thread: floods, any order of delivery, duplicates, a restart in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.workflow import WorkflowLimits, advance
from bot.intake.watcher import Watcher
from bot.models.alert import Alert
from bot.models.thread import Thread
from bot.models.thread_event import AlertAcknowledged, AlertResolved, Deleted, Edited, MessageAdded, Overheard
from bot.triage.open_threads import OpenThreads
from tests.decide.alerts import templates
from tests.decide.alerts.programs import Json, alertmanager, grafana, pagerduty, plain
from tests.fakes import HandClock
from tests.intake.test_watcher import OpenThread, deliver, intake, watcher

LIMITS = WorkflowLimits(debounce=timedelta(seconds=2))
BOT = "B0ALERTS"


@dataclass
class Documents(OpenThread):
    """Threads in memory that the workflow decides on, with their index of alerts."""

    clock: HandClock = field(default_factory=HandClock)
    threads: dict[str, Thread] = field(default_factory=dict)
    index: OpenThreads = field(default_factory=OpenThreads)

    def is_open(self, thread_id: str) -> bool:
        """As the index says."""
        return self.index.is_open(thread_id)

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """As the index says."""
        return self.index.is_asker(thread_id, sender_id)

    def find_thread(self, channel: str, ts: str) -> str | None:
        """As the index says."""
        return self.index.find_thread(channel, ts)

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Decide and keep."""
        return self._apply(thread_id, message)

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Decide and keep."""
        return self._apply(thread_id, revision)

    def find(self, channel: str, alert: Alert, home: str, sender_id: str) -> str | None:
        """As the index says."""
        return self.index.alerts.find(channel, alert, home, sender_id, self.clock.now())

    async def report(self, thread_id: str, alert: Alert, message_id: str) -> bool:
        """Decide and keep."""
        kind = AlertResolved if alert.state == "resolved" else AlertAcknowledged
        return self._apply(thread_id, kind(at=self.clock.now(), fresh="id", message_id=message_id))

    def _apply(self, thread_id: str, event: Any) -> bool:
        step = advance(self.threads.get(thread_id), event, LIMITS)
        if step.thread:
            self.threads[thread_id] = step.thread
            self.index.note(step.thread)
        return step.accepted

    def restarted(self) -> Documents:
        """The same documents, whose index is rebuilt."""
        other = Documents(clock=self.clock, threads=dict(self.threads))
        for thread in self.threads.values():
            other.index.note(thread)
        return other

    @property
    def outcomes(self) -> list[str | None]:
        """The outcomes of all threads, oldest first."""
        return [self.threads[name].outcome for name in sorted(self.threads)]


def watching(threads: Documents) -> Watcher:
    """A watcher that lets this bot ask."""
    made = watcher(threads)
    made = Watcher(
        **{name: getattr(made, name) for name in ("events", "classified", "team", "mutes", "watched", "operators")},
        commands=made.commands,
        threads=threads,
        alert_threads=threads,
        clock=threads.clock,
    )
    made.team.classifier = compile_rules(bot_id="U0BOT", alert_bots=[BOT])
    return made


def body(message: Json, ts: float, **more: Any) -> Json:
    """The body of the bot's message."""
    event = {"type": "message", "channel": "C0HELP", "ts": f"{ts:.6f}", **message, "bot_id": BOT, **more}
    return {"type": "event_callback", "team_id": "T0A", "event_id": f"Ev{ts}{more}", "event": event}


def edit(message: Json, before: Json, ts: float) -> Json:
    """The body of an edit in place."""
    inner = {"type": "message", "ts": f"{ts:.6f}", **message, "bot_id": BOT}
    previous = {"type": "message", "ts": f"{ts:.6f}", **before, "bot_id": BOT}
    event = {"type": "message", "subtype": "message_changed", "channel": "C0HELP", "message": inner}
    event |= {"previous_message": previous, "ts": f"{ts + 0.5:.6f}"}
    return {"type": "event_callback", "team_id": "T0A", "event_id": f"Ed{hash(str(event))}", "event": event}


FIRING = alertmanager("[FIRING:1] HighErrorRate shop (critical)")
RESOLVED = alertmanager("[RESOLVED] HighErrorRate shop (critical)", firing=False)
START = 1_767_603_600.0
"""09:00 of the day on which the clock of tests begins."""


async def test_five_hundred_messages_of_three_alerts_are_three_threads() -> None:
    """Each counts its own, and stays small."""
    threads = Documents()
    bodies = [
        body(grafana(f"[FIRING:{n + 1}] {('Errors', 'Latency', 'Disk')[n % 3]} shop"), START + n) for n in range(500)
    ]
    await deliver(watching(threads), *bodies)
    records = [thread.alert for thread in threads.threads.values()]
    assert sorted(record.fired for record in records if record) == [166, 167, 167]
    assert all(len(thread.messages) < 20 for thread in threads.threads.values())


async def test_five_hundred_alerts_are_five_hundred_threads() -> None:
    """The rate limiter spreads their investigations; none is lost here."""
    threads = Documents()
    await deliver(watching(threads), *(body(grafana(f"[FIRING:1] Errors s{n}x"), START + n) for n in range(500)))
    assert len(threads.threads) == 500


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (1, 0, 2), (0, 0, 1, 2), (0, 1, 1, 2)], ids=["in order", "end first", "twice", "end twice"]
)
async def test_any_order_of_delivery_ends_the_same(order: tuple[int, ...]) -> None:
    """An alert, its end, and the next outage three minutes later."""
    threads = Documents()
    bodies = [body(FIRING, START), body(RESOLVED, START + 60), body(FIRING, START + 240)]
    one = watching(threads)
    for number in order:
        await deliver(one, bodies[number])
    (thread,) = threads.threads.values()
    assert (thread.status, thread.outcome) == ("collecting", None)


async def test_an_end_written_before_the_alert_closes_nothing() -> None:
    """It was of the outage before."""
    threads = Documents()
    await deliver(watching(threads), body(FIRING, START + 60), body(RESOLVED, START))
    assert threads.outcomes == [None]


async def test_a_restart_finds_the_alert_again() -> None:
    """Open or ended lately: the documents know it."""
    before = Documents()
    await deliver(watching(before), body(FIRING, START))
    between = before.restarted()
    await deliver(watching(between), body(RESOLVED, START + 60))
    after = between.restarted()
    await deliver(watching(after), body(FIRING, START + 120))
    (thread,) = after.threads.values()
    assert (before.outcomes, between.outcomes, thread.question_round) == ([None], ["recovered"], 2)


async def test_what_a_crash_left_over_is_counted_once() -> None:
    """Its records are gone through again."""
    threads = Documents()
    one = watching(threads)
    await deliver(one, body(FIRING, START), body(FIRING, START + 60))
    after = watching(threads)
    after.events, after.classified = one.events, one.classified
    await intake(after).recover()
    (thread,) = threads.threads.values()
    assert thread.alert
    assert thread.alert.fired == 2


async def test_an_hour_later_it_is_a_new_thread() -> None:
    """What ended long ago is not continued."""
    threads = Documents()
    one = watching(threads)
    await deliver(one, body(FIRING, START), body(RESOLVED, START + 60))
    await threads.clock.move(3_700)
    await deliver(one, body(FIRING, START + 3_800))
    assert threads.outcomes == ["recovered", None]


async def test_edits_in_place_are_followed() -> None:
    """Acknowledged, resolved, and triggered again, in one message."""
    threads = Documents()
    one = watching(threads)
    texts = [pagerduty(state, 1, "Q1", "refund fails") for state in ("Triggered", "Acknowledged", "Resolved")]
    await deliver(one, body(texts[0], START))
    seen = []
    for before, after in ((0, 1), (1, 2), (2, 0)):
        await deliver(one, edit(texts[after], texts[before], START))
        (thread,) = threads.threads.values()
        assert thread.alert
        seen.append((thread.status, thread.outcome, thread.alert.acknowledged_at is not None))
    assert seen == [("collecting", None, True), ("closed", "recovered", True), ("collecting", None, False)]


async def test_a_word_in_the_thread_of_an_alert_ends_it() -> None:
    """Without an id of its own it is about that thread."""
    threads = Documents()
    one = watching(threads)
    await deliver(one, body(FIRING, START))
    await deliver(one, body(plain("Resolved by Ana"), START + 60, thread_ts=f"{START:.6f}"))
    assert threads.outcomes == ["recovered"]


@pytest.mark.parametrize(
    "text",
    [
        "Resolved",
        "resolved.",
        "Incident resolved",
        "This alert has been resolved.",
        "The issue is now resolved",
        "Recovered after 5m",
        "Resolved at 10:42 UTC",
        "Auto-resolved after 1h 5m",
        "OK",
        "Closed",
        "[RESOLVED]",
        "✅",
        ":white_check_mark:",
        "✅ *Resolved*",
        "Back to normal",
        "Status changed: Firing → Resolved",
        "Status changed from firing to resolved",
        "State: OK",
        "Behoben",
        "Der Vorfall wurde behoben",
        "Résolu",
        "Resuelto",
        "復旧",
        "Resolved\nDuration: 5m",
    ],
)
async def test_a_short_end_in_the_thread_of_an_alert_ends_it(text: str) -> None:
    """By the bot that posted it; it needs no name there."""
    threads = Documents()
    await deliver(watching(threads), body(FIRING, START), body(plain(text), START + 60, thread_ts=f"{START:.6f}"))
    assert threads.outcomes == ["recovered"]


@pytest.mark.parametrize(
    "text",
    [
        "Not resolved",
        "Will be resolved soon",
        "OK, I look at it",
        "OK\nI look at it",
        "Closed for lunch at 12",
        "Resolved?",
        "❌",
        "👀",
        "Status changed: Resolved → Firing",
        "Still firing",
        "normal load in 2 of 3 zones",
    ],
)
async def test_other_short_words_in_the_thread_of_an_alert_do_not(text: str) -> None:
    """Nor does an end in somebody else's thread or by another bot."""
    threads = Documents()
    await deliver(watching(threads), body(FIRING, START), body(plain(text), START + 60, thread_ts=f"{START:.6f}"))
    assert threads.outcomes == [None]


async def test_a_short_end_by_another_bot_or_elsewhere_ends_nothing() -> None:
    """Which alert it means is not known."""
    threads = Documents()
    one = watching(threads)
    one.team.classifier = compile_rules(bot_id="U0BOT", alert_bots=[BOT, "B0OTHER"])
    other = body(plain("Resolved"), START + 60, thread_ts=f"{START:.6f}")
    other["event"]["bot_id"] = "B0OTHER"
    elsewhere = body(plain("Resolved"), START + 61, thread_ts=f"{START - 100:.6f}")
    await deliver(one, body(FIRING, START), other, elsewhere, body(plain("Resolved"), START + 62))
    assert threads.threads[min(threads.threads)].outcome is None
    assert "recovered" not in threads.outcomes


async def test_bots_that_are_not_allowed_change_nothing() -> None:
    """Not even by a resolve or an edit."""
    threads = Documents()
    one = watching(threads)
    await deliver(one, body(FIRING, START))
    one.team.classifier = compile_rules(bot_id="U0BOT")
    await deliver(one, body(RESOLVED, START + 60), edit(RESOLVED, FIRING, START), body(FIRING, START + 70))
    (thread,) = threads.threads.values()
    assert thread.outcome is None
    assert thread.alert
    assert thread.alert.fired == 1


async def test_templates_of_other_programs_are_one_thread_each_which_their_recovery_ends() -> None:
    """Also those whose words ordinary notices use, once both are known."""
    threads = Documents()
    one = watching(threads)
    for number, (problem, recovery) in enumerate(templates.PAIRS):
        await deliver(one, body(plain(problem), START + 60 * number), body(plain(recovery), START + 60 * number + 30))
    assert threads.outcomes == ["recovered"] * len(templates.PAIRS)


async def test_ordinary_notices_are_questions_of_their_own() -> None:
    """None is taken for the end of another, and none is dropped; two that differ by a number are two."""
    threads = Documents()
    one = watching(threads)
    texts = [*templates.NOTICES, "Error: order 4712 could not be exported", "Closed: order 4713 could not be exported"]
    for number, text in enumerate(texts):
        await deliver(one, body(plain(text), START + 60 * number))
    assert [outcome for outcome in threads.outcomes if outcome] == []
    assert not [thread for thread in threads.threads.values() if thread.alert and thread.alert.is_certain]
    assert len(threads.threads) == len(texts) - 1  # "OK, merged" is an acknowledgement


async def test_a_notice_with_a_state_word_in_a_thread_is_a_message_there() -> None:
    """It neither repeats nor ends the alert above."""
    threads = Documents()
    reply = {"thread_ts": f"{START:.6f}"}
    notes = ("OK: I look at it", "Warning: the same as last week")
    await deliver(
        watching(threads),
        body(FIRING, START),
        *(body(plain(note), START + 60 * (n + 1), **reply) for n, note in enumerate(notes)),
    )
    (thread,) = threads.threads.values()
    assert thread.alert
    assert (thread.outcome, thread.alert.fired) == (None, 1)


async def test_alerts_as_replies_are_neither_lost_nor_counted_as_another() -> None:
    """A daily thread: all are part of its question, and the end of the first leaves the others."""
    threads = Documents()
    one = watching(threads)
    names = ("Errors shop", "Latency search", "Disk db")
    daily = {"thread_ts": f"{START:.6f}"}
    for number, name in enumerate((*names, names[1])):
        await deliver(one, body(plain(f"[FIRING:1] {name}"), START + 60 + number, **daily))
    (thread,) = threads.threads.values()
    assert thread.alert
    assert (thread.alert.fired, len(thread.question_messages)) == (1, 3)
    await deliver(one, body(plain("[RESOLVED] Errors shop"), START + 90, **daily))
    (thread,) = threads.threads.values()
    assert (thread.outcome, thread.inbox) == ("recovered", tuple(f"{START + 61 + n:.6f}" for n in range(2)))


async def test_an_alert_as_a_reply_in_a_closed_thread_is_its_next_question() -> None:
    """With a card of its own, which its end closes; also in a thread that a person began."""
    threads = Documents()
    one = watching(threads)
    daily = {"thread_ts": f"{START:.6f}"}
    await deliver(one, body(plain("[FIRING:1] Errors shop"), START + 60, **daily))
    await deliver(one, body(plain("[RESOLVED] Errors shop"), START + 70, **daily))
    await deliver(one, body(plain("[FIRING:1] Disk db"), START + 80, **daily))
    (thread,) = threads.threads.values()
    assert thread.alert
    assert (thread.status, thread.question_round, thread.alert.alert.title) == ("collecting", 2, "Disk db")
    await deliver(one, body(plain("[RESOLVED] Errors shop"), START + 85, **daily))
    assert threads.outcomes == [None]
    await deliver(one, body(plain("[RESOLVED] Disk db"), START + 90, **daily))
    assert threads.outcomes == ["recovered"]
