"""The documents on disk: versions, atomic saves, and files that are not what they should be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.adapters.documents import Documents
from bot.adapters.documents.storage import AtomicStorage
from bot.errors import Conflict, TriageError, Unreadable
from bot.models.thread import Thread
from bot.runtime import failpoints
from tests.builders import added, moved
from tests.fakes import Stops


@pytest.fixture
def store(tmp_path: Path) -> Documents:
    """A store in an empty folder."""
    return Documents(tmp_path / "state", stop=None)


def new_thread(ts: str = "100.000001") -> Thread:
    """A document that was never saved."""
    return moved(None, added(ts=ts))


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


def test_a_leftover_of_a_broken_save_is_overwritten(tmp_path: Path) -> None:
    """A crash between writing and renaming leaves the old document and a file that nobody reads."""
    storage = AtomicStorage(tmp_path / "a.json")
    storage.write({"thread": {"1": {"n": 1}}})
    (tmp_path / "a.json.tmp").write_text('{"thread": {"1": {"n"')
    assert storage.read() == {"thread": {"1": {"n": 1}}}
    storage.write({"thread": {"1": {"n": 2}}})
    assert json.loads((tmp_path / "a.json").read_text())["thread"] == {"1": {"n": 2}}


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
