"""Reactions under questions: what is known to be refused is not tried."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.status_reaction import StatusReaction
from bot.models.thread_event import ReactionsUpdated
from bot.surfaces.reactions import Reactions
from tests.decide.test_workflow import pending
from tests.fakes import HandClock, HeardEvents, KnownLosses, settle


class Emoji:
    """`Marks` with a memory."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def add_reaction(self, *, name: str, **_: Any) -> None:
        """One that is to stand."""
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
