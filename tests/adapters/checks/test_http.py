"""Checks of web servers: every fault of an answer is one plain clause."""

from __future__ import annotations

import asyncio
import socket
from itertools import repeat

import pytest

from bot.models.check_target import HttpTarget
from tests.adapters.checks.crew import make_check, open_checks, ticks_of
from tests.adapters.checks.web_server import serve, whole
from tests.fakes import settle

MEGABYTE = 1_048_576


async def test_a_right_answer_is_healthy() -> None:
    """Status and text as expected, with the time that the answer took."""
    async with serve(whole(b'{"status": "ok"}')) as web:
        target = HttpTarget(url=f"http://127.0.0.1:{web.port}/health?token=s3cret", text='"ok"')
        result = await make_check(target, measure=ticks_of(0.0315))
    assert (result.service, result.check_type, result.status, result.error) == ("shop", "http", "healthy", "")
    assert result.response_time_ms == 32
    (request,) = web.requests
    assert request.startswith(b"GET /health?token=s3cret HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("answer", "options", "error"),
    [
        pytest.param(whole(status="503 Busy"), {}, "answered 503, expected 200", id="status"),
        pytest.param(
            whole(status="302 Found", headers="Location: http://127.0.0.1:1/\r\n"),
            {},
            "answered 302, expected 200 (redirects are not followed)",
            id="redirect",
        ),
        pytest.param(whole(b"sorry"), {"text": "ok"}, 'the answer does not contain "ok"', id="text"),
        pytest.param(
            whole(b"x" * MEGABYTE + b"ok"),
            {"text": "ok"},
            'the first megabyte of the answer does not contain "ok"',
            id="text after a megabyte",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nok", {"text": "ok"}, "the answer was cut off", id="cut off"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
            {},
            "the answer was cut off",
            id="cut off within a piece",
        ),
        pytest.param(b"", {}, "the connection was closed before an answer came", id="closed"),
        pytest.param(whole(headers=f"X: {'x' * 100_000}\r\n"), {}, "its header is too large", id="large header"),
        pytest.param(b"SSH-2.0-OpenSSH_9.6\r\n", {}, "the answer is not HTTP", id="not HTTP"),
        pytest.param(b"\x00\xff\x16\x03\r\n\r\n", {}, "the answer is not HTTP", id="not text"),
        pytest.param(
            whole(b"\x1f\x8b\x08", headers="Content-Encoding: gzip\r\n"),
            {"text": "ok"},
            "the answer is compressed although it was not asked for, so its text cannot be read",
            id="compressed",
        ),
    ],
)
async def test_a_wrong_answer_is_down(answer: bytes, options: dict[str, str], error: str) -> None:
    """The reason names what came, and what was expected."""
    async with serve(answer) as web:
        result = await make_check(HttpTarget(url=f"http://127.0.0.1:{web.port}/", **options))
    assert (result.status, result.error) == ("down", error)


async def test_a_slow_answer_is_degraded() -> None:
    """Right, but slower than the settings expect."""
    async with serve(whole()) as web:
        target = HttpTarget(url=f"http://127.0.0.1:{web.port}/", latency_ms=500)
        result = await make_check(target, measure=ticks_of(0.8))
        quick = await make_check(target, measure=ticks_of(0.5))
    assert (result.status, result.error) == ("degraded", "answered in 800 ms, expected at most 500 ms")
    assert quick.status == "healthy"


async def hang(writer: asyncio.StreamWriter) -> None:
    """Answer nothing."""
    await writer.drain()
    await asyncio.Event().wait()


async def trickle(writer: asyncio.StreamWriter) -> None:
    """Begin a right answer, and never end it."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nok")
    await writer.drain()
    await asyncio.Event().wait()


@pytest.mark.parametrize("answer", [hang, trickle])
async def test_no_complete_answer_in_time_is_down(answer: object) -> None:
    """The timeout is for the whole check, whatever has come before it."""
    async with serve(answer) as web:  # type: ignore[arg-type]  # one of the two above
        result = await make_check(HttpTarget(url=f"http://127.0.0.1:{web.port}/"), timeout_s=0.1)
    assert (result.status, result.error) == ("down", "no answer within 0.1 s")


async def test_an_endless_body_is_read_for_a_megabyte() -> None:
    """The check ends although the body does not, and text in its beginning counts."""
    sent = 0

    async def flood(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nready ")
        for piece in repeat(b"x" * 65_536):
            writer.write(piece)
            sent += len(piece)
            await writer.drain()

    async with serve(flood) as web:
        result = await make_check(HttpTarget(url=f"http://127.0.0.1:{web.port}/", text="ready"))
    assert result.status == "healthy"
    assert sent < 40 * MEGABYTE


async def test_a_closed_port_and_an_unknown_name() -> None:
    """Without a connection the reason names the host, and never the path or the query."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    closed = await make_check(HttpTarget(url=f"http://127.0.0.1:{port}/x?key=abc"))
    unknown = await make_check(HttpTarget(url="http://nobody.invalid/x?key=abc"))
    assert closed.status == unknown.status == "down"
    assert closed.error == f"cannot connect to 127.0.0.1:{port}: connection refused"
    assert unknown.error.startswith("the name nobody.invalid cannot be resolved: ")


async def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment of the bot says: it may be there for Slack alone."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with serve(whole()) as web:
        assert (await make_check(HttpTarget(url=f"http://127.0.0.1:{web.port}/"))).status == "healthy"


async def test_each_check_has_a_connection_of_its_own() -> None:
    """Nothing of the last one is used again, neither its connection nor its cookies."""
    async with serve(whole(headers="Set-Cookie: a=b\r\n")) as web:
        async with open_checks(HttpTarget(url=f"http://127.0.0.1:{web.port}/")) as checks:
            assert [(await checks.check("shop"))[0].status for _ in range(3)] == ["healthy"] * 3
    assert len(web.requests) == 3
    assert not any(b"Cookie" in request for request in web.requests)


async def test_a_service_is_never_checked_twice_at_once() -> None:
    """A check on demand waits for the one that runs, and is a check of its own."""
    running = most = 0

    async def count(writer: asyncio.StreamWriter) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await settle()
        writer.write(whole())
        running -= 1

    async with serve(count) as web:
        async with open_checks(HttpTarget(url=f"http://127.0.0.1:{web.port}/")) as checks:
            results = await asyncio.gather(*(checks.check("shop") for _ in range(3)))
    assert [result.status for (result,) in results] == ["healthy"] * 3
    assert (most, len(web.requests)) == (1, 3)


async def test_text_in_another_character_set() -> None:
    """The text is compared as the answer says that it is written."""
    body = "grün".encode("latin-1")
    async with serve(whole(body, headers="Content-Type: text/plain; charset=latin-1\r\n")) as web:
        assert (await make_check(HttpTarget(url=f"http://127.0.0.1:{web.port}/", text="grün"))).status == "healthy"
