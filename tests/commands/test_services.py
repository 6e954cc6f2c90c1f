"""`services`: each state in words, the unhealthy first, and the last day as marks and words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from blocks.services import LEGEND, align_marks, describe_marks, describe_service, format_marks
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import OfServices
from bot.commands.services import LONGEST_LIST, NONE_SET_UP, ServiceCommands
from bot.decide.redaction.redactor import Redactor
from bot.models.check_result import CheckResult
from bot.models.command_data.services import ServicesData
from bot.models.service_state import MARKS_A_DAY, DayMarks, Mark, ServiceState
from tests.blocks.test_incident import checked
from tests.builders import T0, at
from tests.chat.crew import command
from tests.fakes import HandClock

URL = "https://acme.slack.com/"
THREAD = "T0SANDBOX-C0HELP-100.000001"
SECRET = "a-loaded" + "-secret-0815"


class Health:
    """A `ServiceHealth` of these states."""

    def __init__(self, *states: ServiceState) -> None:
        self.states = states

    def list_states(self) -> tuple[ServiceState, ...]:
        """All of them."""
        return self.states

    async def check_again(self, group: str) -> tuple[CheckResult, ...]:
        """Fail the test."""
        raise AssertionError(group)


def marks(*newest: Mark) -> DayMarks:
    """A healthy day that ended with these half hours."""
    healthy: Mark = "healthy"
    day = (*(healthy,) * MARKS_A_DAY, *newest)[-MARKS_A_DAY:]
    return DayMarks(ends_at=T0 + timedelta(minutes=20), marks=day)


def state(service: str = "shop-api", status: str | None = "down", **changes: Any) -> ServiceState:
    """The state of a service."""
    values = {
        "service": service,
        "group": service,
        "status": status,
        "since": at(-600) if status else None,
        "checked_at": at(-5) if status else None,
        "results": (checked(service, status),) if status else (),
        "days": marks() if status in (None, "healthy") else marks("degraded", "down", "down"),
        "thread_id": None if status in (None, "healthy") else THREAD,
    }
    return ServiceState.model_validate(values | changes)


async def show(*states: ServiceState, name: str = "", via: str = "slash") -> CommandAnswer:
    """The answer on these states."""
    commands = ServiceCommands(health=Health(*states), clock=HandClock(), url=URL, redactor=Redactor([SECRET]))
    return await commands.show(OfServices(name=name), command().evolve(via=via))


async def test_each_service_is_told_in_words() -> None:
    """State, since when, last check, reason, the last day and the incident; the unhealthy come first."""
    shown = await show(state("cart", "healthy"), state("pay", None), state("web", "degraded"), state(group="shop"))
    assert shown.line == f"4 services: 1 down, 1 degraded, 1 not checked yet, 1 healthy. {LEGEND}"
    assert [row.split("*")[1] for row in shown.rows] == ["shop-api", "web", "pay", "cart"]
    first, second, third, fourth = shown.rows[0].splitlines()
    assert first.startswith("*shop-api* (group shop) is *down* since <!date^")
    assert ", last checked <!date^" in first
    assert second == "HTTP down: expected status 200, got 503 (1,204 ms)."
    words = "Last day: down in 2, degraded in 1 of 48 half hours."
    assert third == f"{words} <https://acme.slack.com/archives/C0HELP/p100000001|Incident>"
    assert fourth == f"{'▁' * 45}▄██"
    assert shown.rows[2] == "*pay* is not checked yet."
    said = await show(state("pay", None, unchecked=("service: systemctl: Can't operate.",)))
    assert said.rows[0] == "*pay* could not be checked: service: systemctl: Can't operate."
    faults = ("dns: no module <x>", f"http: {SECRET}")
    stuck = await show(state("pay", None, unchecked=faults), state("cart", "healthy", unchecked=faults))
    assert stuck.line == f"2 services: 1 that cannot be checked, 1 healthy. {LEGEND}"
    assert stuck.rows[0] == "*pay* could not be checked: dns: no module &lt;x&gt;; http: [redacted]."
    assert stuck.rows[1].splitlines()[1] == "Could not be checked: dns: no module &lt;x&gt;; http: [redacted]."
    assert "\nLast day: healthy in all 48 half hours.\n" in shown.rows[3]


async def test_one_service_is_shown_with_all_its_checks() -> None:
    """By its name in any case; a group by its own, where no service has that name."""
    checks = (checked(), checked(check_type="dns", status="healthy"))
    states = (state(results=checks, group="shop"), state("cart", "healthy", group="shop", thread_id=THREAD))
    shown = await show(*states, name="SHOP-API")
    assert shown.line.startswith("1 service: 1 down.")
    assert "HTTP down: expected status 200, got 503 (1,204 ms); DNS healthy (1,204 ms)." in shown.rows[0]
    group = await show(*states, state("mail", "healthy"), name="shop")
    assert len(group.rows) == 2
    assert "|Last incident>\n" in group.rows[1]
    alone = await show(state("mail", "healthy"), name="mail")
    assert alone.line.startswith("1 service, healthy.")


@pytest.mark.parametrize(("name", "hint"), [("shop-apo", " The nearest is `shop-api`."), ("<b>", ""), ("x" * 100, "")])
async def test_an_unknown_name_is_said(name: str, hint: str) -> None:
    """With the nearest one."""
    shown = await show(state(), name=name)
    assert shown.outcome == "invalid"
    assert shown.line.endswith(f"`.{hint}")
    assert "<b>" not in shown.line


async def test_nothing_to_check_names_the_next_step() -> None:
    """One sentence."""
    assert await show() == CommandAnswer(line=NONE_SET_UP, data=ServicesData(services=()))
    assert (await show(name="shop")).line == NONE_SET_UP


MANY: dict[str, tuple[int, int, int]] = {
    "all healthy": (200, 0, 0),
    "few are down": (200, 3, 0),
    "as many as have a line": (60, 15, 5),
    "more than have a line": (60, 40, 20),
    "all are down": (200, 200, 0),
}
"""Number of services, of those that are down and of those that are degraded."""


@pytest.mark.parametrize("name", MANY)
async def test_every_failing_service_is_named(name: str) -> None:
    """In short form where they are many; the last row counts the others, and the data has all."""
    number, down, degraded = MANY[name]
    words = ["down"] * down + ["degraded"] * degraded + ["healthy"] * (number - down - degraded)
    shown = await show(*(state(f"s{each:03}", word) for each, word in enumerate(words)))
    assert isinstance(shown.data, ServicesData)
    assert len(shown.data.services) == number
    assert len("\n".join(shown.rows)) <= LONGEST_LIST
    failing = "\n".join(row for row in shown.rows if not row.startswith("…"))
    assert all(f"s{each:03}" in failing for each in range(down + degraded))
    assert down + degraded == number or shown.rows[-1].startswith("… and ")
    assert down + degraded == number or "more services, none of them unhealthy: " in shown.rows[-1]


async def test_failing_services_with_long_names_are_counted() -> None:
    """The last row says how many there is no room for."""
    shown = await show(*(state(f"s{each:03}{'x' * 60}", "down") for each in range(100)))
    names = shown.rows[0].count(",") + 1
    assert len("\n".join(shown.rows)) <= LONGEST_LIST
    assert shown.rows[-1].startswith(f"… and {100 - names} more services, {100 - names} of them not healthy: ")


async def test_a_terminal_lists_all_services() -> None:
    """In detail, however many they are."""
    shown = await show(*(state(f"s{each:03}", "down") for each in range(200)), via="cli")
    assert len(shown.rows) == 200
    assert all(row.count("\n") == 3 for row in shown.rows)


async def test_a_reason_shows_no_secret_and_forms_no_markup() -> None:
    """It may hold what the service answered; further reasons are counted."""
    bad = checked(error=f"{SECRET} <!channel>")
    shown = await show(state(results=(bad, bad, bad, checked(status="healthy"))), state("cart", "healthy"))
    assert SECRET not in shown.text
    assert "<!channel>" not in shown.text
    assert ", and 1 more failing check." in shown.rows[0]


MARKS: dict[str, tuple[DayMarks | None, int, str, str]] = {
    "never checked": (None, 0, "░" * 48, "Not checked in the last day."),
    "as saved": (marks("down"), 0, "▁" * 47 + "█", "Last day: down in 1 of 48 half hours."),
    "the end of the last half hour": (marks("down"), 20, "▁" * 47 + "█", "Last day: down in 1 of 48 half hours."),
    "a minute later": (marks("down"), 21, "▁" * 46 + "█░", "Last day: down in 1 of 47 half hours."),
    "two hours ago": (marks("down"), 140, "▁" * 43 + "█░░░░", "Last day: down in 1 of 44 half hours."),
    "two days ago": (marks("down"), 2_880, "░" * 48, "Not checked in the last day."),
    "one half hour": (
        DayMarks(ends_at=T0, marks=("healthy",)),
        0,
        "░" * 47 + "▁",
        "Last day: healthy in 1 half hour.",
    ),
    "one that was down": (
        DayMarks(ends_at=T0, marks=("down",)),
        0,
        "░" * 47 + "█",
        "Last day: down in 1 of 1 half hour.",
    ),
}


@pytest.mark.parametrize("name", MARKS)
def test_the_last_day_ends_now(name: str) -> None:
    """Half hours since the last check are marked as not checked."""
    days, minutes, signs, words = MARKS[name]
    aligned = align_marks(days, T0 + timedelta(minutes=minutes))
    assert (format_marks(aligned), describe_marks(aligned)) == (signs, words)
    assert words in describe_service(state(days=days), T0 + timedelta(minutes=minutes), url=URL)
