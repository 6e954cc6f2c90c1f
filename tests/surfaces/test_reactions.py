"""Reactions under questions: what is known to be refused is not tried."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refused
from bot.models.status_reaction import StatusReaction
from bot.models.thread_event import ReactionsUpdated
from bot.surfaces.reactions import Reactions
from tests.builders import moved
from tests.decide.test_workflow import pending
from tests.decide.unhealthy import pending as unhealthy_pending
from tests.decide.unhealthy import recovered
from tests.fakes import HandClock, HeardEvents, KnownLosses, settle


class Emoji:
    """`Marks` with a memory."""

    def __init__(self, *problems: Exception) -> None:
        self.calls: list[str] = []
        self._problems = [*problems]

    async def add_reaction(self, *, name: str, **_: Any) -> None:
        """One that is to stand, or a failure."""
        if self._problems:
            raise self._problems.pop(0)
        self.calls.append(name)

    async def remove_reaction(self, *, name: str, **_: Any) -> None:
        """One that is to go."""
        self.calls.append(f"-{name}")


@pytest.mark.parametrize(("lost", "calls"), [([], ["eyes"]), (["reactions:write"], [])])
async def test_without_the_scope_no_call_is_made(lost: list[str], calls: list[str]) -> None:  # of the table
    """Nor is it waited for: the document is told as ever."""
    marks, threads = Emoji(), HeardEvents()
    reactions = Reactions(writer=marks, clock=HandClock(), threads=threads, losses=KnownLosses(*lost))
    thread = pending()
    reactions.redraw(thread.evolve(marks=(StatusReaction(ts=thread.original_message_id, name="eyes", wanted=True),)))
    await settle()
    assert marks.calls == calls
    assert [type(said) for said in threads.events] == [ReactionsUpdated]


@pytest.mark.parametrize(("hours", "calls"), [(1, ["white_check_mark"]), (30, [])])
async def test_the_end_of_an_incident_waits_for_access_to_its_channel(hours: int, calls: list[str]) -> None:
    """For a day: an archived channel that is opened again shows no failure of services that are healthy."""
    emoji, threads, clock = Emoji(Refused("closed", code="is_archived")), HeardEvents(), HandClock()
    reactions = Reactions(writer=emoji, clock=clock, threads=threads)
    await clock.move(hours * 3_600)
    thread = moved(unhealthy_pending(), recovered())
    mark = StatusReaction(ts=thread.original_message_id, name="white_check_mark", wanted=True)
    reactions.redraw(thread.evolve(marks=(mark,)))
    await settle()
    assert emoji.calls == []
    await clock.move(60)
    assert emoji.calls == calls
    await reactions.stop()
