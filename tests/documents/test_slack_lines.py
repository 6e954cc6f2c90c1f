"""Each `/triage`, `!triage` and `@Triage` line of the documents, typed by an admin in the local workspace."""

from __future__ import annotations

import json
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.parsing import parse_line
from tests.adapters.workspace_bench import git
from tests.documents.commands import COMMANDS, Command
from tests.forge_server import VARIABLE, ForgeServer
from tests.line.conftest import SHOP
from tests.line.human import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.line.conftest import Line

SLACK = tuple(command for command in COMMANDS if command.program in ("/triage", "!triage", "@Triage"))

CHANNELS = ("deploys", "help-shop", "help-parcels")
"""Channels that the documents name, beside those of the workspace."""

SETTINGS = """
admins: [U0ADMIN]
projects_below: [{folder}/srv]
repository_hosts: [code.test]
watch: {{chat_id: C0HELP}}
health:
  services: [{{name: shop, checks: [{{type: http, url: "http://127.0.0.1:9/health"}}]}}]
commands:
- {{name: count-lines, argv: [wc, -l, --, "{{path}}"], parameters: {{path: {{type: path}}}}}}
forges:
- {{kind: gitlab, folder: {folder}/srv/git, token_env: {variable}, api_url: "{forge}/api/v4"}}
"""

BEFORE = ("set_active_project shop",)
"""Lines that come before all others: a person with several projects has chosen one."""

AFTER = {"stop": "resume", "pause": "resume", "mode #help-platform silent": "mode #help-platform live"}
"""Lines that take back what would be in the way of the next ones."""

WORDS = {
    "create_project shop https": "create_project second https",
    "https://github.com/example": "https://code.test/example",
    "/srv/": "{folder}/srv/",
    "#channel": "#help-platform",
    "<link>": "{link}",
    "<usd>": "1",
    "TASK": "{task}",
}
"""What stands for something of the reader's own, and what it is here."""

EXPECTED = {
    "edit_task": ("invalid", "only a task that has not started, or was stopped, can be edited"),
}
"""Lines of blocks that may be refused here, with the reason that they are told."""

_TASK = re.compile(r"(?P<head>[a-z]+(?:-[a-z]+)*)-\d{4}-\d{4}-[a-z0-9]{6}")
DONE = ("done", "asked")
NAMES = {name for spec in CATALOGUE.values() for name in (spec.name, *spec.also)}


class Reader:
    """An admin who types what the documents say."""

    def __init__(self, line: Line, words: dict[str, str], thread: str) -> None:
        self.line = line
        self.words = words
        self.thread = thread
        self.tasks: list[str] = []

    def fill_in(self, text: str) -> str:
        """Put what there is here in place of the documents' names."""
        for name, value in WORDS.items():
            text = text.replace(name, value.format(**self.words))
        return _TASK.sub(lambda match: self._find_task(match["head"]) or match[0], text)

    def _find_task(self, head: str) -> str:
        return next((task for task in reversed(self.tasks) if task.startswith(head)), "")

    async def type(self, text: str) -> tuple[str, str]:
        """Type a command; the answer is its outcome and what is said."""
        before = len(self.records())
        answer = await self.line.ada.command(text)
        self.tasks += [match[0] for match in _TASK.finditer(answer)]
        await until(lambda: len(self.records()) > before)
        outcome = self.records()[before]["outcome"]
        if outcome == "asked" and text.startswith("push"):
            await self.line.ada.press("command_confirm", await self.line.ada.card("command_confirm", "Push"))
            await until(lambda: self.records()[-1]["outcome"] == "done")
        return outcome, answer

    async def give(self, text: str) -> tuple[str, str]:
        """Type a slash command, or say another one in the thread of the question; the same answer."""
        if text.startswith("/triage "):
            return await self.type(text.removeprefix("/triage "))
        before = len(self.records())
        await self.line.ada.say(text, thread_ts=self.thread)
        await until(lambda: len(self.records()) > before)
        return self.records()[before].get("outcome", "done"), ""

    def records(self) -> list[dict[str, Any]]:
        """The audit so far."""
        path = self.line.home / "audit.ndjson"
        return [json.loads(row) for row in path.read_text().splitlines()] if path.exists() else []


def judge(command: Command, outcome: str, answer: str) -> str:
    """Say what is wrong with the answer to a line; empty if nothing is."""
    name = command.text.split()[1]
    wanted, reason = EXPECTED.get(name, ("", ""))
    if outcome == wanted and reason in answer:
        return ""
    if outcome in DONE or (not command.is_in_block and outcome != "unknown"):
        return ""
    return f"{command.where}: {command.text}: {outcome}: {answer}"


def test_each_slack_line_of_the_documents_is_a_command() -> None:
    """By the parser that reads them all; what follows `@Triage` is an order that rules take."""
    unknown = [
        f"{command.where}: {command.text}"
        for command in SLACK
        for text in [command.text.split(maxsplit=1)[1]]
        if parse_line(text)[0] not in NAMES and (command.program != "@Triage" or text != "mute")
    ]
    assert not unknown, "\n".join(unknown)


@pytest.mark.parametrize("in_blocks", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_each_slack_line_of_the_documents_is_answered(
    line: Line, monkeypatch: pytest.MonkeyPatch, *, in_blocks: bool
) -> None:
    """A line of a block is done, or waits for its confirmation; one within a sentence is at least a command.

    A line that fails is wrong, or names something that this test has to set up: `SETTINGS`, `CHANNELS`, `WORDS`.
    """
    wrong: list[str] = []
    async with opened_shop(line, monkeypatch) as reader:
        for command in {each.text: each for each in SLACK if each.is_in_block == in_blocks}.values():
            text = reader.fill_in(command.text)
            outcome, answer = await reader.give(text)
            wrong += [fault] if (fault := judge(command, outcome, answer)) else []
            for name, back in AFTER.items():
                if text.endswith(f" {name}"):
                    await reader.type(back)
            for tree in line.home.glob("checkouts/.work/shop-*/trees/fix-flyout/"):
                (tree / "flyout.py").write_text("CLOSES_ON_BLUR = True\n")
    assert not wrong, "\n".join(wrong)


@asynccontextmanager
async def opened_shop(line: Line, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Reader]:
    """A bot with all that the documents name, a question that waits for a decision, and the admin."""
    remote = open_shop(line.folder)
    async with ForgeServer(folder=line.folder / "srv" / "git") as forge:
        for name, value in forge.variables.items():
            monkeypatch.setenv(name, value)
        chats = [await line.ada.makes_channel(name, "U0TRIAGE", is_private=False) for name in CHANNELS]
        watched = "\n".join(
            f"- {{chat_id: {chat}, name: {name}, mode: live}}" for chat, name in zip(chats, CHANNELS, strict=True)
        )
        more = SETTINGS.format(folder=line.folder, forge=forge.url, variable=VARIABLE)
        async with line.bot(more=more, chats=watched, code=f"repository: {remote}") as bot:
            asked = await line.ana.say("how often is a payment tried again?")
            await line.olu.card("Approve")
            (thread_id,) = bot.core.orchestrator.open_threads.ids()
            thread = await bot.core.store.load(thread_id)
            assert thread
            link = f"{line.workspace.url}/archives/C0HELP/p{asked.replace('.', '')}"
            reader = Reader(line, {"folder": str(line.folder), "link": link, "task": str(thread.task)}, asked)
            for text in BEFORE:
                await reader.type(text)
            yield reader


def open_shop(folder: Path) -> Path:
    """Make the repository of the shop, as a forge has it, and the folder of another project."""
    (folder / "srv" / "projects" / "parcels").mkdir(parents=True)
    (folder / "srv" / "git" / "team").mkdir(parents=True)
    shop = folder / "shop"
    for name, text in {"orders.py": SHOP, "src/app.py": "A = 1\n", "docs/limits.md": "# Limits\n\nThree.\n"}.items():
        (shop / name).parent.mkdir(exist_ok=True)
        (shop / name).write_text(text)
    git(shop, "init", "-q", "-b", "main")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "Open the shop")
    git(folder, "clone", "-q", "--bare", str(shop), str(folder / "srv" / "git" / "team" / "shop.git"))
    return folder / "srv" / "git" / "team" / "shop.git"
