"""Text files from a real server on loopback: what cannot be read has its reason, and the token goes nowhere else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.clock import SystemClock
from bot.adapters.pace import Pacer
from bot.adapters.slack.client import web_client
from bot.adapters.slack.files import SlackFiles, is_slacks_file
from bot.errors import RetryLater
from bot.models.sent_file import LARGEST, SentFile

TOKEN = "-".join(("xoxb", "test"))
BODY = b"caf\xc3\xa9 \xff"


class Server:
    """Gives out files, and notes with which token they were asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.url = ""
        self.over = asyncio.Event()
        self.told: dict[str, Any] = {}

    async def give(self, request: web.Request) -> web.Response:
        """Answer by the file's name."""
        name = request.match_info["name"]
        self.asked.append((name, request.headers.get("Authorization")))
        match name:
            case "moved":
                return web.Response(status=302, headers={"Location": f"{self.url}/plain"})
            case "slow":
                await self.over.wait()
                return web.Response()
            case "closed":
                return web.Response(status=403)
            case "broken":
                return web.Response(status=503)
            case "busy":
                return web.Response(status=429, headers={"Retry-After": "7"})
            case "page":
                return web.Response(text="<html>", content_type="text/html")
            case _:
                bodies = {"large": b"a" * (LARGEST + 1), "binary": b"a\0b"}
                return web.Response(body=bodies.get(name, BODY), content_type="text/plain")

    async def tell(self, request: web.Request) -> web.Response:
        """Answer `files.info`."""
        self.asked.append((request.query["file"], request.headers.get("Authorization")))
        return web.json_response(self.told)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """One on a port of its own."""
    made, app = Server(), web.Application()
    app.router.add_get("/{name}", made.give)
    app.router.add_get("/api/files.info", made.tell)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    made.over.set()
    await runner.cleanup()


async def read(server: Server, url: str, *, size: int = 3, seconds: float = 10, is_unchecked: bool = False) -> SentFile:
    """Read the file at this address as the bot does."""
    client = web_client(TOKEN, f"{server.url}/api/")
    client.timeout = seconds  # type: ignore[assignment]  # the client declares whole seconds and takes parts of one
    files = SlackFiles(client, Pacer(SystemClock(), scale=20))
    kind = "" if is_unchecked else "text/plain"
    return await files.read(
        SentFile(id="F0A", name="a.log", mimetype=kind, size=size, url=url, is_unchecked=is_unchecked)
    )


async def test_a_text_is_read_with_the_token(server: Server) -> None:
    """What is no UTF-8 is replaced."""
    found = await read(server, f"{server.url}/plain")
    assert (found.text, found.problem) == ("caf\u00e9 \ufffd", "")
    assert server.asked == [("plain", f"Bearer {TOKEN}")]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("moved", "Slack redirects the download"),
        ("page", "perhaps the app lacks the scope files:read"),
        ("closed", "Slack answered 403"),
        ("large", "it is larger than 100 KB"),
        ("binary", "it is not text"),
    ],
)
async def test_a_file_that_cannot_be_read_has_its_reason(server: Server, name: str, problem: str) -> None:
    """It is asked for once, and no redirect is followed."""
    found = await read(server, f"{server.url}/{name}")
    assert found.text is None
    assert problem in found.problem
    assert [asked for asked, _ in server.asked] == [name]


@pytest.mark.parametrize(("name", "seconds", "after"), [("slow", 0.1, 1.0), ("broken", 10, 1.0), ("busy", 10, 7.0)])
async def test_a_failure_that_may_pass_is_for_another_try(
    server: Server, name: str, seconds: float, after: float
) -> None:
    """The whole of a file, not only its beginning, has so much time; Slack says when it may be asked for again."""
    with pytest.raises(RetryLater) as failed:
        await read(server, f"{server.url}/{name}", seconds=seconds)
    assert failed.value.after == after


@pytest.mark.parametrize(
    ("told", "text", "problem"),
    [
        ({"ok": True, "file": {"id": "F0A", "mimetype": "text/plain", "url_private": "{url}/plain"}}, True, ""),
        ({"ok": True, "file": {"id": "F0A", "filetype": "log", "size": LARGEST + 1}}, False, "it is larger"),
        ({"ok": True, "file": {"id": "F0A", "mimetype": "image/png", "url_private": "{url}/plain"}}, False, "not text"),
        ({"ok": True, "file": {"id": "F0A", "mimetype": "text/plain"}}, False, "gives no address"),
        ({"ok": True, "file": {"id": "F0A", "file_access": "check_file_info"}}, False, "it is not text"),
        ({"ok": True, "file": {"id": "F0B", "mimetype": "text/plain", "url_private": "{url}/plain"}}, False, " text"),
        ({"ok": True, "file": {"id": "F0A", "mimetype": "text/plain", "url_private": "https://drive.example/a"}}, False,
         "it is not stored in Slack"),
        ({"ok": True, "file": None}, False, "it is not text"),
        ({"ok": True}, False, "it is not text"),
        ({"ok": False, "error": "missing_scope", "needed": "files:read"}, False, "lacks the scope files:read"),
        ({"ok": False, "error": "file_not_found"}, False, "Slack refuses it: file_not_found"),
        ({"ok": False, "error": "access_denied"}, False, "Slack refuses it: access_denied"),
    ],
)  # fmt: skip
async def test_a_file_that_was_only_named_is_asked_for_first(
    server: Server, told: dict[str, Any], text: bool, problem: str
) -> None:
    """As one of a person of another company is; what Slack then says of it decides."""
    server.told = json.loads(json.dumps(told).replace("{url}", server.url))
    found = await read(server, "", is_unchecked=True)
    assert (found.text is not None, problem in found.problem) == (text, True)
    assert [asked for asked, _ in server.asked] == ["F0A", *(["plain"] if text else [])]


async def test_what_need_not_be_opened_is_not(server: Server) -> None:
    """One of another host, and one that Slack says is too large."""
    elsewhere = await read(server, server.url.replace("127.0.0.1", "localhost") + "/plain")
    large = await read(server, f"{server.url}/plain", size=LARGEST + 1)
    assert (elsewhere.problem, large.problem) == ("it is not stored in Slack", "it is larger than 100 KB")
    assert server.asked == []


@pytest.mark.parametrize(
    ("url", "is_slacks"),
    [
        ("https://files.slack.com/files-pri/T0-F0/a.log", True),
        ("http://files.slack.com/a.log", False),
        ("https://files.slack.com.example.com/a.log", False),
        ("https://someone@files.slack.com/a.log", False),
        ("https://files.slack.com:8443/a.log", False),
        ("file:///etc/passwd", False),
        ("https://slack.com/api/a.log", False),
    ],
)
def test_only_slacks_own_hosts_get_the_token(url: str, is_slacks: bool) -> None:
    """By scheme, host and port."""
    assert is_slacks_file(url, "https://slack.com/api/") is is_slacks
