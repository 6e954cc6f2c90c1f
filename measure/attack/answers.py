"""Hostile strings in what models answer and in what a repository holds, read by agents of a running bot.

A scripted model stands for each agent. Its calls have strings as inputs and read files, names and commits made of
strings; its findings, verdicts and replies are made of them too.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from bot.models.findings import MAX_DRAFT_CHARS, MAX_GLOSS_CHARS, MAX_NOTE_CHARS
from tests.line.human import Human
from tests.line.play import CITED, found, judged
from tests.model_server import calls, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.wiring.lifecycle import Bot
    from measure.attack.steps import Steps
    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

MODELS = "answers of models, and a repository that they read"
_CALLS = 8
_TURNS = 3
"""Turns in which an agent calls tools before it answers."""


_STANDS = {
    "kind": "file",
    "ref": "orders.py:3-4",
    "supports_claim": "The limit stands there.",
    "quote": CITED,
}


@dataclass
class Hostile:
    """Answers every request; `used` counts the strings of its own, `read` those of the repository that it asked for."""

    texts: Iterator[str]
    files: Iterator[str]
    used: int = 0
    read: int = 0
    shas: list[str] = field(default_factory=list)

    def __call__(self, body: Body) -> Answer:
        names = {tool["name"] for tool in body["tools"]}
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if turn < _TURNS:
            return calls(*self._calls(body["tools"]), said=self._text(4_000))
        if "respond" in names:
            return calls(("respond", {"text": self._text(2_900)}), said=self._text())
        if self.used % 5 == 0:
            return says(self._text())
        return self._findings() if "search" in names else self._verdict()

    def _text(self, most: int = 40_000) -> str:
        self.used += 1
        return next(self.texts)[:most]

    def _findings(self) -> Body:
        draft = " ".join(self._text(MAX_DRAFT_CHARS).split(" ")[:280]) or "x"
        note = {"filename": self._text(190) or "x", "content": self._text(MAX_NOTE_CHARS) or "x"}
        reference = {"kind": "file", "ref": f"orders.py:{self._text(300)}", "supports_claim": self._text(2_000)}
        more = {"question_gloss": self._text(MAX_GLOSS_CHARS), "confidence_reason": self._text(4_000)}
        return found(
            draft_reply=draft,
            quote=self._text(4_000),
            proposed_triage_file=note,
            open_questions=[self._text(3_000)],
            alternatives_dropped=[self._text(3_000)],
            evidence_refs=[
                {**reference, "quote": self._text(4_000)},
                *json.loads(found()["content"][0]["text"])["evidence_refs"],
            ],
            **more,
        )

    def _verdict(self) -> Body:
        return judged(reasons=[self._text(4_000)], spot_check_note=self._text(4_000), spot_check_ref=self._text(400))

    def _calls(self, offered: list[dict[str, Any]]) -> list[tuple[str, Any]]:
        made: list[tuple[str, Any]] = []
        for tool in islice(cycle(offered), _CALLS):
            kinds = tool["input_schema"].get("properties", {})
            made.append((tool["name"], {key: self._value_for(key, kind) for key, kind in kinds.items()}))
        return made

    def _value_for(self, key: str, kind: dict[str, Any]) -> Any:
        if "integer" in json.dumps(kind):
            return 1
        if key == "path":
            self.read += 1
            return next(self.files)
        if key in ("ref", "sha", "commit") and self.shas:
            self.read += 1
            return self.shas[self.read % len(self.shas)]
        return self._text(kind.get("maxLength") or 2_000)


def repository(folder: Path, texts: list[str]) -> tuple[list[str], list[str]]:
    """A repository in which each string is a file, a file's name and a commit; the paths, and the commits' ids."""
    stream, paths = [], []
    for number, text in enumerate(texts):
        name = "".join(char for char in text if char.isprintable() and char not in '/\\"')[:60].strip(" .-~") or "x"
        path = f"{number}/{name}.py"
        paths.append(path)
        content, message = (
            text.encode("utf-8", "replace"),
            (text[:8_000].encode("utf-8", "replace").replace(b"\0", b"") or b"x"),
        )
        who = "".join(char for char in text[:100] if char.isprintable() and char not in "<>\n").strip() or "x"
        (folder / path).parent.mkdir()
        (folder / path).write_bytes(content)
        author = f"committer {who} <a@b.c> {1_700_000_000 + number} +0000".encode("utf-8", "replace")
        stream += [
            b"commit refs/heads/main\n%s\ndata %d\n%s\n" % (author, len(message), message),
            b'M 100644 inline "%s"\ndata %d\n%s\n' % (path.encode("utf-8", "replace"), len(content), content),
        ]
    program = shutil.which("git") or "git"
    for command, given in (("init -q -b main", b""), ("fast-import --quiet", b"".join(stream)), ("reset -q", b"")):
        subprocess.run([program, *command.split()], cwd=folder, check=True, input=given)
    ids = subprocess.run([program, "log", "--format=%H"], cwd=folder, check=True, capture_output=True, text=True)
    return paths, ids.stdout.split()


async def talk(count: int, line: Line, bot: Bot, model: Hostile, steps: Steps) -> None:
    """Ask and chat until the model has used so many strings, and has asked for as much of the repository."""
    people = (
        ("U0ANA", "C0HELP", "<@U0TRIAGE> where is RETRY_LIMIT {} set?"),
        ("U0OPS", "D0OPS", "hello there, how are you {}?"),
    )
    async with asyncio.timeout(240):
        while model.used < count or model.read < count:
            before = model.used
            for user, channel, text in people:
                steps.now = (MODELS, f"after {model.used} strings")
                await Human(line.workspace.url, user).say(text.format(model.used), channel=channel)
            for _ in range(200):
                await asyncio.sleep(0.05)
                if model.used > before and not bot.core.orchestrator.running:
                    break
