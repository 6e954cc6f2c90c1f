"""The HTTP door: what is not signed costs a status, is never parsed, and cannot stay."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bot.adapters.listeners import limited_server, signed
from bot.adapters.listeners.signed import PATH, SignedRequestServer, SignedRoute, SlackSignature
from bot.models.address import ListenAddress

SECRET = "signing" + "-secret-of-a-test"
TAKEN: list[str] = []
NO_BODIES = [
    b"[]",
    b"[" * 40_000,
    b'"text"',
    b"payload=%7B",
    b"payload=[]",
    b"\xff\xfe\x00",
    b'{"event": 5, "event": []}',
    b'{"event":' * 9_000,
    b"",
    b"1" * 5_000,
]


class Taking:
    """A handler that notes what it is given."""

    async def answer(self, _: web.BaseRequest, body: str) -> web.Response:
        """Take it."""
        TAKEN.append(body)
        return web.Response(text="taken")


class Broken:
    """A handler that breaks."""

    async def answer(self, _: web.BaseRequest, __: str) -> web.Response:
        """Break."""
        raise AssertionError


@pytest.fixture
async def door() -> AsyncIterator[SignedRequestServer]:
    """One that notes what it lets in."""
    TAKEN.clear()
    opened = SignedRequestServer(secret=SECRET, address=ListenAddress(0), handler=Taking())
    await opened.open()
    yield opened
    await opened.close()


def request(
    body: bytes = b"{}", *, secret: str = SECRET, path: str = PATH, method: str = "POST", length: int = -1
) -> bytes:
    """What is sent, signed with `secret`."""
    at = str(int(time.time()))
    signature = hmac.new(secret.encode(), b"v0:%s:%s" % (at.encode(), body), hashlib.sha256).hexdigest()
    said_length = len(body) if length < 0 else length
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: bot\r\nContent-Type: application/json\r\n"
        f"X-Slack-Signature: v0={signature}\r\nX-Slack-Request-Timestamp: {at}\r\nContent-Length: {said_length}\r\n\r\n"
    )
    return head.encode() + body


async def said(door: SignedRequestServer, sent: bytes) -> str:
    """The first line of the answer; empty where the connection is closed without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(sent)
    try:
        line = await asyncio.wait_for(reader.readline(), 5)
    except ConnectionResetError:  # it was closed before it had read everything
        line = b""
    writer.close()
    return line.decode().strip()


async def test_only_signed_requests_come_in(door: SignedRequestServer) -> None:
    """Ten malformed bodies without a signature give 401 each; with one they are handed on as they came."""
    for body in NO_BODIES:
        assert "401" in await said(door, request(body, secret="another" + "-secret")), body[:40]
    assert TAKEN == []
    assert "200" in await said(door, request(b'{"type": "\xc3\xa9"}'))
    assert [json.loads(body) for body in TAKEN] == [{"type": "é"}]


async def test_it_listens_on_its_address_alone() -> None:
    """Whoever calls another address of the machine meets nobody."""
    server = SignedRequestServer(secret=SECRET, address=ListenAddress(0, "127.0.0.2"), handler=Taking())
    await server.open()
    try:
        _, writer = await asyncio.open_connection("127.0.0.2", server.port)
        writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", server.port)
    finally:
        await server.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        pytest.param({"path": "/"}, "404", id="another path"),
        pytest.param({"method": "GET"}, "405", id="another method"),
        pytest.param({"length": signed.LARGEST_REQUEST + 1}, "413", id="a body that says it is too large"),
        pytest.param({"body": b"x" * (signed.LARGEST_REQUEST + 1)}, "413", id="a body that is too large"),
        pytest.param({"body": b"\xff"}, "400", id="a signed body that is no text"),
    ],
)
async def test_what_no_slack_sends_is_refused(door: SignedRequestServer, sent: dict[str, object], status: str) -> None:
    """With its status, and nothing is taken in."""
    assert status in await said(door, request(**sent))  # type: ignore[arg-type]  # the table's own fields
    assert TAKEN == []


async def test_what_strangers_send_stands_in_no_log(
    door: SignedRequestServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither their headers nor what of it is no HTTP; what breaks behind a signature does."""
    caplog.set_level(logging.DEBUG)
    marked = b"GET / HTTP/1.1\r\nHost: bot\r\nUser-Agent: MARK\r\nReferer: MARK\r\n"
    unsigned = request(secret="another" + "-secret").replace(b"Host: bot", b"Host: bot\r\nUser-Agent: MARK")
    for sent in (marked + b"\r\n", unsigned, marked + b"no header MARK\r\n\r\n", b"\x16\x03MARK\r\n\r\n"):
        assert await said(door, sent)
    assert not [record for record in caplog.records if record.levelno > logging.DEBUG]
    assert "MARK" not in caplog.text
    door._routes = {PATH: SignedRoute(SlackSignature(SECRET), Broken())}
    assert "500" in await said(door, request())
    assert f"a signed request failed: {PATH}" in caplog.text


async def test_who_is_slow_is_sent_away(door: SignedRequestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that drips gets a status, and all that is held of it is let go."""
    monkeypatch.setattr(signed, "READ_WITHIN", 0.05)
    assert "408" in await said(door, request(b"", length=100) + b"abc")
    assert door._held == 0


async def test_too_much_at_once_is_refused(door: SignedRequestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that are being read are bounded all together, not each alone."""
    monkeypatch.setattr(signed, "MOST_HELD", 1_000)
    assert "503" in await said(door, request(b"x" * 2_000))
    assert door._held == 0


async def test_idle_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that say nothing, and those that stop in the middle of a header."""
    monkeypatch.setattr(limited_server, "IDLE_FOR", 0.05)
    door = SignedRequestServer(secret=SECRET, address=ListenAddress(0), handler=Broken())
    await door.open()
    try:
        assert [await said(door, sent) for sent in (b"", b"POST /slack")] == ["", ""]
    finally:
        await door.close()


async def test_connections_are_bounded(door: SignedRequestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is closed immediately."""
    monkeypatch.setattr(limited_server, "MOST_CONNECTIONS", 1)
    _, first = await asyncio.open_connection("127.0.0.1", door.port)
    try:
        assert await said(door, request()) == ""
    except ConnectionError:
        pass
    finally:
        first.close()
    assert TAKEN == []
