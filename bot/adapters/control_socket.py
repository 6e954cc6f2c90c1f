"""Control socket: the connection from `triage command` to the running bot, with both of its ends.

A unix socket in the home, for the owner of the home only (0600). One JSON object each way per connection, a line each,
limited in size and time. The handler checks the caller's permissions.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import Refused, TriageError
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

LARGEST, LARGEST_ANSWER = 256 * 1024, 8 * 1024 * 1024
"""Bytes of one request, and of one answer."""

READ_WITHIN, DONE_WITHIN = 5.0, 120.0
"""Seconds for receiving a request, and for running its command."""

LONGEST_ADDRESS = 100
"""Bytes of a path that every system accepts as the address of a unix socket."""

_MODE = 0o600
_TAKES_LONG = {"outcome": "unclear", "line": "This takes long and continues; audit.ndjson will have the result."}

_TOO_LARGE = f"The answer has more than {LARGEST_ANSWER:,} bytes: narrow the command."


class RequestHandler(Protocol):
    """Handler of requests from the terminal."""

    async def answer(self, payload: Any) -> dict[str, Any]:
        """Execute a request, `None` for one that is no JSON; return its answer."""


class ControlSocket:
    """The bot's end. `handler` answers requests; after `patience` seconds the caller is no longer kept waiting."""

    def __init__(
        self,
        path: Path,
        handler: RequestHandler,
        *,
        patience: float = DONE_WITHIN,
    ) -> None:
        self._path = path
        self._handler = handler
        self._patience = patience
        self._server: asyncio.Server | None = None
        self._reading: set[asyncio.Task[None]] = set()
        self._answering: set[asyncio.Task[None]] = set()
        self._works: set[asyncio.Task[dict[str, Any]]] = set()

    async def open(self) -> None:
        """Listen, and replace the socket of a crashed process. A failure is logged, and the bot works without the
        socket."""
        try:
            with passing("control.open", self._path.name):
                self._path.unlink(missing_ok=True)
                listening = _bind_socket(self._path)
                self._server = await asyncio.start_unix_server(self._handle_connection, sock=listening, limit=LARGEST)
        except (OSError, TriageError) as problem:
            log.warning("`triage command` will not reach this bot: %s", problem)

    async def close(self) -> None:
        """Stop listening, and let running requests end."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in self._reading:
            task.cancel()
        if self._answering:
            await asyncio.wait([*self._answering], timeout=READ_WITHIN)
        with contextlib.suppress(OSError), passing("control.close", self._path.name):
            self._path.unlink(missing_ok=True)

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # asyncio runs this in a separate task
        try:
            self._reading.add(task)
            request = await _request(reader)
            self._reading.discard(task)
            self._answering.add(task)
            answer = await self._run_request(request)
            with passing("control.answer", self._path.name):
                writer.write(_encode(answer))
                async with asyncio.timeout(READ_WITHIN):
                    await writer.drain()
        except (OSError, asyncio.CancelledError) as problem:  # a timeout is an `OSError`
            log.info("a request of the command line got no answer: %s", type(problem).__name__)
        except Exception:
            log.exception("a request of the command line failed")
        finally:
            self._reading.discard(task)
            self._answering.discard(task)
            writer.close()

    async def _run_request(self, request: Any) -> dict[str, Any]:
        """Run the request in a separate task, so that it is completed even if nobody waits any more."""
        work = asyncio.ensure_future(self._handler.answer(request))
        self._works.add(work)
        work.add_done_callback(self._works.discard)
        done, _ = await asyncio.wait([work], timeout=self._patience)
        try:
            return work.result() if done else _TAKES_LONG
        except TriageError as problem:
            log.warning("a request of the command line: %s", problem)
            return {"outcome": "unclear", "line": f"Check whether this was done before you retry: {problem}."}


def _encode(answer: dict[str, Any]) -> bytes:
    """Encode an answer as a line; one that is too large keeps its outcome."""
    line = json.dumps(answer).encode() + b"\n"
    if len(line) <= LARGEST_ANSWER:
        return line
    return json.dumps({"outcome": answer.get("outcome"), "line": _TOO_LARGE}).encode() + b"\n"


async def _request(reader: asyncio.StreamReader) -> Any:
    """Read and parse a request; `None` if it is no JSON."""
    async with asyncio.timeout(READ_WITHIN):
        try:
            return json.loads(await reader.readline())
        except (ValueError, RecursionError):
            return None


def ask(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request from the command line and return the bot's answer. Raises `Refused` if no bot listens or
    answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(DONE_WITHIN + 2 * READ_WITHIN)
        try:
            with _address(path) as address:
                connection.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            raise Refused(f"no bot listens at {path}", code="not_running") from None
        except OSError as problem:
            raise Refused(f"{path} cannot be reached: {problem.strerror}", code="unreachable") from None
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answers:
                answer = json.loads(answers.readline(LARGEST_ANSWER + 1))
        except (OSError, ValueError) as problem:
            raise Refused(
                f"{path}: the bot did not answer ({type(problem).__name__}); its log may say why", code="no_answer"
            ) from None
    if not isinstance(answer, dict):
        raise Refused(f"{path}: the bot's answer is invalid", code="no_answer")
    return answer


def _bind_socket(path: Path) -> socket.socket:
    """Bind a socket that nobody can reach before its mode is set: one that does not listen yet refuses connections."""
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
    """Yield the socket's address; a path that is too long is addressed through an open file descriptor of its
    folder."""
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
