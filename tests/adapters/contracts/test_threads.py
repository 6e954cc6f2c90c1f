"""Documents of threads: versions, documents that are not what they should be, and what a start reads."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import Conflict, Unreadable
from bot.models.settlement import ClosedThread
from bot.models.status import Status
from bot.models.thread import Thread
from bot.ports.outbound import Store
from tests.adapters.contracts.backends import Backend
from tests.blocks.test_incident import incident
from tests.builders import T0, added, at, moved


@pytest.fixture
def store(backend: Backend) -> Store:
    """An empty store."""
    return backend.storage.store(None)


def new_thread(ts: str = "100.000001") -> Thread:
    """A document that was never saved."""
    return moved(None, added(ts=ts))


def ended(thread: Thread, **more: Any) -> Thread:
    """The thread, closed, with its card up to date."""
    thread = thread.evolve(**{"status": "closed", "outcome": "dismissed", "due_at": None, **more})
    return thread.evolve(card=thread.card.evolve(drawn=thread.revision))


async def test_what_is_saved_is_loaded(store: Store, backend: Backend) -> None:
    """A document comes back whole, one version on, also in the next process."""
    saved = await store.save(new_thread())
    assert saved.version == 1
    for reader in (store, backend.reopen().store(None)):
        assert await reader.load(saved.thread_id) == saved
        assert await reader.thread_ids() == [saved.thread_id]


async def test_a_thread_that_was_never_saved_is_none(store: Store) -> None:
    """There is nothing to load before the first save."""
    assert await store.load("T1A-C1A-1.1") is None


async def test_a_save_from_an_old_version_is_refused(store: Store) -> None:
    """Whoever saves second loads again and decides again."""
    thread = new_thread()
    second = await store.save(await store.save(thread))
    with pytest.raises(Conflict, match=r"version 0 was changed, 2 is saved"):
        await store.save(thread)
    with pytest.raises(Conflict, match=r"version 1 was changed, 2 is saved"):
        await store.save(second.evolve(version=1))
    with pytest.raises(Conflict, match=r"version 1 was changed, 0 is saved"):
        await store.save(new_thread("200.000001").evolve(version=1))


@pytest.mark.parametrize("version", [0, 1])
async def test_of_saves_at_once_from_one_version_exactly_one_succeeds(backend: Backend, version: int) -> None:
    """Compare and set holds between threads of the process, and the others see what was saved."""
    stores = [backend.storage.store(None)] * 8 if version else [backend.storage.store(None)]
    thread = await stores[0].save(new_thread()) if version else new_thread()
    answers = await asyncio.gather(*(store.save(thread) for store in stores * 2), return_exceptions=True)
    assert [type(answer) for answer in answers].count(Thread) == 1
    assert {type(answer) for answer in answers} == {Thread, Conflict}


async def test_what_another_process_saved_is_read(store: Store, backend: Backend) -> None:
    """What was saved last is not taken for the newest, and nothing is saved over it."""
    other = backend.reopen().store(None)
    first = await store.save(new_thread())
    assert await store.load(first.thread_id) is first
    second = await other.save(first)
    assert await store.load(first.thread_id) == second
    with pytest.raises(Conflict):
        await store.save(first)
    assert await other.remove(ended(second).thread_id) is False
    third = await other.save(ended(second))
    assert await other.remove(third.thread_id)
    assert await store.load(first.thread_id) is None


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"thread": 5}', '{"status": "closed"}', "null"])
async def test_a_document_that_is_none_is_named(store: Store, backend: Backend, content: str) -> None:
    """The error says which thread it is; the others are not touched."""
    broken, sound = new_thread("1.1"), await store.save(new_thread("2.1"))
    backend.damage("threads", broken.thread_id, content)
    with pytest.raises(Unreadable, match=broken.thread_id):
        await store.load(broken.thread_id)
    assert await store.load(sound.thread_id) == sound
    assert await store.remove(broken.thread_id) is False


@pytest.mark.parametrize("name", ["../../etc/passwd", "T1A-C1A-1.1/../x", "", "T1A-C1A-1.1\n", "T1A-C1A-1.1\0"])
async def test_an_id_that_is_no_id_reaches_nothing(store: Store, name: str) -> None:
    """The pattern is checked before a path or a key is made of it."""
    with pytest.raises(Unreadable):
        await store.load(name)


async def test_a_document_that_does_not_parse_is_moved_aside(store: Store, backend: Backend) -> None:
    """Its content is kept, and its place is free."""
    broken = new_thread()
    backend.damage("threads", broken.thread_id, "{")
    aside = await store.quarantine(broken.thread_id)
    assert (aside.parent.name.rpartition(".")[2], backend.read_aside(str(aside))) == ("quarantine", "{")
    assert await store.load(broken.thread_id) is None
    assert await store.save(broken)


@pytest.mark.parametrize("unknown", [2, -1, "1", None])
async def test_a_document_of_another_format_is_named(store: Store, backend: Backend, unknown: object) -> None:
    """The message names both formats, such as after the return to an older Triage."""
    saved = await store.save(new_thread())
    backend.edit_thread(saved.thread_id, lambda document: document.update(schema_version=unknown))
    with pytest.raises(Unreadable, match="supports 1"):
        await store.load(saved.thread_id)


@pytest.mark.parametrize("status", ["collecting", "closed"])
async def test_a_document_of_another_thread_is_named(store: Store, backend: Backend, status: Status) -> None:
    """A copy under another id is not taken for that thread, be it open or closed."""
    saved = await store.save(ended(new_thread(), status=status))
    other = saved.thread_id.replace("100.", "200.")
    backend.edit_thread(saved.thread_id, lambda document: None, to=other)
    assert dict([pair async for pair in store.threads()])[other] is None
    with pytest.raises(Unreadable, match="another thread"):
        await store.load(other)


@pytest.mark.parametrize("text", ["where \ud800?", "half \ud83d", "nul \0 \\u0000", "mañana 🎉 \u2028"])
async def test_every_text_is_kept(store: Store, backend: Backend, text: str) -> None:
    """What UTF-8 or a column of text cannot say stands in JSON's own escapes."""
    thread = new_thread()
    saved = await store.save(thread.evolve(messages=(thread.messages[0].evolve(content=text),)))
    assert await backend.reopen().store(None).load(saved.thread_id) == saved


async def test_all_threads_are_read_in_one_go(store: Store, backend: Backend) -> None:
    """By their ids; one that cannot be read is named and stops no other."""
    saved = [await store.save(new_thread(f"{number}.000001")) for number in range(100, 350)]
    backend.damage("threads", saved[7].thread_id, "{")
    found = [pair async for pair in store.threads()]
    assert found == [(t.thread_id, None if t is saved[7] else t) for t in saved]


async def test_of_a_closed_thread_only_its_asker_is_read(store: Store) -> None:
    """Unless its card does not yet show that it is closed."""
    shown = await store.save(ended(new_thread()))
    late = await store.save(new_thread("101.000001").evolve(status="closed", outcome="dismissed", revision=9))
    found = [one async for _, one in store.threads()]
    assert found == [ClosedThread(shown.thread_id, shown.original_sender_id), late]


async def test_a_closed_thread_is_read_whole_until_its_incident_is_shown(store: Store) -> None:
    """The message of an incident may be behind after a restart: its recovery comes when its thread is closed."""
    closed = ended(new_thread())
    for revision, expected in ((2, Thread), (1, ClosedThread)):
        closed = await store.save(closed.evolve(incident=incident(revision=revision, shown=1)))
        assert [type(found) async for _, found in store.threads()] == [expected]


async def test_a_closed_thread_that_is_due_is_read_whole(store: Store) -> None:
    """What its asker wrote while the reply was on its way is the next question, after a restart too."""
    due = await store.save(ended(new_thread(), outcome="replied", due_at=at(60), inbox=("100.000001",)))
    assert [one async for _, one in store.threads()] == [due]


async def test_a_closed_thread_that_is_opened_again_is_read_whole(store: Store) -> None:
    """Its summary goes with its end."""
    closed = await store.save(ended(new_thread()))
    opened = await store.save(closed.evolve(status="collecting"))
    assert [one async for _, one in store.threads()] == [opened]


async def test_old_closed_threads_are_removed_except_those_to_keep(store: Store, backend: Backend) -> None:
    """An open one stays, and so does what does not parse and what had an event since."""
    old, kept, open_thread, late = (new_thread(f"{number}.000001") for number in (100, 101, 102, 103))
    for thread in (ended(old), ended(kept), open_thread, ended(late, last_event_at=T0 + timedelta(days=9))):
        await store.save(thread)
    backend.damage("threads", new_thread("104.000001").thread_id, "{")
    assert await store.remove_closed(T0 + timedelta(days=1), keep={kept.thread_id}) == [old.thread_id]
    assert len(await store.thread_ids()) == 4
    assert await store.load(old.thread_id) is None
    assert await store.remove(kept.thread_id)
    assert await store.remove(kept.thread_id)
