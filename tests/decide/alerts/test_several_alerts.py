"""Several alerts in one message: each has its own end, and the thread is over when all of them are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.decide.alerts import read_alert
from bot.models.thread_event import AlertResolved
from tests.builders import at, fresh, moved, step
from tests.decide.alerts.programs import Json, alertmanager, plain
from tests.decide.alerts.test_course import alert as read
from tests.decide.alerts.test_course import fires, pending

if TYPE_CHECKING:
    from bot.models.thread import Thread

TWO_ATTACHMENTS: Json = {
    "attachments": [
        {"title": "[FIRING:1] DiskFull (db1 prod)", "color": "danger", "text": "disk is at 97 %"},
        {"title": "[FIRING:1] ReplicaDown (db2 prod)", "color": "danger"},
    ]
}
DETAILS: Json = {
    "attachments": [
        {"title": "[FIRING:1] DiskFull (db1 prod)", "color": "danger"},
        {"title": "Details", "text": "disk is at 97 %"},
        {"pretext": "[FIRING:1] ReplicaDown (db2 prod)", "color": "danger"},
    ]
}
SECTIONS: Json = {
    "text": "2 alerts",
    "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": f"*[FIRING] {name} is late*\nhost: {name}"}}
        for name in ("orders", "refunds")
    ],
}

LISTS: dict[str, tuple[Json, tuple[str, ...]]] = {
    "lines": (
        plain("[FIRING] api-a high latency\n[FIRING] api-b high latency\n[FIRING] api-c high latency"),
        ("api-a high latency", "api-b high latency", "api-c high latency"),
    ),
    "below a title": (
        plain("Alerts in prod:\n• [FIRING] api-a slow\n• [FIRING] api-b slow"),
        ("api-a slow", "api-b slow"),
    ),
    "numbered": (plain("1. [FIRING] api-a slow\n2. [FIRING] api-b slow"), ("api-a slow", "api-b slow")),
    "with details between": (
        plain("[FIRING] api-a slow\np99 is 3 s\n\n[FIRING] api-b slow\np99 is 4 s"),
        ("api-a slow", "api-b slow"),
    ),
    "levels": (plain("[CRITICAL] lag on db-8\n[WARNING] lag on db-9"), ("lag on db-8", "lag on db-9")),
    "prefixes": (plain("FIRING: lag on db-8\nFIRING: lag on db-9"), ("lag on db-8", "lag on db-9")),
    "emoji": (plain("🔥 Problem: lag on db-8\n🔥 Problem: lag on db-9"), ("lag on db-8", "lag on db-9")),
    "Uptime Kuma": (plain("[shop] [🔴 Down] HTTP 500\n[docs] [🔴 Down] timeout"), ("shop", "docs")),
    "Japanese": (plain("【障害】注文APIが遅い\n【障害】検索APIが遅い"), ("注文APIが遅い", "検索APIが遅い")),
    "German": (plain("[STÖRUNG] Lager\n[STÖRUNG] Kasse"), ("Lager", "Kasse")),
    "attachments": (TWO_ATTACHMENTS, ("DiskFull (db1 prod)", "ReplicaDown (db2 prod)")),
    "attachments with details": (DETAILS, ("DiskFull (db1 prod)", "ReplicaDown (db2 prod)")),
    "sections": (SECTIONS, ("orders is late", "refunds is late")),
    "over and firing": (plain("[RESOLVED] api-a slow\n[FIRING] api-b slow"), ("api-b slow", "api-a slow")),
}
SINGLE: dict[str, Json] = {
    "details below": plain("[FIRING] api-a slow\n[ERROR] db timeout\n[ERROR] retry failed"),
    "its course": plain("[FIRING] api-a slow\n[RESOLVED] api-a slow"),
    "the same line twice": plain("[FIRING] api-a slow\n*[FIRING] api-a slow*"),
    "a form": plain("Problem: CPU is high\nHost: web-1\nSeverity: High\nStatus: PROBLEM"),
    "a group": alertmanager("[FIRING:2] Latency (prod)", text="*Alert:* api-a slow\n*Alert:* api-b slow"),
    "a title above lines": alertmanager("[FIRING:2] Latency", text="[FIRING] api-a slow\n[FIRING] api-b slow"),
    "code": plain("[FIRING] api-a slow\n```\n[FIRING] api-b slow\n[FIRING] api-c slow\n```"),
}


@pytest.mark.parametrize(("message", "titles"), LISTS.values(), ids=LISTS.keys())
def test_each_alert_of_a_list_is_read(message: Json, titles: tuple[str, ...]) -> None:
    """Lines, attachments and sections, in several languages; one that fires comes first."""
    alert = read_alert(message)
    assert alert
    assert tuple(each.title for each in alert.each) == titles
    assert alert.state == "firing"


@pytest.mark.parametrize("message", SINGLE.values(), ids=SINGLE.keys())
def test_one_alert_with_details_is_one(message: Json) -> None:
    """What is below it belongs to it."""
    alert = read_alert(message)
    assert alert
    assert len(alert.each) == 1


def ends(thread: Thread, text: str, seconds: float) -> Thread:
    """The thread after a message of the end of one alert."""
    ended = AlertResolved(at=at(seconds), fresh=fresh(), message_id=f"{100 + seconds:.6f}", alert=read(plain(text)))
    return moved(thread, ended)


@pytest.mark.parametrize("first", range(3))
def test_the_thread_is_over_when_all_of_its_alerts_are(first: int) -> None:
    """In any order; an end that was told before changes nothing."""
    lines = ["[FIRING] api-a slow", "[FIRING] api-b slow", "[FIRING] api-c slow"]
    thread = moved(pending(), fires(5, plain("\n".join(lines))))
    assert thread.alert
    known = len(thread.alert.parts)
    order = [f"[RESOLVED] api-{'abc'[(first + place) % 3]} slow" for place in range(3)]
    thread = ends(ends(thread, order[0], 10), order[1], 11)
    assert thread.alert
    assert (thread.status, thread.alert.recovered_at) == ("pending-user", None)
    assert sum(1 for part in thread.alert.parts if part.recovered_at) == known - 2
    again = AlertResolved(at=at(12), fresh=fresh(), message_id="112.000000", alert=read(plain(order[0])))
    assert not step(thread, again).accepted


def test_an_end_without_a_name_ends_all() -> None:
    """Such as *Resolved* below the message."""
    thread = moved(pending(), fires(5, plain("[FIRING] api-a slow\n[FIRING] api-b slow")))
    over = moved(thread, AlertResolved(at=at(9), fresh=fresh(), message_id="109.000000"))
    assert (over.status, over.outcome) == ("closed", "recovered")


def test_an_alert_that_fires_again_waits_for_its_end_again() -> None:
    """Also while the others are over."""
    thread = moved(pending(), fires(5, TWO_ATTACHMENTS))
    thread = ends(thread, "[RESOLVED] DiskFull (db1 prod)", 10)
    thread = moved(thread, fires(20, plain("[FIRING:1] DiskFull (db1 prod)")))
    thread = ends(thread, "[RESOLVED] ReplicaDown (db2 prod)", 30)
    assert thread.alert
    assert [part.alert.title for part in thread.alert.parts if part.recovered_at is None][-1] == "DiskFull (db1 prod)"
