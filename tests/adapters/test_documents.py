"""The documents on disk: versions, atomic saves, and files that are not what they should be."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.adapters.documents import Documents
from bot.adapters.documents.storage import AtomicStorage
from bot.errors import Conflict, TriageError, Unreadable
from bot.models.settlement import ClosedThread
from bot.models.status import Status
from bot.models.thread import Thread
from bot.runtime import failpoints
from tests.blocks.test_incident import incident
from tests.builders import added, at, moved
from tests.fakes import Stops


@pytest.fixture
def store(tmp_path: Path) -> Documents:
    """A store in an empty folder."""
    return Documents(tmp_path / "state", stop=None)


def new_thread(ts: str = "100.000001") -> Thread:
    """A document that was never saved."""
    return moved(None, added(ts=ts))


async def test_what_is_saved_is_loaded(store: Documents) -> None:
    """A document comes back whole, one version on."""
    saved = await store.save(new_thread())
    assert saved.version == 1
    assert await store.load(saved.thread_id) == saved
    assert await store.thread_ids() == [saved.thread_id]


async def test_a_thread_that_was_never_saved_is_none(store: Documents) -> None:
    """There is nothing to load before the first save."""
    assert await store.load("T1A-C1A-1.1") is None


async def test_a_save_from_an_old_version_is_refused(store: Documents) -> None:
    """Whoever saves second loads again and decides again."""
    thread = new_thread()
    await store.save(thread)
    with pytest.raises(Conflict):
        await store.save(thread)


async def test_of_saves_at_once_from_one_version_exactly_one_succeeds(store: Documents) -> None:
    """Compare and set holds between threads of the process."""
    thread = await store.save(new_thread())
    answers = await asyncio.gather(*(store.save(thread) for _ in range(16)), return_exceptions=True)
    assert sum(isinstance(answer, Thread) for answer in answers) == 1


async def test_a_document_is_readable_by_its_owner_only(store: Documents, tmp_path: Path) -> None:
    """Questions and drafts are nobody else's business on the machine."""
    saved = await store.save(new_thread())
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "state" / f"{saved.thread_id}.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"thread": 5}',
        '{"thread": {"1": 5}}',
        '{"thread": {"1": {"status": "closed"}}}',
        "\x00\x00",
    ],
)
async def test_a_file_that_is_no_document_is_named(store: Documents, tmp_path: Path, content: str) -> None:
    """The error says which file it is; the other threads are not touched."""
    broken, sound = new_thread("1.1"), await store.save(new_thread("2.1"))
    (tmp_path / "state" / f"{broken.thread_id}.json").write_text(content)
    with pytest.raises(Unreadable, match=broken.thread_id):
        await store.load(broken.thread_id)
    assert await store.load(sound.thread_id) == sound


@pytest.mark.parametrize("name", ["../../etc/passwd", "T1A-C1A-1.1/../x", "", "T1A-C1A-1.1\n"])
async def test_an_id_that_is_no_id_reaches_no_file(store: Documents, name: str) -> None:
    """The pattern is checked before a path is made of it."""
    with pytest.raises(Unreadable):
        await store.load(name)


def test_a_leftover_of_a_broken_save_is_overwritten(tmp_path: Path) -> None:
    """A crash between writing and renaming leaves the old document and a file that nobody reads."""
    storage = AtomicStorage(tmp_path / "a.json")
    storage.write({"thread": {"1": {"n": 1}}})
    (tmp_path / "a.json.tmp").write_text('{"thread": {"1": {"n"')
    assert storage.read() == {"thread": {"1": {"n": 1}}}
    storage.write({"thread": {"1": {"n": 2}}})
    assert json.loads((tmp_path / "a.json").read_text())["thread"] == {"1": {"n": 2}}


async def test_a_document_that_does_not_parse_is_moved_aside(store: Documents, tmp_path: Path) -> None:
    """Its bytes are kept, and its place is free."""
    broken = new_thread()
    path = tmp_path / "state" / f"{broken.thread_id}.json"
    path.parent.mkdir()
    path.write_text("{")
    aside = await store.quarantine(broken.thread_id)
    assert (aside.parent.name, aside.read_text()) == ("quarantine", "{")
    assert await store.load(broken.thread_id) is None
    assert await store.save(broken)


@pytest.mark.parametrize("unknown", [2, -1, "1", None])
async def test_a_document_of_another_format_is_named(store: Documents, tmp_path: Path, unknown: object) -> None:
    """The message names both formats, such as after the return to an older Triage."""
    saved = await store.save(new_thread())
    path = tmp_path / "state" / f"{saved.thread_id}.json"
    tables = json.loads(path.read_text())
    del tables["digest"]
    tables["thread"]["1"]["schema_version"] = unknown
    AtomicStorage(path).write(tables)
    with pytest.raises(Unreadable, match="supports 1"):
        await store.load(saved.thread_id)


async def test_a_file_cut_anywhere_is_named(store: Documents, tmp_path: Path) -> None:
    """Cut at any byte, a file is `Unreadable`."""
    saved = await store.save(new_thread())
    path = tmp_path / "state" / f"{saved.thread_id}.json"
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place])
        with pytest.raises(Unreadable):
            await store.load(saved.thread_id)


async def test_a_flipped_bit_is_noticed_wherever_it_is(store: Documents, tmp_path: Path) -> None:
    """One bit of each byte, and each bit of the digest."""
    saved = await store.save(new_thread())
    path = tmp_path / "state" / f"{saved.thread_id}.json"
    content = path.read_bytes()
    for place in range(len(content)):
        for bit in range(8) if place < content.index(b"thread") else [place % 8]:
            path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
            with pytest.raises(Unreadable):
                await store.load(saved.thread_id)


async def test_a_text_that_somebody_changed_is_noticed(store: Documents, tmp_path: Path) -> None:
    """The file parses, and its digest tells that it is another."""
    saved = await store.save(new_thread())
    path = tmp_path / "state" / f"{saved.thread_id}.json"
    path.write_text(path.read_text().replace("limit", "Limit"))
    with pytest.raises(Unreadable, match="digest"):
        await store.load(saved.thread_id)


async def test_a_text_that_is_no_sound_unicode_is_kept(store: Documents) -> None:
    """Half of a surrogate pair comes back as it was."""
    saved = await store.save(moved(None, added("where \ud800?")))
    assert await store.load(saved.thread_id) == saved


async def test_all_threads_are_read_in_one_go(store: Documents, tmp_path: Path) -> None:
    """By their ids; one that cannot be read is named and stops no other."""
    saved = [await store.save(new_thread(f"{number}.000001")) for number in range(100, 350)]
    (tmp_path / "state" / f"{saved[7].thread_id}.json").write_text("{")
    found = [pair async for pair in store.threads()]
    assert found == [(t.thread_id, None if t is saved[7] else t) for t in saved]


async def test_of_a_closed_thread_only_its_asker_is_read(store: Documents) -> None:
    """Unless its card does not yet show that it is closed."""
    thread = new_thread("100.000001").evolve(status="closed", outcome="dismissed", due_at=None)
    shown = await store.save(thread.evolve(card=thread.card.evolve(drawn=thread.revision)))
    late = await store.save(new_thread("101.000001").evolve(status="closed", outcome="dismissed", revision=9))
    found = [one async for _, one in store.threads()]
    assert found == [ClosedThread(shown.thread_id, shown.original_sender_id), late]


async def test_a_closed_thread_is_read_whole_until_its_incident_is_shown(store: Documents) -> None:
    """The message of an incident may be behind after a restart: its recovery comes when its thread is closed."""
    closed = new_thread().evolve(status="closed", outcome="dismissed", due_at=None)
    closed = closed.evolve(card=closed.card.evolve(drawn=closed.revision))
    for revision, expected in ((2, Thread), (1, ClosedThread)):
        closed = await store.save(closed.evolve(incident=incident(revision=revision, shown=1)))
        assert [type(found) async for _, found in store.threads()] == [expected]


async def test_a_closed_thread_that_is_due_is_read_whole(store: Documents) -> None:
    """What its asker wrote while the reply was on its way is the next question, after a restart too."""
    thread = new_thread().evolve(status="closed", outcome="replied", due_at=at(60), inbox=("100.000001",))
    due = await store.save(thread.evolve(card=thread.card.evolve(drawn=thread.revision)))
    assert [one async for _, one in store.threads()] == [due]


@pytest.mark.parametrize("status", ["collecting", "closed"])
async def test_a_file_that_holds_another_thread_is_named(store: Documents, tmp_path: Path, status: Status) -> None:
    """A copy under another name is not taken for that thread, be it open or closed."""
    thread = new_thread("100.000001").evolve(status=status, due_at=None)
    saved = await store.save(thread.evolve(card=thread.card.evolve(drawn=thread.revision)))
    other = saved.thread_id.replace("100.", "200.")
    content = (tmp_path / "state" / f"{saved.thread_id}.json").read_bytes()
    (tmp_path / "state" / f"{other}.json").write_bytes(content)
    assert dict([pair async for pair in store.threads()])[other] is None
    with pytest.raises(Unreadable, match="another thread"):
        await store.load(other)


async def test_the_first_save_writes_one_file_that_holds_the_thread(store: Documents, tmp_path: Path) -> None:
    """A kill during the first save leaves a thread or nothing."""
    renamed: list[str] = []

    @contextmanager
    def watch(point: str, _: str) -> Iterator[None]:
        yield
        renamed.extend(path.read_text() for path in tmp_path.glob("state/*.json") if point == "documents.rename")

    failpoints.arm(watch)
    try:
        saved = await store.save(new_thread())
    finally:
        failpoints.arm(None)
    assert [saved.thread_id in content for content in renamed] == [True]


async def test_a_disk_that_fails_ends_the_store(tmp_path: Path) -> None:
    """What cannot be saved is said once, and nothing is taken after it."""
    broken = Stops()
    store = Documents(tmp_path / "state", stop=broken)
    saved = await store.save(new_thread())
    (tmp_path / "state" / f"{saved.thread_id}.json.tmp").mkdir()
    for _ in range(2):
        with pytest.raises(TriageError, match="must stop"):
            await store.save(saved)
    assert len(broken.problems) == 1


async def test_what_somebody_else_wrote_is_read(store: Documents, tmp_path: Path) -> None:
    """What was saved last is not read again while its file is as it was left, and always where it is not."""
    first = await store.save(new_thread())
    assert await store.load(first.thread_id) is first
    second = await Documents(tmp_path / "state", stop=None).save(first)
    assert await store.load(first.thread_id) == second
    with pytest.raises(Conflict):
        await store.save(first)
    (tmp_path / "state" / f"{first.thread_id}.json").unlink()
    assert await store.load(first.thread_id) is None


async def test_half_a_character_is_kept(store: Documents) -> None:
    """What UTF-8 cannot say stands in JSON's own escapes."""
    thread = new_thread()
    said = thread.messages[0].evolve(content="half \ud83d")
    saved = await store.save(thread.evolve(messages=(said,)))
    assert await Documents(store._folder, stop=None).load(saved.thread_id) == saved
