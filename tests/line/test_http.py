"""HTTP mode: what Slack has signed comes in, nothing else does, and nothing comes in twice."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest
from slack_sdk.signature import SignatureVerifier

from bot.adapters.home import Home
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.listeners import PATH, HttpListeners
from bot.adapters.listeners.forge_webhooks import FORGE_PATH
from bot.config.environment import Environment
from bot.hooks.hook_book import build_hook_book
from bot.models.address import ListenAddress
from bot.models.hook import Hook, MergeRequestOpening
from bot.models.hook_record import HookRecord
from bot.wiring.app import build
from bot.wiring.lifecycle import Bot
from sandbox.server import Sandbox
from tests.adapters.test_forge_webhooks import GITLAB_BODY, lab
from tests.fakes import ignore
from tests.forks import triage
from tests.line.conftest import MANIFEST, SHOP, Line
from tests.line.human import cards, shows, until
from tests.line.test_straight_line import QUESTION, records

SECRET = "signing" + "-secret-of-a-test"


@pytest.fixture
async def http_bot(line: Line) -> AsyncIterator[Bot]:
    """A bot in HTTP mode."""
    values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
    environment = Environment(**values, slack_signing_secret=SECRET)
    bot = await build(line.configure(), environment, Home(line.home), http=ListenAddress(0))
    await bot.start()
    yield bot
    await bot.stop()


@pytest.fixture
def address(http_bot: Bot) -> str:
    """Where it listens."""
    assert isinstance(http_bot.core.listeners, HttpListeners)
    return f"http://127.0.0.1:{http_bot.core.listeners.port}{PATH}"


def event(text: str = QUESTION, *, ts: str, event_id: str = "Ev1") -> str:
    """An event as Slack posts it."""
    inner = {"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": ts, "text": text, "channel_type": "channel"}
    body = {"type": "event_callback", "team_id": "T0SANDBOX", "api_app_id": "A0TRIAGE", "event_id": event_id}
    return json.dumps({**body, "event_time": int(time.time()), "event": inner})


async def posted(
    address: str, body: str, *, age: float = 0, secret: str = SECRET, headers: Mapping[str, str] = MappingProxyType({})
) -> int:
    """Sign and post a body; the answer is the status."""
    at = str(int(time.time() - age))
    signature = SignatureVerifier(secret).generate_signature(timestamp=at, body=body)
    said = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": at,
        "X-Slack-Signature": signature or "",
        **headers,
    }
    async with aiohttp.ClientSession() as session, session.post(address, data=body.encode(), headers=said) as answer:
        return answer.status


async def test_a_signed_event_is_taken_once(line: Line, address: str) -> None:
    """The same request again, as a retry or a replay, settles nothing."""
    ts = await line.ana.say(QUESTION)
    body = event(ts=ts)
    assert await posted(address, body) == 200
    assert await posted(address, body) == 200
    assert (
        await posted(address, body, headers={"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}) == 200
    )
    await line.olu.card(QUESTION, '"approve"')
    assert len(cards(await line.olu.now())) == 1
    assert len(records(line.home / "events-classified.ndjson")) == 1


async def test_a_bot_that_ends_refuses_events_so_that_slack_sends_them_again(
    line: Line, address: str, http_bot: Bot
) -> None:
    """Nothing of them is recorded."""
    http_bot.core.draining.begin()
    assert await posted(address, event(ts=await line.ana.say(QUESTION))) == 503
    assert records(line.home / "events.ndjson") == []


async def test_a_signed_command_is_done_once_also_by_a_bot_that_ends(line: Line, address: str, http_bot: Bot) -> None:
    """As a form, with its answer in the response; the same request again does nothing and says so."""
    fields = {
        "command": "/triage",
        "text": "help why",
        "team_id": "T0SANDBOX",
        "channel_id": "C0HELP",
        "user_id": "U0OPS",
        "trigger_id": "1.2.3",
        "response_url": "https://hooks.example.com/secret",
        "token": "verification",
    }
    body, said = urlencode(fields), []
    http_bot.core.draining.begin()  # its writer would have to write it again
    for _ in range(2):
        at = str(int(time.time()))
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Slack-Request-Timestamp": at,
            "X-Slack-Signature": SignatureVerifier(SECRET).generate_signature(timestamp=at, body=body) or "",
        }
        async with aiohttp.ClientSession() as session, session.post(address, data=body, headers=headers) as answer:
            said.append(await answer.json())
    assert [each["response_type"] for each in said] == ["ephemeral"] * 2
    assert said[0]["text"].startswith("`why &lt;link&gt;` explains in a sentence")
    assert "was not run again" in said[1]["text"]
    assert len(records(line.home / "audit.ndjson")) == 1
    assert "hooks.example.com" not in (line.home / "events.ndjson").read_text()


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        pytest.param({"secret": "another" + "-secret"}, 401, id="forged"),
        pytest.param({"age": 301}, 401, id="old"),
        pytest.param({"age": -330}, 401, id="from the future"),
        pytest.param({"headers": {"X-Slack-Signature": ""}}, 401, id="unsigned"),
        pytest.param({"headers": {"X-Slack-Request-Timestamp": "soon"}}, 401, id="no timestamp"),
        pytest.param({"headers": {"X-Slack-Request-Timestamp": "-1"}}, 401, id="a negative timestamp"),
        pytest.param({"headers": {"X-Slack-Request-Timestamp": "9" * 400}}, 401, id="a timestamp beyond all clocks"),
    ],
)
async def test_what_slack_has_not_signed_just_now_is_refused(
    line: Line, address: str, changes: dict[str, Any], status: int
) -> None:
    """Nothing of it reaches the journal."""
    assert await posted(address, event(ts="1.000001"), **changes) == status
    assert records(line.home / "events.ndjson") == []


async def test_the_address_can_be_verified(address: str) -> None:
    """Slack asks for its challenge when the address is entered."""
    body = json.dumps({"type": "url_verification", "challenge": "c", "token": "t"})
    assert await posted(address, body) == 200


async def test_a_webhook_of_a_forge_is_on_disk_at_its_ack(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the same server, by its own secret, and begins the run of a hook; what Slack would sign is no webhook."""
    monkeypatch.setenv("A_SECRET", SECRET[::-1])
    line.home.mkdir(mode=0o700)
    hooks = Home(line.home).hooks
    since = datetime(2026, 1, 1, tzinfo=UTC)
    hook = Hook(name="h", trigger=MergeRequestOpening(), command="queue", owner="U0OPS", changed_at=since)
    await build_hook_book(DiskJsonFile(hooks), ignore).add(HookRecord(hook=hook.evolve(cooldown_min=1)))
    values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
    environment = Environment(**values, slack_signing_secret=SECRET)
    forge = "forges: [{kind: gitlab, token_env: A_TOKEN, webhook_secret_env: A_SECRET}]\n"
    bot = await build(line.configure(more=forge), environment, Home(line.home), http=ListenAddress(0))
    await bot.start()
    try:
        assert isinstance(bot.core.listeners, HttpListeners)
        address = f"http://127.0.0.1:{bot.core.listeners.port}{FORGE_PATH}"
        body = json.dumps(GITLAB_BODY)
        assert await posted(address, body) == 401
        assert await posted(address, body, headers=lab(SECRET)) == 401
        assert records(line.home / "events.ndjson") == []
        assert await posted(address, body, headers=lab(SECRET[::-1])) == 200
        (record,) = records(line.home / "events.ndjson")
        assert (record["kind"], record["project"], record["number"]) == ("forge", "group/team/shop", 7)
        assert SECRET[::-1] not in json.dumps(record)
        await until(lambda: "executed" in hooks.read_text())
        assert "Pull request 7 of group/team/shop" in hooks.read_text()
    finally:
        await bot.stop()


async def test_it_does_not_start_without_a_signing_secret(line: Line) -> None:
    """The variable is named, and nothing is started."""
    done = await asyncio.to_thread(
        lambda: triage(
            "run", "--http", "0", "--config", str(line.config), "--home", str(line.home), variables=line.variables
        )
    )
    assert done.returncode == 2
    assert "SLACK_SIGNING_SECRET" in done.stderr
    assert not line.home.exists()


async def test_a_taken_port_is_one_clear_line(line: Line) -> None:
    """As everywhere."""
    done = await asyncio.to_thread(
        lambda: triage(
            *("run", "--http", str(line.workspace.port), "--config", str(line.config), "--home", str(line.home)),
            variables=line.variables | {"SLACK_SIGNING_SECRET": SECRET},
        )
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"--http: port {line.workspace.port} is taken; choose another"


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (
            ("--http", "0", "--bind", "192.0.2.1"),
            "--http: 192.0.2.1 is no address of this machine; choose",
        ),
        (("--bind", "127.0.0.1"), "--bind: only --http listens for Slack; --health-port takes an ADDRESS of its own"),
    ],
)
async def test_an_address_of_no_use_is_one_clear_line(line: Line, more: tuple[str, ...], complaint: str) -> None:
    """Whether the machine lacks it, or nothing would listen there."""
    done = await asyncio.to_thread(
        lambda: triage(
            *("run", *more, "--config", str(line.config), "--home", str(line.home)),
            variables=line.variables | {"SLACK_SIGNING_SECRET": SECRET},
        )
    )
    assert (done.returncode, done.stderr.splitlines()[-1].startswith(complaint)) == (2, True)


async def test_the_whole_line_goes_over_http(tmp_path: Path) -> None:
    """A workspace in HTTP mode signs what it sends: question, card, edit, approve, reply."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "orders.py").write_text(SHOP)
    port = free_port()
    address = f"http://127.0.0.1:{port}{PATH}"
    workspace = await Sandbox.start(port=0, manifest=MANIFEST, events_url=address, signing_secret=SECRET)
    line = Line(workspace, tmp_path)
    values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
    environment = Environment(**values, slack_signing_secret=SECRET)
    bot = await build(line.configure(), environment, Home(line.home), http=ListenAddress(port))
    await bot.start()
    try:
        asked = await line.ana.say(QUESTION)
        await line.olu.press("edit", await line.olu.card('"approve"'))
        await line.olu.submit(await line.olu.dialog(), text="Three times.")
        await line.olu.press("approve", await line.olu.card("Three times.", '"approve"'))
        assert shows((await line.ana.replies(asked))[0], "Three times.")
    finally:
        await bot.stop()
        await workspace.close()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
