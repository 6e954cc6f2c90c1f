"""The control socket: how `triage command` speaks with the running bot. Both ends of it; the handler comes in.

A unix socket in the home, for the owner of the home alone (0600). One JSON object each way per connection, a line each,
bounded in size and time. Who asks is the handler's to judge.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bot.errors import Refused, TriageError
from bot.faultpoints import passing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

LARGEST = 256 * 1024
"""Bytes of one request or answer."""

READ_WITHIN, DONE_WITHIN = 5.0, 120.0
"""Seconds for a request to come in, and for its command to be done."""

LONGEST_ADDRESS = 100
"""Bytes of a path that every system takes as the address of a unix socket."""

_MODE = 0o600


class ControlSocket:
    """The bot's end. `answer` takes a request and never raises."""

    def __init__(self, path: Path, answer: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
        self._path = path
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._busy: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Listen, in place of whatever a crash left there. Without a socket the bot works all the same, and says so."""
        try:
            with passing("control.open", self._path.name):
                self._path.unlink(missing_ok=True)
                listening = _bound(self._path)
                self._server = await asyncio.start_unix_server(self._connected, sock=listening, limit=LARGEST)
        except (OSError, TriageError) as problem:
            log.warning("`triage command` will not reach this bot: %s", problem)

    async def close(self) -> None:
        """Listen no more, and let what was asked for end."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        if self._busy:
            await asyncio.wait([*self._busy], timeout=READ_WITHIN)
        for task in [*self._busy]:
            task.cancel()
        with contextlib.suppress(OSError), passing("control.close", self._path.name):
            self._path.unlink(missing_ok=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # asyncio runs this in a task of its own
        self._busy.add(task)
        try:
            said = await self._said(reader)
            with passing("control.answer", self._path.name):
                writer.write(json.dumps(said).encode() + b"\n")
                async with asyncio.timeout(READ_WITHIN):
                    await writer.drain()
        except (OSError, asyncio.CancelledError) as problem:  # a timeout is an `OSError`
            log.info("a request of the command line got no answer: %s", type(problem).__name__)
        finally:
            self._busy.discard(task)
            writer.close()

    async def _said(self, reader: asyncio.StreamReader) -> dict[str, Any]:
        """The answer to what comes in, be it nonsense."""
        try:
            async with asyncio.timeout(READ_WITHIN):
                line = await reader.readline()
            request = json.loads(line)
        except (ValueError, RecursionError):
            return {"outcome": "invalid", "text": f"Expected one JSON object in a line of at most {LARGEST} bytes."}
        if not isinstance(request, dict):
            return {"outcome": "invalid", "text": "Expected a JSON object."}
        try:
            async with asyncio.timeout(DONE_WITHIN):
                return await self._answer(request)
        except TimeoutError:
            return {"outcome": "failed", "text": f"This was not done within {DONE_WITHIN:.0f} seconds."}


def ask(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """The command line's end: the running bot's answer. Raises `Refused` when no bot listens, or none that answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(DONE_WITHIN + 2 * READ_WITHIN)
        try:
            with _address(path) as address:
                connection.connect(address)
        except OSError as problem:
            raise Refused(f"nobody listens at {path}: {problem.strerror}", code="not_running") from None
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answers:
                found = json.loads(answers.readline(LARGEST + 1))
        except (OSError, ValueError) as problem:
            raise Refused(
                f"{path}: the bot did not answer ({type(problem).__name__}); its log may say why", code="no_answer"
            ) from None
    if not isinstance(found, dict):
        raise Refused(f"{path}: the bot gave an answer that is none", code="no_answer")
    return found


def _bound(path: Path) -> socket.socket:
    """A socket that nobody can reach before its mode is set: one that does not listen yet refuses."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(path) as address:
            listening.bind(address)
        path.chmod(_MODE)
    except BaseException:
        listening.close()
        raise
    listening.setblocking(False)
    return listening


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """The socket's address; where the path is too long for one, by way of its folder as this process has it open."""
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        yield str(path)
        return
    if not os.path.isdir("/proc/self/fd"):  # noqa: PTH112  # a fixed path of the system's own
        raise Refused(f"{path} is too long for a socket: use a home with a shorter path", code="too_long")
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
