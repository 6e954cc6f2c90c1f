"""Bots in a channel: who of them may open a thread, and how often."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.intake.alerts import Alerts
from bot.intake.watcher import Watcher
from bot.models.message import Message, normalise
from tests.builders import at
from tests.intake.test_watcher import OpenThread, deliver, watcher


def by_bot(
    ts: str, bot: str, *, root: str | None = None, text: str = "checkout returns 502, what now?"
) -> dict[str, Any]:
    """The body of a bot's message."""
    event = {"type": "message", "channel": "C0HELP", "bot_id": bot, "ts": ts, "text": text, "thread_ts": root}
    return {"type": "event_callback", "team_id": "T0A", "event_id": f"Ev{ts}", "event": event}


def watching(threads: OpenThread, *alert_bots: str) -> Watcher:
    """A watcher that lets these bots ask."""
    made = watcher(threads)
    made.team.classifier = compile_rules(bot_id="U0BOT", alert_bots=alert_bots)
    return made


async def test_two_bots_and_a_thousand_events_end_in_no_investigation() -> None:
    """Bots that answer each other are left alone."""
    threads = OpenThread()
    one = watching(threads)
    for number in range(1_000):
        alert = by_bot(f"200.{number:06}", ("B0ONE", "B0TWO")[number % 2], root="100.000001")
        await deliver(one, alert)
    assert threads.messages == []


async def test_an_alert_bot_is_taken_up_once_a_thread_in_a_while() -> None:
    """A thousand alerts in one thread at the same time are one; a person's question there is always taken."""
    threads = OpenThread()
    one = watching(threads, "B0ONE", "B0TWO")
    for number in range(1_000):
        alert = by_bot(f"200.{number:06}", ("B0ONE", "B0TWO")[number % 2], root="100.000001")
        await deliver(one, alert)
    assert [added.message.message_id for added in threads.messages] == ["200.000000"]


def test_the_pause_is_each_threads_own_and_ends() -> None:
    """Another thread has its own, and after the pause the next one is taken."""
    alerts = Alerts(timedelta(minutes=10))
    asked = [("a", 0), ("b", 1), ("a", 599), ("a", 600), ("a", 601)]
    assert [alerts.take(thread, at(seconds)) for thread, seconds in asked] == [True, True, False, True, False]


def test_a_clock_that_was_set_back_silences_no_thread() -> None:
    """The pause is minutes, not the day that the clock lost."""
    alerts = Alerts(timedelta(minutes=10))
    assert [alerts.take("a", at(seconds)) for seconds in (86_400, 0, 1)] == [True, True, False]


@pytest.mark.parametrize(
    ("marks", "names"),
    [
        ({"bot_id": "B0ONE"}, ("B0ONE",)),
        ({"user": "U0ONE", "bot_id": "B0ONE", "app_id": "A0ONE"}, ("U0ONE", "B0ONE", "A0ONE")),
        ({"user": "U0ONE", "bot_profile": {"name": "one"}}, ("U0ONE",)),
        ({"user": "U0ONE", "app_id": "A0ONE"}, ("U0ONE", "A0ONE")),
        ({"user": "U0ONE", "subtype": "bot_message"}, ("U0ONE",)),
        ({"user": "USLACKBOT"}, ("USLACKBOT",)),
    ],
)
def test_a_program_is_known_by_any_of_its_marks(marks: dict[str, Any], names: tuple[str, ...]) -> None:
    """However Slack says it, and under every id that a team may list."""
    event = {"type": "message", "channel": "C0HELP", "ts": "1.000001", "text": "hi", **marks}
    made = normalise({"team_id": "T0A", "event": event}, chat_names={})
    assert isinstance(made, Message)
    assert (made.sender.type, made.sender.names) == ("bot", names)
