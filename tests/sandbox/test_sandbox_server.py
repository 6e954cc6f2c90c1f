"""The workspace as a program: its door, its command line and its page."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.__main__ import main
from sandbox.pages import FOLDER
from sandbox.server import PortTaken, Sandbox
from tests.sandbox.conftest import People
from tests.tables import each_row


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "192.168.0.1"])
async def test_a_foreign_host_is_refused(session: aiohttp.ClientSession, host: str) -> None:
    """A name that was pointed at this machine does not open the door."""
    for path in ("/", "/human/view?user=U0ANA", "/api/auth.test", "/calls"):
        answer = await session.get(path, headers={"Host": host})
        assert answer.status == 403
        assert (await answer.json())["ok"] is False


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9", "[::1]:9", "LOCALHOST"])
async def test_loopback_hosts_are_let_in(session: aiohttp.ClientSession, host: str) -> None:
    """This machine's own names do, whatever the port."""
    assert (await session.get("/", headers={"Host": host})).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
async def test_another_pages_origin_is_refused(people: People, slack: AsyncWebClient, origin: str) -> None:
    """A page from elsewhere can neither speak for a person nor order faults."""
    for path in ("/human/say", "/faults", "/api/auth.test"):
        assert (await people.answer(path, {}, Origin=origin))[0] == 403
    assert await people.channel() == []


async def test_the_own_page_is_let_in(people: People, workspace: Sandbox) -> None:
    """The workspace's own origin may do everything; links from elsewhere lead to the page alone."""
    body = {"user": "U0ANA", "channel": "C0HELP", "text": "hi"}
    own = {"Origin": workspace.url, "Sec-Fetch-Site": "same-origin"}
    assert (await people.answer("/human/say", body, **own))[0] == 200
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert (await people.session.get("/archives/C0HELP/p1", headers=foreign)).status == 200
    assert (await people.session.get("/api/auth.test", headers=foreign)).status == 403


async def test_only_loopback_is_listened_on() -> None:
    """Any other address is refused before anything is opened."""
    with pytest.raises(ValueError, match=r"127\.0\.0\.1 only"):
        await Sandbox.start(host="0.0.0.0")  # noqa: S104  # what is refused here


async def test_a_taken_port_has_a_name(workspace: Sandbox) -> None:
    """The second workspace on a port is told so."""
    with pytest.raises(PortTaken, match=str(workspace.port)):
        await Sandbox.start(port=workspace.port)


async def _run(*arguments: str) -> tuple[asyncio.subprocess.Process, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "sandbox", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    return process, (await asyncio.wait_for(process.stdout.readline(), 10)).decode()


async def test_the_command_says_where_it_is_and_ends_when_told(tmp_path: Path) -> None:
    """python -m sandbox prints its addresses, serves, and stops cleanly on a signal."""
    process, first = await _run("--port", "0", "--data", str(tmp_path / "kept"))
    url = first.removeprefix("page: ").strip()
    assert process.stdout
    assert (await process.stdout.readline()).decode().split() == ["api:", f"{url}api/"]
    async with aiohttp.ClientSession() as session:
        assert (await session.get(url)).status == 200
    process.terminate()
    _, errors = await asyncio.wait_for(process.communicate(), 10)
    assert (process.returncode, errors) == (0, b"")


async def test_the_command_on_a_taken_port(workspace: Sandbox) -> None:
    """One clear line on stderr, and exit 2."""
    process, _ = await _run("--port", str(workspace.port))
    _, errors = await asyncio.wait_for(process.communicate(), 10)
    assert process.returncode == 2
    assert errors.decode() == f"sandbox: port {workspace.port} is taken by another program\n"


async def test_the_page_and_its_permalinks_are_served_strictly(session: aiohttp.ClientSession) -> None:
    """The page comes from here alone: no inline code, nothing from elsewhere, in no frame."""
    for path in ("/", "/archives/C0HELP", "/archives/C0HELP/p1700000000000000?thread_ts=1.0&cid=C0HELP"):
        answer = await session.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert answer.content_type == "text/html"
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    page = await (await session.get("/")).text()
    for name in re.findall(r'(?:src|href)="/page/([^"]+)"', page):
        assert (await session.get(f"/page/{name}")).status == 200
    assert (await session.get("/page/..%2Fserver.py")).status == 404
    assert (await session.get("/page/nothing.js")).status == 404


@each_row("script", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_the_page_never_parses_text_as_html(script: Path) -> None:
    """Whatever people write enters the document as text nodes."""
    code = script.read_text()
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(", "srcdoc"):
        assert way not in code


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--events-url", "http://example.com/"], "on this machine"),
        (["--events-url", "http://127.0.0.1:9/"], "signing secret"),
        (["--events-url", "http://127.0.0.1:9/", "--signing-secret-env", "NOT_SET_ANYWHERE"], "signing secret"),
        (["--manifest", "/nowhere/manifest.yml"], "/nowhere/manifest.yml"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(arguments: list[str], complaint: str, capsys: Any) -> None:
    """One line on stderr, and exit 2; nothing was started."""
    assert main(["--port", "0", *arguments]) == 2
    assert complaint in capsys.readouterr().err
