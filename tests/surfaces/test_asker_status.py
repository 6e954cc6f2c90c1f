"""The status under a question: set as work begins, set again while it lasts, taken down as it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.errors import Refused
from bot.models.route import Route
from bot.models.thread import Thread
from bot.models.thread_event import Due
from bot.surfaces.asker_status import REPEAT_SECONDS, AskerStatus
from tests.builders import added, at, found, fresh, moved, validated
from tests.fakes import HandClock, HeardEvents, settle


class Shown:
    """`AssistantStatus` that keeps the statuses in order."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.statuses: list[tuple[str, str]] = []
        self._problem = problem

    async def set_status(self, *, channel: str, thread_ts: str, status: str, loading: Sequence[str] = ()) -> None:
        """Keep it, or fail."""
        if self._problem:
            raise self._problem
        self.statuses.append((thread_ts, status))

    async def set_session(self, *, channel: str, thread_ts: str, is_at_work: bool) -> None:
        """No session belongs to this status."""
        raise AssertionError(thread_ts)

    async def suggest_prompts(self, *, channel: str, title: str, prompts: Sequence[tuple[str, str]]) -> None:
        """No prompts belong to this status."""
        raise AssertionError(channel)


def asked(**changes: Any) -> Thread:
    """A question that a role is about to look up."""
    route = Route(role="shop-dev", role_name="Shop Dev", project="shop", folder=".", why="it says shop")
    return moved(None, added(**changes)).evolve(route=route)


async def test_it_names_role_and_project_and_is_set_again() -> None:
    """Slack takes it down after two minutes; it stands as long as the work goes on, and not longer."""
    signs, clock = Shown(), HandClock()
    status = AskerStatus(assistant_status=signs, clock=clock, threads=HeardEvents())
    thread = asked()
    status.redraw(thread)
    thread = moved(thread, Due(at=at(2), fresh=fresh()))
    status.redraw(thread)
    await settle()
    await clock.move(REPEAT_SECONDS)
    thread = moved(thread, found(thread))
    status.redraw(thread)
    await settle()
    thread = moved(thread, validated(thread))
    status.redraw(thread)
    await settle()
    await clock.move(REPEAT_SECONDS)
    working = "is looking this up as Shop Dev in shop"
    assert [text for _, text in signs.statuses] == [working, working, "is checking what was found", ""]
    await status.stop()


async def test_practice_a_pause_and_a_refusal_show_nothing() -> None:
    """The channel sees no practice, and what waits is not being looked up."""
    signs = Shown()
    runs = moved(asked(mode="preview"), Due(at=at(2), fresh=fresh()))
    AskerStatus(assistant_status=signs, clock=HandClock(), threads=HeardEvents()).redraw(runs)
    AskerStatus(assistant_status=signs, clock=HandClock(), threads=HeardEvents(held="paused")).redraw(
        runs.evolve(mode="live")
    )
    refused = AskerStatus(
        assistant_status=Shown(Refused("no", code="missing_scope")), clock=HandClock(), threads=HeardEvents()
    )
    refused.redraw(runs.evolve(mode="live"))
    await settle()
    assert signs.statuses == []
    await refused.stop()
