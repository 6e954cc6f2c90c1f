"""Requests that Slack never signed, clients that never finish, and connections that say nothing: over real HTTP."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp

from bot.adapters.home import Home
from bot.adapters.listeners import PATH, HttpListeners
from bot.adapters.listeners.signed import LARGEST_REQUEST, READ_WITHIN
from bot.approval.actions import DIALOG_OPENED
from bot.config.environment import Environment
from bot.models.address import ListenAddress
from bot.wiring.app import build
from measure.attack.forgeries import Forger, Targets, forgeries
from measure.attack.tally import Tally
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, SHOP, Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measure.attack.forgeries import Body
    from sandbox.delivery import Kind

COUNT = 300
SECRET = "signing" + "-secret-of-an-attack"
SLOW, IDLE = 100, 300


def signature(secret: str, at: str, body: bytes) -> str:
    return "v0=" + hmac.new(secret.encode(), b"v0:%s:%s" % (at.encode(), body), hashlib.sha256).hexdigest()


def kind_of(body: Body) -> Kind:
    """What Slack calls a payload of this shape."""
    if body.get("type") == "event_callback":
        return "events_api"
    return "slash_commands" if "command" in body else "interactive"


async def signed(session: aiohttp.ClientSession, address: str, body: Body) -> None:
    """Post a body as Slack would."""
    kind = kind_of(body)
    fields = body if kind == "slash_commands" else {"payload": json.dumps(body)}
    content = (json.dumps(body) if kind == "events_api" else urlencode(fields)).encode()
    at = str(int(time.time()))
    said = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature(SECRET, at, content)}
    said["Content-Type"] = "application/json" if kind == "events_api" else "application/x-www-form-urlencoded"
    async with session.post(address, data=content, headers=said) as answer:
        await answer.read()


def audited(path: Path) -> list[dict[str, Any]]:
    """The records of an audit."""
    return [json.loads(text) for text in path.read_text().splitlines()]


def was_done(record: dict[str, Any]) -> bool:
    """Return whether the audit says that something was let through."""
    if record.get("kind") == "command":
        return record["outcome"] in ("done", "asked") and record["tier"] != "read"
    return record.get("kind") != "direct" and record.get("result") in ("done", DIALOG_OPENED)


def _bodies() -> list[tuple[str, bytes]]:
    """What Slack sends, as somebody would forge it, and what nobody sends."""
    user, team = {"id": "U0OPS", "team_id": "T0SANDBOX"}, {"id": "T0SANDBOX"}
    said = {
        "type": "message",
        "user": "U0ANA",
        "channel": "C0HELP",
        "ts": "1.000001",
        "text": "where is RETRY_LIMIT set?",
    }
    action = {
        "type": "button",
        "action_id": "approve",
        "value": "T0SANDBOX-C0HELP-1.000001 approve 1",
        "action_ts": "1.2",
    }
    view = {"id": "V1", "callback_id": "edit", "private_metadata": "T0SANDBOX-C0HELP-1.000001", "state": {"values": {}}}
    forms: list[dict[str, Any]] = [
        {"type": "block_actions", "team": team, "user": user, "actions": [action], "trigger_id": "1.x"},
        {"type": "view_submission", "team": team, "user": user, "view": view},
        {"type": "message_action", "team": team, "user": user, "callback_id": "ask", "trigger_id": "2.x"},
    ]
    event = {"type": "event_callback", "team_id": "T0SANDBOX", "event_id": "Ev1", "event_time": 1, "event": said}
    command = {"command": "/triage", "text": "stop", "team_id": "T0SANDBOX", "user_id": "U0ADMIN", "trigger_id": "3.x"}
    return [
        ("event", json.dumps(event).encode()),
        *((str(form["type"]), urlencode({"payload": json.dumps(form)}).encode()) for form in forms),
        ("command", urlencode(command).encode()),
        *(("malformed", body) for body in (b"[]", b"payload=[", b"\xff\x00", b"[" * 50_000, b'{"event": 1}')),
    ]


def _forgeries(body: bytes) -> Iterator[tuple[str, str, str]]:
    """A time and a signature that do not belong to a body, and what is wrong with them."""
    now = str(int(time.time()))
    right = signature(SECRET, now, body)
    yield "unsigned", now, ""
    yield "another secret", now, signature("another" + "-secret", now, body)
    yield "another body", now, signature(SECRET, now, body + b" ")
    yield "another time", str(int(now) - 1), right
    for name, age in (("old", 330), ("of the future", -360), ("very old", 10**8)):
        at = str(int(now) - age)
        yield name, at, signature(SECRET, at, body)
    for name, at in (
        ("no time", ""),
        ("a word", "now"),
        ("negative", f"-{now}"),
        ("a fraction", f"{now}.0"),
        ("huge", "9" * 300),
    ):
        yield name, at, signature(SECRET, at, body)
    for name, other in (("v1", right.replace("v0", "v1")), ("upper case", right.upper()), ("cut", right[:-1])):
        yield name, now, other
    for name, other in (("longer", f"{right}0"), ("in Arabic digits", right.replace("0", "\u0660")), ("empty", "v0=")):
        yield name, now, other
    yield "an empty secret", now, signature("", now, body)


async def _forged(address: str, count: int) -> Tally:
    effects, tries = [], 0
    async with aiohttp.ClientSession() as session:
        while tries < count:
            for kind, body in _bodies():
                for wrong, at, signature in _forgeries(body):
                    said = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature.encode().decode("latin-1")}
                    said["Content-Type"] = (
                        "application/json" if body[:1] in b"[{" else "application/x-www-form-urlencoded"
                    )
                    async with session.post(address, data=body, headers=said) as answer:
                        tries += 1
                        effects += [f"{kind}, {wrong}: {answer.status}"] if answer.status != 401 else []
    return Tally("forged requests over HTTP", tries, tuple(effects))


async def _patient(port: int, send: bytes, count: int, still: Callable[[], int]) -> tuple[int, int]:
    """So many connections that send this and then nothing: the memory then, and how many stay open."""
    pairs = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    for _, writer in pairs:
        writer.write(send)
    await asyncio.sleep(READ_WITHIN / 2)
    grown = still()
    await asyncio.sleep(READ_WITHIN / 2 + 1.5)
    opened = 0
    for reader, writer in pairs:
        try:
            async with asyncio.timeout(0.01):
                while await reader.read(65_536):
                    pass
        except TimeoutError:
            opened += 1
        except OSError:
            pass
        writer.close()
    return grown, opened


def _memory() -> int:
    """What the process holds, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4_096 // 1_000_000


async def _attack(count: int) -> list[Tally]:
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        (folder / "shop").mkdir()
        (folder / "shop" / "orders.py").write_text(SHOP)
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        line = Line(workspace, folder)
        values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
        bot = await build(
            line.configure(), Environment(**values, slack_signing_secret=SECRET), Home(line.home), http=ListenAddress(0)
        )
        await bot.start()
        try:
            assert isinstance(bot.core.listeners, HttpListeners)  # noqa: S101  # it was asked for
            port = bot.core.listeners.port
            found = [await _forged(f"http://127.0.0.1:{port}{PATH}", count)]
            if count >= COUNT:
                found += [await _slow(port), await _idle(port)]
            events = line.home / "events.ndjson"
            written = len(events.read_text().splitlines()) if events.exists() else 0
            found.append(Tally("what of them is written down", count, tuple(["a record"] * written)))
            found.append(await _strangers(f"http://127.0.0.1:{port}{PATH}", line.home / "audit.ndjson", count))
        finally:
            await bot.stop()
            await workspace.close()
    return found


async def _strangers(address: str, audit: Path, count: int) -> Tally:
    """Signed, but by people who may not, and of cards that nobody knows; `presses` sends them where there are cards."""
    waits = "T0SANDBOX-C0HELP-1.000001/1 abcdef0123456789"
    made = [*islice(forgeries(Forger(), Targets(waits, waits, "0" * 16, "1" * 16)), 0, None, 33)][:count]
    async with aiohttp.ClientSession() as session:
        for _, body in made:
            await signed(session, address, body)
    records = audited(audit)
    done = tuple(f"done: {record}" for record in records if was_done(record))
    return Tally("signed presses, dialogs and commands of strangers", len(made), done, f"{len(records)} refused")


async def _slow(port: int) -> Tally:
    at, before = str(int(time.time())), _memory()
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nX-Slack-Request-Timestamp: {at}\r\nX-Slack-Signature: v0={'0' * 64}\r\n"
    sent = f"{head}Content-Length: {LARGEST_REQUEST}\r\n\r\n".encode() + b"x" * (LARGEST_REQUEST - 1_000)
    grown, opened = await _patient(port, sent, SLOW, lambda: _memory() - before)
    # This process holds what its clients have not sent yet, too, so that the figure is an upper bound.
    effects = [f"{opened} stay open"] if opened else []
    return Tally("clients that never finish a large body", SLOW, tuple(effects), f"{grown} MB more, clients included")


async def _idle(port: int) -> Tally:
    _, opened = await _patient(port, b"", IDLE, lambda: 0)
    return Tally(
        "connections that say nothing", IDLE, (f"{opened} stay open",) if opened else (), f"closed in {READ_WITHIN:g} s"
    )


def run(count: int) -> list[Tally]:
    """So many forged requests, and the slow and the silent."""
    return asyncio.run(_attack(count))
