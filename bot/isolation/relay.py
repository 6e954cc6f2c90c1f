"""Relay to named hosts for a program whose boundary has no network: a proxy on a Unix socket.

Inside, `within` offers it as an HTTP proxy (CONNECT, and plain HTTP), which most programs take from `HTTPS_PROXY`.
Programs that ignore the variable reach no host.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import re
import shutil
import socket
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bot.isolation.program import locate_program

if TYPE_CHECKING:
    from collections.abc import Collection

log = logging.getLogger(__name__)

WITHIN = Path(__file__).with_name("within.py")
_FOLDER, _SOCKET = "triage-", "relay"
"""Prefix of a relay's folder, and the name of the socket in it."""
_JUST_NOW = 60.0
_LONGEST_HEAD = 16_384
_PIECE = 65_536
_SECONDS = 30.0
"""Time limit of a request, and of connecting to a host, in seconds."""
_PORTS = {"https": 443, "http": 80}
_CONNECT = re.compile(r"CONNECT ([A-Za-z0-9.-]{1,253}):(\d{1,5}) HTTP/1\.[01]")
_PLAIN = re.compile(r"([A-Z]+) http://([A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?(/\S*)? (HTTP/1\.[01])")
_PROXYS = re.compile(r"(?im)^(?:proxy-[a-z-]+|connection|keep-alive):.*\r\n")


def destination(head: str, hosts: Collection[str]) -> tuple[str, int, str] | None:
    """Return the host and port of a request's head, and the bytes to send there first; `None` for a host that is not
    allowed.

    `hosts` are names, for ports 80 and 443, or `name:port`.
    """
    line, _, rest = head.partition("\r\n")
    if match := _CONNECT.fullmatch(line):
        host, port, first = match[1], int(match[2]), ""
    elif match := _PLAIN.fullmatch(line):
        method, host, port_text, path, version = match.groups()
        port = int(port_text or _PORTS["http"])
        first = f"{method} {path or '/'} {version}\r\nConnection: close\r\n{_PROXYS.sub('', rest)}"
    else:
        return None
    host = host.lower()
    named = f"{host}:{port}" in hosts or (host in hosts and port in _PORTS.values())
    return (host, port, first) if named else None


def sweep(now: float) -> int:
    """Remove the sockets of killed processes; return how many. Blocking.

    A socket without a listener is one, unless it is new (`now` is in seconds of the epoch). Other files with such a
    name are left alone.
    """
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if not own or now - status.st_mtime < _JUST_NOW:
                continue
            if [inner.name for inner in folder.iterdir()] == [_SOCKET] and _is_dead(folder / _SOCKET):
                (folder / _SOCKET).unlink()
                folder.rmdir()
                removed += 1
    return removed


def _is_dead(path: Path) -> bool:
    """Return whether a socket has no listener any more."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.setblocking(False)
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return path.is_socket()
        except OSError:
            return False
    return False


class Relay:
    """Proxy for one program. `start` returns the socket, `stop` ends it with all of its connections."""

    def __init__(self, hosts: Collection[str]) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self._folder: Path | None = None
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    async def start(self) -> Path:
        """Start to listen, in a folder of this user alone; return the path of the socket."""
        self._folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=_FOLDER))
        path = self._folder / _SOCKET
        self._server = await asyncio.start_unix_server(self._serve, path, limit=_LONGEST_HEAD)
        return path

    async def stop(self) -> None:
        """Stop the proxy."""
        if self._server is not None:
            self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a callback of the server runs in one
        self._serving.add(task)
        try:
            await self._forward(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
            log.debug("a program's connection ended: %s", type(problem).__name__)
        finally:
            writer.close()
            self._serving.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_SECONDS):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            wanted = destination(head, self._hosts)
            address = await _address(*wanted[:2]) if wanted else None
            if wanted is None or address is None:
                log.warning(
                    "a program asked for a host that its `hosts` do not name: %.200r", head.partition("\r\n")[0]
                )
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                await writer.drain()
                return
            remote_reader, remote = await asyncio.open_connection(*address)
        try:
            if wanted[2]:
                remote.write(wanted[2].encode("latin-1"))
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            async with asyncio.TaskGroup() as both:
                both.create_task(_pump(reader, remote))
                both.create_task(_pump(remote_reader, writer))
        except* (OSError, RuntimeError):  # one side went away
            pass
        finally:
            remote.close()


async def _address(host: str, port: int) -> tuple[str, int] | None:
    """Resolve a host; return `None` if a name resolves to this machine or its link, which only literal addresses may
    name."""
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, (ip, *_) in addresses:
        address = ipaddress.ip_address(str(ip).partition("%")[0])
        address = getattr(address, "ipv4_mapped", None) or address
        own = address.is_loopback or address.is_link_local or address.is_unspecified
        if host in (str(address), "localhost") or not own:
            return str(ip), port
    return None


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy bytes until the input ends, then close the output."""
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.write_eof()


def wrap_command(relay: Path, command: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Return the command that starts a program with the proxy inside, and the files that the proxy reads; blocking."""
    python = locate_program((sys.executable, "-I", "-S", str(WITHIN), str(relay)))
    return (*python.command, *command), python.reads
