"""The message of an incident follows its document: updated, never posted, and not more often than needed."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, Uncertain
from bot.models.incident_event import IncidentShown
from bot.models.thread import Thread
from bot.surfaces.incident_messages import EVERY, IncidentMessages
from tests.blocks.test_incident import checked, incident
from tests.builders import CHANNEL, added, at, moved
from tests.fakes import HandClock, HeardEvents, settle

KEY = "xoxb-" + "1234567890-" * 2 + "abcdefghijklmnopqrstuvwx"


class Board:
    """A `Chat` that takes updates, or fails as the test says."""

    def __init__(self, *problems: Exception) -> None:
        self.updates: list[dict[str, Any]] = []
        self._problems = [*problems]

    async def update(self, **arguments: Any) -> None:
        """Keep it, or fail."""
        if self._problems:
            raise self._problems.pop(0)
        self.updates.append(arguments)


def drawn_by(board: Board) -> tuple[IncidentMessages, HandClock, HeardEvents]:
    """A view with its clock and the events that it tells."""
    clock, heard = HandClock(), HeardEvents()
    chat: Any = board
    return IncidentMessages(chat=chat, clock=clock, threads=heard, redactor=Redactor()), clock, heard


def opened(version: int = 1, **changes: Any) -> Thread:
    """A thread of an incident."""
    return moved(None, added()).evolve(version=version, incident=incident(**changes))


async def test_it_shows_changes_together() -> None:
    """The first change at once, those of the next seconds in one update with the newest state, older ones never."""
    board = Board()
    view, clock, heard = drawn_by(board)
    view.redraw(opened())
    await settle()
    view.redraw(opened(version=3, revision=3, recovered_at=at(60)))
    view.redraw(opened(version=2, revision=2))
    await settle()
    assert len(board.updates) == 1
    await clock.move(EVERY)
    assert [(each["channel"], each["ts"]) for each in board.updates] == [(CHANNEL, "100.000001")] * 2
    assert "is healthy again" in board.updates[1]["text"]
    assert [event.revision for event in heard.events if isinstance(event, IncidentShown)] == [1, 3]
    await view.stop()


async def test_what_is_shown_is_not_shown_again() -> None:
    """Neither by its document nor while the record of it is still under way; a question has no such message."""
    board = Board()
    view, clock, _ = drawn_by(board)
    view.redraw(moved(None, added()))
    view.redraw(opened(revision=2, shown=2))
    view.redraw(opened(revision=3, shown=2))
    await settle()
    await clock.move(EVERY)
    view.redraw(opened(revision=3, shown=2))
    await settle()
    assert len(board.updates) == 1
    await view.stop()


@pytest.mark.parametrize("problem", [RetryLater("busy", after=1), Uncertain("no answer")])
async def test_a_failed_update_is_repeated(problem: Exception) -> None:
    """An update may be repeated: it has no second effect."""
    board = Board(problem)
    view, clock, heard = drawn_by(board)
    view.redraw(opened())
    await settle()
    assert (board.updates, heard.events) == ([], [])
    await clock.move(20)
    assert len(board.updates) == len(heard.events) == 1
    await view.stop()


async def test_a_refused_update_waits_for_the_next_change() -> None:
    """A deleted message is not asked for again and again; nothing is recorded as shown."""
    board = Board(Refused("gone", code="message_not_found"))
    view, clock, heard = drawn_by(board)
    for _ in range(3):
        view.redraw(opened())
        await settle()
        await clock.move(EVERY)
    assert (board.updates, heard.events) == ([], [])
    view.redraw(opened(version=2, revision=2))
    await settle()
    assert len(board.updates) == 1
    await view.stop()


async def test_a_message_waits_for_access_to_its_channel() -> None:
    """An archived channel may be opened again; after a day the next change or start is waited for."""
    archived = [Refused("closed", code="is_archived") for _ in range(3)]
    board = Board(*archived)
    view, clock, heard = drawn_by(board)
    view.redraw(opened(recovered_at=at(60)))
    await settle()
    for _ in range(3):
        assert (board.updates, heard.events) == ([], [])
        await clock.move(20)
    assert len(board.updates) == len(heard.events) == 1
    late = Board(*archived)
    view, clock, heard = drawn_by(late)
    await clock.move(2 * 86_400)
    view.redraw(opened(recovered_at=at(60)))
    await settle()
    await clock.move(60)
    assert late.updates == []


async def test_it_shows_no_secret() -> None:
    """An error may hold one."""
    board = Board()
    view, _, _ = drawn_by(board)
    thread = opened()
    view.redraw(thread.evolve(incident=incident(checked(error=f"answered with {KEY}"))))
    await settle()
    assert KEY not in str(board.updates)
    assert "answered with" in board.updates[0]["text"]
    await view.stop()
