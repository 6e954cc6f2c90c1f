"""Forged presses, dialogs, commands and messages, over Socket Mode and over signed HTTP, at a bot that has work to do.

A card waits for its operator, another was dismissed, a command waits for its admin's press and another was cancelled.
Nothing of what is sent may change any of that, post anything, or stand in the audit as done. What was really pressed
once is sent again as well.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import tempfile
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from bot.adapters.home import Home
from bot.adapters.listeners import PATH, HttpListeners
from bot.config.environment import Environment
from bot.models.address import ListenAddress
from bot.wiring.app import build
from measure.attack.forgeries import Forger, Targets, forgeries
from measure.attack.requests import SECRET, audited, kind_of, signed, was_done
from measure.attack.tally import Tally
from sandbox.delivery import Unacknowledged
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, SHOP, Line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from measure.attack.forgeries import Body

    Send = Callable[[Body], Awaitable[None]]

COUNT = 10_000
"""At most so many of each way in; there are fewer."""
ADMINS = "admins: [U0ADMIN]\nfloods: {per_user: {per_minute: 10000, burst: 10000}}"
KEPT = (
    *("controls.json", "projects.json", "allowance.json", "confirmations.json", "muted.json"),
    *("labels.ndjson", "feedback.ndjson", "replies.ndjson"),
)
AT_ONCE = 40
"""So many are on their way at the same time."""
OF_ITSELF = ("card", "saved_at")
"""What a document's own time changes: a card that was pressed in vain is drawn again."""


@dataclass
class Stage:
    """A workspace, and a home in which there is something to decide."""

    line: Line
    targets: Targets
    made: list[Body]
    """What people really did before, as Slack sent it."""

    def state(self) -> dict[str, Any]:
        """All that a press could change."""
        home = self.line.home
        threads = {}
        for path in (home / "state").glob("*.json"):
            for name, thread in json.loads(path.read_text())["thread"].items():
                threads[name] = {key: said for key, said in thread.items() if key not in OF_ITSELF}
        kept = {name: (home / name).read_text() for name in KEPT if (home / name).exists()}
        notes = {str(path): path.read_text() for path in home.glob("notes/*/*") if path.is_file()}
        return {"threads": threads, "kept": kept, "notes": notes, "posts": self._posts()}

    def _posts(self) -> list[str]:
        places = self.line.workspace._workspace.conversations.values()
        found = [message for place in places if not place.is_im for message in place.messages.values()]
        return [message.text for message in found if message.user == "U0TRIAGE"]

    def audited(self) -> list[dict[str, Any]]:
        """The audit."""
        return audited(self.line.home / "audit.ndjson")


def run(count: int) -> list[Tally]:
    """Send so many over each way in."""
    logging.disable()  # Bolt logs each that has no shape
    return asyncio.run(_run(count))


async def _run(count: int) -> list[Tally]:
    with tempfile.TemporaryDirectory() as folder:
        async with _workspace(Path(folder)) as line:
            async with line.bot(more=ADMINS) as bot:
                stage = await _staged(line)
                tallies = [await _attack("over Socket Mode", stage, _over_socket(line), count, first=1)]
                assert bot.core.controls.state == "running"  # noqa: S101  # else the state has told so
            async with _http(line) as send:
                tallies.append(await _attack("over signed HTTP", stage, send, count, first=100_000))
    return tallies


async def _attack(name: str, stage: Stage, send: Send, count: int, *, first: int) -> Tally:
    before, known = stage.state(), len(stage.audited())
    sent = [*itertools.islice(_list_presses(stage, Forger(itertools.count(first))), count)]  # none that came before
    for at in range(0, len(sent), AT_ONCE):
        await asyncio.gather(*(send(body) for _, body in sent[at : at + AT_ONCE]))
    await _wait_until_still(stage)
    records = stage.audited()[known:]
    effects = [f"done: {record}" for record in records if was_done(record)]
    after = stage.state()
    effects += [
        f"changed: {key}: {_difference(before[key], after[key])}" for key in before if before[key] != after[key]
    ]
    return Tally(f"forged presses, dialogs and commands {name}", len(sent), tuple(effects), f"{len(records)} refused")


def _list_presses(stage: Stage, forger: Forger) -> Iterator[tuple[str, Body]]:
    """What is made up, and what was real and comes again: as it was, and as if it had been pressed twice."""
    yield from forgeries(forger, stage.targets)
    for body in stage.made:
        yield from (("replayed", body) for _ in range(3))
        for number, action in enumerate(body.get("actions", ())):
            yield "pressed twice", body | {"actions": [action | {"action_ts": f"99{number}.5"}]}


async def _wait_until_still(stage: Stage) -> None:
    """Wait until nothing more is written down."""
    size = -1
    while True:
        now = (stage.line.home / "audit.ndjson").stat().st_size
        if now == size:
            return
        size = now
        await asyncio.sleep(1.5)


def _difference(before: Any, after: Any) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        return "; ".join(
            f"{key}: {_difference(before.get(key), after.get(key))}"
            for key in {**before, **after}
            if before.get(key) != after.get(key)
        )
    return f"{str(before)[:200]} is {str(after)[:200]}"


@asynccontextmanager
async def _workspace(folder: Path) -> AsyncIterator[Line]:
    (folder / "shop").mkdir()
    (folder / "shop" / "orders.py").write_text(SHOP)
    workspace = await Sandbox.start(port=0, manifest=MANIFEST)
    try:
        yield Line(workspace, folder)
    finally:
        await workspace.close()


async def _staged(line: Line) -> Stage:
    """A card that waits and one that is dismissed, a command that waits and one that is cancelled."""
    made: list[Body] = []
    sockets = line.workspace._sockets
    ask = sockets.ask

    async def asked(kind: Any, payload: Body) -> Body:
        made.append(payload)
        return await ask(kind, payload)

    sockets.ask = asked  # type: ignore[method-assign]  # while people act
    await line.ana.say("how often is a payment tried again before the order is cancelled?", channel="C0GENERAL")
    dismissed = await line.olu.card("payment tried again", '"approve"')
    await line.olu.dismiss(dismissed)
    await line.ana.say("where is the RETRY_LIMIT of the payment set?")
    waits = await line.olu.card("where is the RETRY_LIMIT", '"approve"')
    for title in ("Other", "Deploys"):
        await line.ada.command(f"write_note {title} never on Fridays")
        await line.ada.command(f"delete_note {title}")
        card = await line.ada.card("Not done yet", title, "command_confirm")
        if title == "Other":
            cancelled = _value(card, "command_cancel")
            await line.ada.press("command_cancel", card)
            await line.ada.card("Cancelled")
    sockets.ask = ask  # type: ignore[method-assign]  # as it was
    confirmation = _value(card, "command_confirm")
    targets = Targets(_value(waits, "approve"), _value(dismissed, "approve"), confirmation, cancelled)
    return Stage(line, targets, made)


def _value(card: Body, action: str) -> str:
    """What a button of a card carries."""
    elements = [element for block in card["blocks"] for element in block.get("elements", ())]
    return next(str(element["value"]) for element in elements if element.get("action_id") == action)


def _over_socket(line: Line) -> Send:
    async def send(body: Body) -> None:
        with suppress(Unacknowledged):  # what has no shape at all is not answered
            await line.workspace._sockets.ask(kind_of(body), body)

    return send


@asynccontextmanager
async def _http(line: Line) -> AsyncIterator[Send]:
    """The same bot in HTTP mode, and posts that are signed as Slack does."""
    values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
    environment = Environment(**values, slack_signing_secret=SECRET)
    bot = await build(line.configure(more=ADMINS), environment, Home(line.home), http=ListenAddress(0))
    await bot.start()
    try:
        assert isinstance(bot.core.listeners, HttpListeners)  # noqa: S101  # it was asked for
        address = f"http://127.0.0.1:{bot.core.listeners.port}{PATH}"
        async with aiohttp.ClientSession() as session:

            async def send(body: Body) -> None:
                await signed(session, address, body)

            yield send
    finally:
        await bot.stop()
