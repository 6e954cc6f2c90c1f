"""The control socket against real sockets: whose it is, what it takes, and what becomes of nonsense."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.control_socket import LARGEST, LARGEST_ANSWER, ControlSocket, ask
from bot.errors import Refused, TriageError


@dataclass
class Answering:
    """A handler that answers as a function of the test does."""

    function: Any

    async def answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        """As it does."""
        reply: dict[str, Any] = await self.function(payload)
        return reply


async def echo(request: dict[str, Any]) -> dict[str, Any]:
    """What was asked."""
    return {"outcome": "done" if isinstance(request, dict) else "invalid", "line": json.dumps(request)}


async def opened(path: Path, answer: Any = echo) -> ControlSocket:
    """A socket that listens."""
    made = ControlSocket(path, Answering(answer))
    await made.open()
    return made


async def test_a_request_gets_its_answer_and_the_socket_is_its_owners_alone(tmp_path: Path) -> None:
    """And is gone afterwards."""
    path = tmp_path / "control.sock"
    control = await opened(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    said = await asyncio.to_thread(ask, path, {"words": ["status", "ü" * 1_000]})
    assert json.loads(said["line"]) == {"words": ["status", "ü" * 1_000]}
    await control.close()
    assert not path.exists()


async def test_a_command_that_cannot_be_recorded_has_an_answer(tmp_path: Path) -> None:
    """It says why, and that it may have been done."""

    async def record(_: dict[str, Any]) -> dict[str, Any]:
        raise TriageError("audit.ndjson: cannot be written: No space left on device")

    control = await opened(tmp_path / "control.sock", record)
    said = await asyncio.to_thread(ask, tmp_path / "control.sock", {})
    assert (said["outcome"], "No space left on device" in said["line"]) == ("unclear", True)
    await control.close()


async def test_what_a_crash_left_is_no_obstacle(tmp_path: Path) -> None:
    """A socket's file outlives the process that made it."""
    path = tmp_path / "control.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    control = await opened(path)
    assert (await asyncio.to_thread(ask, path, {}))["outcome"] == "done"
    await control.close()


async def test_a_home_with_a_long_path_has_a_socket_too(tmp_path: Path) -> None:
    """The address of a socket holds about a hundred bytes."""
    folder = tmp_path / ("a" * 120) / ("b" * 120)
    folder.mkdir(parents=True)
    control = await opened(folder / "control.sock")
    assert (await asyncio.to_thread(ask, folder / "control.sock", {}))["outcome"] == "done"
    await control.close()


@pytest.mark.parametrize("name", ["control.sock", "nowhere/control.sock"])
def test_where_nobody_listens_the_caller_is_told(tmp_path: Path, name: str) -> None:
    """A file that is left, and none at all."""
    (tmp_path / "control.sock").touch()
    with pytest.raises(Refused) as refused:
        ask(tmp_path / name, {})
    assert refused.value.code == "not_running"


@pytest.mark.parametrize(
    "line",
    [b"\n", b"{\n", b"[]\n", b"null\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"x" * (LARGEST + 1) + b"\n"],
    ids=["empty", "torn", "list", "null", "bytes", "deep", "large"],
)
async def test_nonsense_gets_an_answer_and_harms_nobody(tmp_path: Path, line: bytes) -> None:
    """The next request is served."""
    path = tmp_path / "control.sock"
    control = await opened(path)
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(line)
    assert json.loads(await reader.readline())["outcome"] == "invalid"
    writer.close()
    assert (await asyncio.to_thread(ask, path, {}))["outcome"] == "done"
    await control.close()


async def test_who_says_nothing_holds_nobody_up(tmp_path: Path) -> None:
    """Another one is served meanwhile, and closing ends the silent one."""
    path = tmp_path / "control.sock"
    control = await opened(path)
    reader, writer = await asyncio.open_unix_connection(str(path))
    assert (await asyncio.to_thread(ask, path, {}))["outcome"] == "done"
    await control.close()
    assert await reader.read() == b""
    writer.close()


async def test_what_was_begun_is_done_though_nobody_waits_any_more(tmp_path: Path) -> None:
    """The caller is told that it goes on."""
    held, ended = asyncio.Event(), asyncio.Event()

    async def long(_: dict[str, Any]) -> dict[str, Any]:
        await held.wait()
        ended.set()
        return {}

    control = ControlSocket(tmp_path / "control.sock", Answering(long), patience=0)
    await control.open()
    assert "continues" in (await asyncio.to_thread(ask, tmp_path / "control.sock", {}))["line"]
    held.set()
    await ended.wait()
    await control.close()


async def test_a_request_that_breaks_costs_nobody_else_theirs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The caller gets no answer and the log the rest; the next one is served."""

    async def breaks(request: dict[str, Any]) -> dict[str, Any]:
        return {"outcome": request["wanted"]}

    path = tmp_path / "control.sock"
    control = await opened(path, breaks)
    with pytest.raises(Refused, match="did not answer"):
        await asyncio.to_thread(ask, path, {})
    assert "KeyError" in caplog.text
    assert (await asyncio.to_thread(ask, path, {"wanted": "done"}))["outcome"] == "done"
    await control.close()


async def test_an_answer_that_is_too_large_keeps_its_outcome(tmp_path: Path) -> None:
    """A command that was done is not reported as lost."""

    async def large(_: dict[str, Any]) -> dict[str, Any]:
        return {"outcome": "done", "data": "x" * LARGEST_ANSWER}

    control = await opened(tmp_path / "control.sock", large)
    said = await asyncio.to_thread(ask, tmp_path / "control.sock", {})
    assert (said["outcome"], "narrow the command" in said["line"]) == ("done", True)
    await control.close()


async def test_a_folder_that_takes_no_socket_stops_no_bot(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is in the log."""
    control = await opened(tmp_path / "nowhere" / "control.sock")
    assert "will not reach this bot" in caplog.text
    await control.close()
