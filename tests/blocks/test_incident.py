"""The message of an incident: its state in words, what fails and why, and never more than Slack takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from blocks.incident import INCIDENT, NEXT_STEP, build_incident, title_incident
from blocks.outcome import describe_outcome
from blocks.recovery import build_recovery
from bot.decide.workflow.marking import state_of
from bot.models.check_result import CheckResult
from bot.models.incident import SEVERAL_GROUPS, Incident
from bot.models.thread import Thread
from sandbox.blockkit import checked_blocks
from tests.builders import added, at, moved
from tests.decide.unhealthy import ended, failed, proposed, recovered, running


def checked(service: str = "shop-api", status: str = "down", **changes: Any) -> CheckResult:
    """A result of a check."""
    error = "" if status == "healthy" else "expected status 200, got 503"
    values = {"service": service, "check_type": "http", "status": status, "error": error, "response_time_ms": 1_204}
    return CheckResult.model_validate(values | changes)


def incident(*checks: CheckResult, **changes: Any) -> Incident:
    """An incident of these checks' unhealthy services."""
    results = checks or (checked(),)
    values: dict[str, Any] = {
        "incident_id": "incident-1",
        "group": results[0].service,
        "services": tuple(dict.fromkeys(each.service for each in results if each.status != "healthy")),
        "since": at(),
        "checks": results,
        "checked_at": at(60),
    }
    return Incident(**(values | changes))


def text_of(picture: dict[str, Any]) -> str:
    """All words of the blocks."""
    return json.dumps(picture["blocks"], ensure_ascii=False)


SHOP = ("shop-api", "cart")
WORDS: dict[str, tuple[Incident, tuple[str, ...]]] = {
    "one service": (
        incident(),
        (
            "*shop-api* is down since <!date^",
            "*shop-api*, HTTP down: expected status 200, got 503 (1,204 ms)",
            "1 check, 0",
        ),
    ),
    "degraded, without a time": (
        incident(checked(status="degraded", check_type="dns", response_time_ms=None, error="slow")),
        ("*shop-api* is degraded since", '*shop-api*, DNS degraded: slow"'),
    ),
    "slow": (
        incident(checked(status="degraded", error="answered in 1204 ms, expected at most 800 ms")),
        ('HTTP degraded: answered in 1204 ms, expected at most 800 ms"',),
    ),
    "a group, of which one check is healthy": (
        incident(checked(), checked("cart", "degraded"), checked("pay", "healthy"), group="shop"),
        ("*shop-api* and *cart* of the group shop are down or degraded", "3 checks, 1 of them healthy"),
    ),
    "no failing check at the moment": (
        incident(checked(status="healthy"), services=("shop-api",)),
        ("*shop-api* is healthy at the moment, after an outage since", "1 check, 1 of them healthy"),
    ),
    "failed again": (incident(failures=3), ("Outage 3 in this thread.",)),
    "many groups": (
        incident(
            *(checked(name, error="no answer within 10 s") for name in SHOP), checked("pay"), group=SEVERAL_GROUPS
        ),
        (
            "Services of several groups: *shop-api*, *cart* and *pay* are down",
            "network of the machine that runs Triage",
        ),
    ),
    "recovered": (
        incident(checked(status="healthy"), services=("shop-api",), recovered_at=at(725), failures=2),
        (":white_check_mark: *shop-api* is healthy again.", "Outage 2 in this thread: from", ": 12 min."),
    ),
    "no longer checked": (
        incident(recovered_at=at(725), unchecked=("shop-api",)),
        (
            ":information_source: *shop-api* is no longer checked here, since the settings were changed; "
            "its state is not known.",
        ),
    ),
    "recovered, except one that was removed": (
        incident(checked("cart", "healthy"), group="shop", services=SHOP, recovered_at=at(30), unchecked=("shop-api",)),
        ("*cart* of the group shop is healthy again. *shop-api* is no longer checked here", ": 30 s."),
    ),
    "one of many groups": (
        incident(checked(), group=SEVERAL_GROUPS, recovered_at=at(725)),
        (":white_check_mark: *shop-api* is healthy again.",),
    ),
    "recovered group": (
        incident(*(checked(name, "healthy") for name in SHOP), group="shop", services=SHOP, recovered_at=at(30)),
        ("*shop-api* and *cart* of the group shop are healthy again.", ": 30 s."),
    ),
    "hostile words": (
        incident(checked(error="<!channel> &\n<@U0OPS>")),
        ("&lt;!channel&gt; &amp; &lt;@U0OPS&gt;",),
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_it_says_in_words_what_fails(name: str) -> None:
    """Blocks and notification have the state in words; Slack takes the blocks."""
    each, words = WORDS[name]
    picture = build_incident(each)
    shown = text_of(picture).replace("\\n", "\n")
    for expected in words:
        assert expected in f"{shown}{picture['text']}"
    checked_blocks(picture["blocks"])
    assert "<!channel>" not in shown
    assert "*" not in picture["text"]
    assert "down" in picture["text"] or "degraded" in picture["text"] or "healthy" in picture["text"] or each.unchecked
    assert (NEXT_STEP in shown) is not each.is_over
    assert picture["metadata"] == {"event_type": INCIDENT, "event_payload": {"incident_id": "incident-1"}}


@pytest.mark.parametrize(
    ("story", "words"),
    [
        (proposed, ""),
        (running, "*Approved:* the runbook `restart-payments` · <!date^"),
        (
            lambda: moved(running(), ended("down", outcome="failed", exit_code=3)),
            "approved by <@U0OPS>: it ended with exit code 3 after 0 s. The checks after it were not healthy.",
        ),
        (lambda: moved(moved(running(), ended("down")), failed("orders", seconds=40)), "*Ran* `restart-payments`"),
        (lambda: moved(moved(running(), ended()), failed(seconds=40)), ""),
    ],
    ids=["proposed", "approved", "ended", "another one fails", "failed again later"],
)
def test_it_says_which_runbook_was_run_in_this_outage(story: Callable[[], Thread], words: str) -> None:
    """So that nobody in the channel starts the same by hand; a proposal is for operators alone."""
    found = story().incident
    assert found
    shown = text_of(build_incident(found))
    assert words in shown
    assert ("restart-payments" in shown) is bool(words)
    assert found.is_behind


@pytest.mark.parametrize(
    "story",
    [
        lambda: moved(proposed(), recovered()),
        lambda: moved(running(), ended()),
        lambda: moved(moved(running(), recovered(22)), ended()),
        lambda: moved(moved(moved(running(), recovered(22)), failed(seconds=23)), ended()),
    ],
    ids=["by itself", "by a runbook", "while it runs", "failed again while it runs"],
)
def test_after_the_recovery_it_says_what_failed(story: Callable[[], Thread]) -> None:
    """For those who read the channel in the morning."""
    found = story().incident
    assert found
    assert "Failing before: *payments*, HTTP down: status 503, not 200." in text_of(build_incident(found))


def test_of_many_failures_the_first_are_named_after_the_recovery() -> None:
    """The worst ones, and a count of the others; of services that are no longer checked nothing is said."""
    failed_checks = (checked("a", "degraded"), *(checked(name) for name in "bcd"), checked("e"))
    over = incident(checked(status="healthy"), services=("a",), recovered_at=at(9), failed_checks=failed_checks)
    assert "*b*, HTTP down: expected status 200, got 503 (1,204 ms); *c*" in text_of(build_incident(over))
    assert "*d*, HTTP down: expected status 200, got 503 (1,204 ms) and 2 more failing checks." in text_of(
        build_incident(over)
    )
    assert "Failing before" not in text_of(build_incident(over.evolve(unchecked=("a",))))


def test_servers_that_answer_are_not_cut_off_by_our_network() -> None:
    """An answer of 503 came over it."""
    picture = build_incident(incident(checked(), checked("cart"), group=SEVERAL_GROUPS))
    assert "network" not in f"{text_of(picture)}{picture['text']}"


def test_an_end_without_a_check_is_no_recovery() -> None:
    """Neither the title, nor the line, nor the card's last word says that a removed service is healthy."""
    gone = incident(recovered_at=at(725), unchecked=("shop-api",))
    assert title_incident(gone) == "shop-api is no longer checked"
    closed = moved(None, added()).evolve(status="closed", outcome="recovered", closed_at=at(725), incident=gone)
    for text in (build_recovery(gone), describe_outcome(closed), text_of(build_incident(gone))):
        assert "*shop-api* is no longer checked here" in text
        assert "ealthy" not in text
        assert "ecovered" not in text
    assert state_of(closed) is None
    both = gone.evolve(services=("shop-api", "cart"))
    assert "*cart* is healthy again, after 12 min. *shop-api* is no longer checked" in build_recovery(both)
    assert state_of(closed.evolve(incident=both)) == "success"


@pytest.mark.parametrize("error", ["", "x" * 5_000, "<&>" * 5_000])
@pytest.mark.parametrize("count", [1, 21, 200])
def test_any_number_of_services_fits(count: int, error: str) -> None:
    """Whole lines, and a count of the others."""
    names = [f"service-{number:03}-{'n' * 52}" for number in range(count)]
    picture = build_incident(incident(*(checked(name, error=error) for name in names), group="shop"))
    checked_blocks(picture["blocks"])
    rows = picture["blocks"][1]["text"]["text"].splitlines()
    hidden = count - sum(row.startswith("• ") for row in rows)
    assert (f"… and {hidden} more failing check" in rows[-1]) is bool(hidden)
    assert len(picture["text"]) < 4_000


def test_the_network_is_no_likely_cause_once_most_answer_again() -> None:
    """Of many groups only one service is left."""
    healthy = (checked(name, status="healthy") for name in ("a", "b", "c", "d"))
    left = checked("lo", error="no answer within 10 s")
    names = ("a", "b", "c", "d", "lo")
    message = build_incident(incident(left, *healthy, services=names, group=SEVERAL_GROUPS))
    assert "*lo* is down" in str(message)
    assert "likely cause" not in str(message)
