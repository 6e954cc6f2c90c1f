"""Small objects that outlive the process."""

from __future__ import annotations

import asyncio

import pytest

from bot.errors import Unreadable
from bot.ports.outbound import JsonFile
from tests.adapters.contracts.backends import Backend


@pytest.fixture
def state(backend: Backend) -> JsonFile:
    """An object that was never written."""
    return backend.storage.json_file("controls")


async def test_what_is_written_is_read_by_the_next_process(state: JsonFile, backend: Backend) -> None:
    """Whole, with nothing of what stood there before."""
    assert (await state.read(), await state.exists()) == ({}, False)
    for content in ({"a": "1"}, {"b": "half \ud800, nul \0"}):
        await state.write(content)
    again = backend.reopen().json_file("controls")
    assert (await again.read(), await again.exists()) == ({"b": "half \ud800, nul \0"}, True)
    assert await backend.storage.json_file("schedule").read() == {}


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", "[" * 50_000])
async def test_what_does_not_parse_is_named_or_begun_anew(state: JsonFile, backend: Backend, content: str) -> None:
    """As the caller chooses; moved out of the way, it is kept, and the place is free."""
    backend.damage("states", "controls", content)
    assert await state.read() == {}
    with pytest.raises(Unreadable, match="controls"):
        await state.read_whole()
    assert backend.read_aside(str(await state.set_aside())) == content
    assert (await state.read_whole(), await state.exists()) == ({}, False)


async def test_many_writes_at_once_leave_the_newest(state: JsonFile) -> None:
    """None fails over another's, and none that is late is put over a newer one."""
    await asyncio.gather(*(state.write({"state": number}) for number in range(64)))
    assert await state.read_whole() == {"state": 63}
