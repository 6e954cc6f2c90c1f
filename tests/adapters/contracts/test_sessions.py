"""Records of agents' runs: the newest state of each, by day, by id, and by their links."""

from __future__ import annotations

from datetime import timedelta

from bot.models.session_chain import SessionLink
from bot.models.turn import Usage
from tests.adapters.contracts.backends import Backend
from tests.agents.test_ledger import session
from tests.builders import T0


async def test_a_record_comes_back_as_it_was_saved(backend: Backend) -> None:
    """The newest state replaces the one before."""
    sessions = backend.storage.sessions()
    await sessions.save(session())
    newer = session(num_turns=2, cost_usd=0.25, usage=Usage(output_tokens=9), outcome="answered")
    await sessions.save(newer)
    for reader in (sessions, backend.reopen().sessions()):
        assert await reader.list_since(T0.date()) == [newer]


async def test_only_the_days_asked_for_are_read(backend: Backend) -> None:
    """By name; one that does not parse is left out alone."""
    sessions = backend.storage.sessions()
    for number, days in enumerate((-2, -1, 0)):
        await sessions.save(session(number, started_at=T0 + timedelta(days=days)))
    backend.damage("sessions", "20260105T100000-torn", '{"session_id": "2026')
    found = await sessions.list_since(T0.date() - timedelta(days=1))
    assert [one.session_id[-4:] for one in found] == ["run1", "run2"]


async def test_links_are_read_once_and_sessions_by_name(backend: Backend) -> None:
    """Scenario "Index on parent_session_id": also those saved since; one that does not parse is left out."""
    sessions = backend.storage.sessions()
    first, second = session(1), session(2, tier=2, parent_session_id=session(1).session_id, thread_id="T0-C0-1.000001")
    await sessions.save(first)
    backend.damage("sessions", "20260105T100000-torn", "{")
    assert [link.session_id for link in await sessions.links()] == [first.session_id]
    await sessions.save(second)
    backend.damage("sessions", first.session_id, "{")
    assert await sessions.links() == [
        SessionLink(first.session_id, 1, None, None),
        SessionLink(second.session_id, 2, first.session_id, "T0-C0-1.000001"),
    ]
    assert await sessions.read([first.session_id, "20260105T100000-gone", second.session_id]) == [second]
