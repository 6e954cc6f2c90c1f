"""Hostile strings through every input: how long the loop stands still for any of them."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.decide.orders import order_parser
from measure.attack.steps import LONGEST, timed
from measure.attack.tally import Tally
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, SHOP, Line
from tests.patterns.automaton import TooLargeError, automata
from tests.patterns.found import flags_of, uses
from tests.patterns.linear import pump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.edges.listeners import Handlers
from measure.attack.steps import Steps

COUNT = 1_000
LENGTH = 39_000
"""Characters of each; Slack takes 40,000."""
PIECES = (
    *(
        "<@U1|",
        "<#C1|",
        "<!",
        "<",
        ">",
        "[",
        "](",
        "(",
        "{",
        "|",
        "`",
        "```",
        "```\n",
        "*",
        "**",
        "_",
        "~",
        "#",
        "# ",
        "- ",
    ),
    *(
        " ",
        "\t",
        "\n",
        " \n",
        "\r\n",
        "\u00a0",
        "\u200c",
        "\u200bx",
        "\u202e",
        "\ufe0f",
        "a",
        "A",
        "aA",
        "a_",
        "_",
        "a.",
        "./",
    ),
    *(
        "../",
        "a/",
        "a/b.py:1 ",
        "x/aaaaaaaaaaaaaaaaaaaaaaaa*",
        "1",
        "1.",
        "1_a",
        "0x",
        "1,000 ",
        "@",
        "@a",
        "a@a.",
        "!",
        "?!",
    ),
    *(
        "...",
        ",",
        ", ",
        "; ",
        ":",
        ":a",
        ":a:",
        ":(",
        "\u2013 ",
        '"',
        "'",
        "\\",
        '\\"',
        "'\\",
        "$(",
        "%s",
        "&lt;",
        "&amp;",
        "=",
    ),
    *(
        "a=",
        "a: ",
        "a: []",
        "[]",
        "{}",
        "()",
        "</a>",
        "<a ",
        "https://",
        "https://a/",
        "http://!",
        "mailto:",
        "www.",
        "\ud7a3",
    ),
    *(
        "\u0645\u0631\u062d\u0628\u0627 ",
        "\u0645",
        "\u691c\u7d22",
        "\u3067\u306f\u306a",
        "\u0e01",
        "\U0001f600",
        "\U0001f469\u200d",
    ),
    *(
        "thanks ",
        "hi ",
        "dag allemaal ",
        "please ",
        "and ",
        "not the ",
        "default ",
        "default`a",
        "where is it? ",
        "password=a ",
    ),
    *(
        "e\u0301",
        "\u0130",
        "\u00df",
        "\ufdfa",
        "| a ",
        "|-",
        "> ",
        ">>> ",
        "1. ",
        "    ",
        "!triage ",
        "stop ",
        "show me ",
        "\x1b[",
    ),
)
BEFORE = ("", "where is RETRY_LIMIT set? ", "note: ", "thanks ", "x?\n", "a: ", "`", "```\n")
AFTER = ("", "x", "*", "\u0000", " x y", "`", "?", ">", "\n")


def hostile(count: int) -> Iterator[str]:
    """Strings of repeated pieces: the table's, and what would pump each pattern that is not linear in itself."""
    chance = random.Random(11)  # noqa: S311  # tries, no secret
    pieces = [*PIECES, *_pumps()]
    for number in range(count):
        piece = pieces[number % len(pieces)]
        if number >= len(pieces):
            piece += chance.choice(pieces) * chance.choice((0, 1, 1, 7))
        length = LENGTH if number < len(pieces) else chance.choice((150, 400, 1_000, 4_000, LENGTH))
        yield chance.choice(BEFORE) + (piece * (length // len(piece) + 1))[:length] + chance.choice(AFTER)


def _pumps() -> list[str]:
    found = []
    for use in uses():
        if use.engine == "re" and isinstance(use.pattern, str) and use.name not in ("_SITE", "_BEFORE"):
            try:
                found.append(pump(automata(use.pattern, flags_of(use))))
            except TooLargeError:
                continue
    return list(dict.fromkeys(text for each in found if each for text in each if text))


@dataclass
class _Way:
    """Bodies as Slack sends them, given to the bot where its socket would."""

    handlers: Handlers
    steps: Steps
    number: int = 0

    async def all(self, text: str) -> None:
        """A text through every way in, each in a task of its own, as the socket has it."""
        shown = ascii(text[:70])
        for name, body in self._bodies(text):
            self.steps.input = f"{name}: {shown}"
            await asyncio.create_task(self.taken(name, body))

    async def taken(self, name: str, body: dict[str, Any]) -> None:
        """One body, recorded and acted on."""
        received = await self.handlers.record(body)
        if name == "dialog":
            await self.handlers.dialog(received)
        elif name == "command":
            await self.handlers.command(received)
        else:
            await self.handlers.event(received)

    def _bodies(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        self.number += 1
        ts = f"{int(time.time())}.{self.number:06}"
        said = {"type": "message", "user": "U0ANA", "ts": ts, "text": text, "blocks": _blocks(text)}
        mentioned = {**said, "text": f"<@U0TRIAGE> {text}"}
        yield "a message", self._event({**mentioned, "channel": "C0HELP", "channel_type": "channel"})
        changed = {"type": "message", "subtype": "message_changed", "message": said, "previous_message": mentioned}
        yield "an edit", self._event({**changed, "channel": "C0HELP", "ts": f"{ts}1", "channel_type": "channel"})
        yield "a direct message", self._event({**said, "ts": f"{ts}2"[:17], "channel": "D0ANA", "channel_type": "im"})
        asked = {"team_id": "T0SANDBOX", "user_id": "U0ANA", "channel_id": "C0HELP", "command": "/triage"}
        yield "command", {**asked, "text": text, "trigger_id": f"{ts}.x", "api_app_id": "A0TRIAGE", "response_url": ""}
        yield "dialog", self._dialog("bounce", text, ts)
        yield "dialog", self._dialog("edit", text, ts)

    def _event(self, event: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        known = {"type": "event_callback", "team_id": "T0SANDBOX", "api_app_id": "A0TRIAGE"}
        return {**known, "event_id": f"Ev{self.number}", "event_time": int(time.time()), "event": event}

    def _dialog(self, kind: str, text: str, ts: str) -> dict[str, Any]:
        fields = {name: {name: {"type": "plain_text_input", "value": text}} for name in ("text", "feedback", "reason")}
        view = {
            "id": f"V{ts}",
            "hash": ts,
            "callback_id": kind,
            "private_metadata": f"T0SANDBOX-C0HELP-{ts} {kind} 1 {'0' * 64}",
            "state": {"values": fields},
        }
        user = {"id": "U0OPS", "team_id": "T0SANDBOX"}
        return {
            "type": "view_submission",
            "team": {"id": "T0SANDBOX"},
            "user": user,
            "view": view,
            "api_app_id": "A0TRIAGE",
        }


def _blocks(text: str) -> list[dict[str, Any]]:
    """What Slack's own editor makes of a text."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return [{"type": "rich_text", "block_id": "b", "elements": [section]}]


async def _attack(count: int) -> Tally:
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        (folder / "shop").mkdir()
        (folder / "shop" / "orders.py").write_text(SHOP)
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        line = Line(workspace, folder)
        try:
            async with line.bot() as bot:
                handlers = bot.listeners._handler._handlers  # type: ignore[attr-defined]  # where the socket's frames go
                order_parser().warm()  # as `triage run` does
                with timed() as steps:
                    way = _Way(handlers, steps)
                    for text in hostile(count):
                        await way.all(text)
                    await asyncio.sleep(1)
        finally:
            await workspace.close()
    measured = f"longest of {steps.count:,} steps {steps.longest * 1000:.0f} ms (bar {LONGEST * 1000:.0f})"
    return Tally("hostile strings: messages, edits, commands, dialogs", 6 * count, tuple(steps.slow), measured)


def run(count: int) -> Tally:
    """So many strings, each through every way in from Slack."""
    return asyncio.run(_attack(count))
