"""A question that goes through all three tiers, to watch: `make escalation`, or `python -m measure.escalation`.

Bot, processes of tiers 2 and 3, tmux, tools, git, evidence check, handoffs and HTTP calls are real, in the local
workspace. **The model is scripted**: its words were written by hand, so this shows how an escalation goes, never how
good a model is. Tier 1 reads the code and asks for more; tier 2 searches the history of the repository, and hands over;
tier 3 finds the removed file, and the card comes back. With `--stay` the page stays open, so that the card can be
approved.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure.escalation_history import AFTER, CLAUSE, CONTRACT, History, write_history
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, Line
from tests.line.play import judged
from tests.model_server import ModelServer, calls, says
from tests.model_stream import COMPLETE, send_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

    from tests.line.human import Human, View
    from tests.model_server import Answer, Body

QUESTION = "why is a payment tried only three times, and since when?"
ANSWER = "Since 1 September 2025: the bank blocks a card after four failed tries in a day"
EVERY = 0.1
"""Seconds between two looks at the transcripts."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """Result of the demonstration."""

    card: View
    chain: str
    """Answer of the command `chain`."""
    transcripts: tuple[str, ...]


def _findings(**changes: Any) -> Body:
    fields = {
        "confidence": "medium",
        "confidence_reason": "The limit was opened; its reason was not found yet.",
        "summary_for_orchestrator": "A payment is tried three times; the reason is not in the code.",
        "draft_reply": "A payment is tried three times (`orders.py:3`).",
        "draft_language": "en",
        "evidence_refs": [
            {"kind": "file", "ref": "orders.py:3", "supports_claim": "The limit.", "quote": AFTER.strip()}
        ],
        "research_notes": "Read orders.py. The code says nothing of the reason for the limit.",
    }
    return says(json.dumps(fields | changes))


@dataclass
class Script:
    """Recorded answers of the model by tier and turn, each given after `pace` seconds."""

    history: History
    pace: float = 0.0
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Role and text of each request."""

    def __call__(self, body: Body) -> Answer:
        """Answer a request."""
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        role = _find_role(body)
        self.asked.append((role, json.dumps([body["system"], body["messages"]], ensure_ascii=False)))
        turns = self._turns()[role]
        message = turns[min(turn, len(turns) - 1)]

        async def answer(request: web.Request) -> web.StreamResponse:
            await asyncio.sleep(self.pace)
            return await send_message(request, request[COMPLETE](message))

        return answer

    def _turns(self) -> dict[str, tuple[Body, ...]]:
        limit, removal = self.history.limit_commit, self.history.removal_commit
        near = {"path": CONTRACT, "first": 1, "count": 3, "ref": limit}
        orders = calls(("read_file", {"path": "orders.py"}))
        return {
            "tier 1": (
                calls(("search", {"text": "RETRY_LIMIT"}), said="I look for the limit."),
                orders,
                _findings(
                    escalation_requested=True,
                    escalation_reason="The reason is not in the code; the history has to be searched.",
                ),
            ),
            "tier 2": (
                orders,
                calls(("git_log", {"path": "orders.py"}), said="I search the history of the file."),
                calls(("git_show", {"ref": limit})),
                calls(("read_file", {"path": CONTRACT}), said="The commit names a contract."),
                _findings(
                    escalation_requested=True,
                    escalation_reason="The contract that the commit names is gone.",
                    summary_for_orchestrator=f"The limit is three since commit {limit[:12]}; the contract is gone.",
                    research_notes=f"The limit was five until commit {limit[:12]}, which names {CONTRACT}.",
                    tried=[f"read {CONTRACT}: it does not exist any more"],
                    missing=f"the clause of {CONTRACT}, from a commit before its removal",
                ),
            ),
            "tier 3": (
                orders,
                calls(("git_log", {"path": CONTRACT}), said="I look for the commits of the removed file."),
                calls(("git_show", {"ref": removal})),
                calls(("git_blame", near), said="I open it as it was before."),
                self._answer(limit),
            ),
            "validator": (calls(("read_file", {"path": "orders.py"})), judged(spot_check_ref="orders.py:3")),
        }

    def _answer(self, limit: str) -> Body:
        clause = {"ref": f"{CONTRACT}:3", "quote": CLAUSE.strip(), "commit": limit, "supports_claim": "The reason."}
        return _findings(
            confidence="high",
            confidence_reason="The limit, its commit and the clause were opened.",
            summary_for_orchestrator="The limit is three since the bank's contract of September 2025.",
            draft_reply=f"{ANSWER} (`{CONTRACT}:3`, removed since), so `RETRY_LIMIT = 3` (`orders.py:3`).",
            evidence_refs=[
                {"kind": "file", "ref": "orders.py:3", "supports_claim": "The limit.", "quote": AFTER.strip()},
                {"kind": "file", **clause},
                {"kind": "git_commit", "ref": limit, "supports_claim": "The change of the limit."},
            ],
            research_notes="Found the contract in the commit before its removal.",
        )


def _find_role(body: Body) -> str:
    if len(body["tools"]) == 1:
        return "validator"
    whole = json.dumps([body["system"], body["messages"]])
    return next((f"tier {tier}" for tier in (3, 2) if f"This is tier {tier} of 3" in whole), "tier 1")


@dataclass
class Narrator:
    """Narrator of the transcripts of all runs of a home, line by line."""

    home: Path
    say: Callable[[str], None]
    _read: dict[int, int] = field(default_factory=dict)
    """Bytes that were read of each file, by its inode: a finished run's folder is renamed."""

    async def watch(self) -> None:
        """Tell each new line until cancelled."""
        while True:
            self.tell_new()
            await asyncio.sleep(EVERY)

    def tell_new(self) -> None:
        """Tell the lines that came since the last look."""
        for path in sorted((self.home / "escalations").rglob("transcript.log"), reverse=True):
            with suppress(FileNotFoundError):
                inode, content = path.stat().st_ino, path.read_bytes()
                whole = content[: content.rfind(b"\n") + 1]
                for line in whole[self._read.get(inode, 0) :].decode(errors="replace").splitlines():
                    self.say(f"    {line}")
                self._read[inode] = len(whole)


async def play(folder: Path, *, pace: float, port: int, say: Callable[[str], None], stay: bool = False) -> Played:
    """Ask the question in a workspace of its own; return the card, and the chain of its sessions."""
    history = write_history(folder / "shop")
    workspace = await Sandbox.start(port=port, manifest=MANIFEST)
    line, script = Line(workspace, folder), Script(history, pace)
    narrator = Narrator(line.home, say)
    try:
        async with ModelServer(script) as server:
            more = f"engine: claude\nmodel: {{base_url: '{server.url}', max_retries: 0}}\nadmins: [U0ADMIN]\n"
            async with line.bot(more=more):
                say(f"Page    {workspace.url}/?as=U0OPS\nWatch   triage attach --home {line.home}\n\nAna: {QUESTION}\n")
                told = asyncio.create_task(narrator.watch())
                try:
                    await line.ana.say(QUESTION)
                    card = await _wait_for_card(line.olu)
                finally:
                    told.cancel()
                narrator.tell_new()
                chain = await line.olu.command(f"chain {_find_thread(line.home)}")
                say(f"\nThe card:\n{_read_text(card)}\n\n/triage chain\n{chain}")
                if stay:
                    say(f"\nApprove it as Olu: {workspace.url}/?as=U0OPS. Ctrl-C ends.")
                    await asyncio.Event().wait()
    finally:
        await workspace.close()
    paths = sorted((line.home / "escalations").rglob("transcript.log"))
    return Played(card=card, chain=chain, transcripts=tuple(path.read_text() for path in paths))


async def _wait_for_card(operator: Human) -> View:
    return await operator.card("Since 1 September 2025", '"approve"')


def _find_thread(home: Path) -> str:
    (path,) = (home / "state").glob("*.json")
    return path.stem


def _read_text(card: View) -> str:
    """Return the words of a card without its buttons."""
    texts: list[str] = []

    def collect(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(text := part.get("text"), str):
                texts.append(text)
            for child in part.values() if part.get("type") != "actions" else ():
                collect(child)
        elif isinstance(part, list):
            for child in part:
                collect(child)

    collect(card["blocks"])
    return "\n".join(f"    {line}" for text in texts for line in text.splitlines())


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the output


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pace", type=float, default=1.5, metavar="SECONDS", help="time of each answer (default: 1.5)")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of the page (default: any)")
    parser.add_argument("--stay", action="store_true", help="keep the page open until Ctrl-C")
    options = parser.parse_args()
    home = tempfile.TemporaryDirectory(prefix="triage-escalation-", ignore_cleanup_errors=True)
    with home as folder, suppress(KeyboardInterrupt):
        asyncio.run(play(Path(folder), pace=options.pace, port=options.port, say=_say, stay=options.stay))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
