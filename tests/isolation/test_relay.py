"""The way to named hosts: where a request may go, and what a connection through it carries."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from typing import TYPE_CHECKING

import pytest

from bot.isolation.relay import Relay, _address, destination, sweep
from tests.tables import each_row

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = ("logs.example", "127.0.0.1:3000")


@each_row(
    ("line", "expected"),
    [
        ("CONNECT logs.example:443 HTTP/1.1", ("logs.example", 443)),
        ("CONNECT LOGS.example:443 HTTP/1.0", ("logs.example", 443)),
        ("CONNECT logs.example:22 HTTP/1.1", None),
        ("CONNECT other.example:443 HTTP/1.1", None),
        ("CONNECT logs.example.other.example:443 HTTP/1.1", None),
        ("CONNECT xlogs.example:443 HTTP/1.1", None),
        ("CONNECT logs.example@other.example:443 HTTP/1.1", None),
        ("CONNECT 127.0.0.1:3000 HTTP/1.1", ("127.0.0.1", 3000)),
        ("CONNECT 127.0.0.1:443 HTTP/1.1", None),
        ("CONNECT [::1]:443 HTTP/1.1", None),
        ("CONNECT 169.254.169.254:80 HTTP/1.1", None),
        ("CONNECT logs.example:443", None),
        ("GET http://logs.example/a?b HTTP/1.1", ("logs.example", 80)),
        ("GET http://logs.example HTTP/1.1", ("logs.example", 80)),
        ("GET http://other.example/ HTTP/1.1", None),
        ("GET http://logs.example@other.example/ HTTP/1.1", None),
        ("GET http://other.example/http://logs.example/ HTTP/1.1", None),
        ("GET /etc/passwd HTTP/1.1", None),
        ("GET file:///etc/passwd HTTP/1.1", None),
        ("", None),
    ],
)
def test_a_request_goes_to_named_hosts_alone(line: str, expected: tuple[str, int] | None) -> None:
    """To the ports of the web, or to the one that is named with it."""
    found = destination(f"{line}\r\nHost: logs.example\r\n\r\n", HOSTS)
    assert (found[:2] if found else None) == expected


def test_a_plain_request_is_passed_on_as_a_server_expects_it() -> None:
    """Its path alone, without what was said to the proxy."""
    head = "POST http://logs.example/a HTTP/1.1\r\nHost: logs.example\r\nProxy-Connection: keep-alive\r\nX: 1\r\n\r\n"
    found = destination(head, HOSTS)
    assert found is not None
    assert found[2] == "POST /a HTTP/1.1\r\nConnection: close\r\nHost: logs.example\r\nX: 1\r\n\r\n"


async def test_a_tunnel_carries_both_ways_and_others_are_refused() -> None:
    """Also after the request's side has ended; a head that never ends or is none is no way in."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    relay = Relay([f"127.0.0.1:{port}"])
    path = await relay.start()
    try:
        assert await said(path, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nabc") == (
            "HTTP/1.1 200 Connection established\r\n\r\nABC"
        )
        assert "403" in await said(path, f"CONNECT localhost:{port} HTTP/1.1\r\n\r\nabc")
        assert await said(path, "x" * 100_000) == ""
    finally:
        await relay.stop()
        server.close()
    assert not path.exists()


async def test_what_a_killed_process_left_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that nobody answers, in a folder of its own; what is alive, new, or another's is not."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    alive = Relay(["logs.example"])
    path = await alive.start()
    for name in ("triage-dead", "triage-other", "triage-full", "triage-new", "elsewhere"):
        (tmp_path / name).mkdir()
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(tmp_path / name / ("a" if name == "triage-other" else "relay")))
    (tmp_path / "triage-full" / "state.json").touch()
    (tmp_path / "triage-file").mkdir()
    (tmp_path / "triage-file" / "relay").touch()
    (tmp_path / "triage-empty").mkdir()
    (tmp_path / "triage-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "triage-plain").touch()
    before = {each.name for each in tmp_path.iterdir()}
    now = (tmp_path / "triage-new").stat().st_mtime + 90
    os.utime(tmp_path / "triage-new", (now, now))
    try:
        assert sweep(now) == 1
        assert {each.name for each in tmp_path.iterdir()} == before - {"triage-dead"}
        assert path.exists()
        assert sweep(now) == 0
    finally:
        await alive.stop()


@pytest.mark.parametrize(
    ("host", "ip", "reached"),
    [
        ("logs.example", "192.0.2.7", True),
        ("logs.example", "10.0.0.7", True),
        *(("logs.example", ip, False) for ip in ("127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "::")),
        ("localhost", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.1", True),
    ],
)
async def test_a_name_that_leads_to_this_machine_is_not_followed(
    monkeypatch: pytest.MonkeyPatch, host: str, ip: str, reached: bool
) -> None:
    """Only who names this machine, or an address of it, reaches it."""
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (ip, 443))])
    assert (await _address(host, 443) is not None) is reached


async def said(path: object, text: str) -> str:
    """The whole answer to a text."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(text.encode())
    writer.write_eof()
    try:
        return (await reader.read()).decode()
    except ConnectionError:
        return ""
    finally:
        writer.close()
