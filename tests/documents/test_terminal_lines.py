"""Each `triage` line of the documents, typed in a terminal: beside a bot that runs, and without one."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from bot.__main__ import _parse
from tests.adapters.test_slack_export import contents, says, zipped
from tests.cli.test_doctor_model import able
from tests.cli.test_retrain import labels
from tests.documents.commands import COMMANDS, Command
from tests.forks import CLEAN, PATIENCE, ROOT, begun, terminal, triage
from tests.line.conftest import Line
from tests.line.human import until
from tests.line.play import Play
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.forks import Begun
    from tests.model_server import Answer, Body

SUDOERS = "triage ALL="
"""A line of another file that begins with the name of a user."""

TERMINAL = tuple(
    command
    for command in {each.text: each for each in sorted(COMMANDS, key=lambda each: each.is_in_block)}.values()
    if re.search(r"^triage |\| triage ", command.text) and not command.text.startswith(SUDOERS)
)

WORDS = {
    "C0123ABCD": "C0HELP",
    "U0123ABCD": "U0ADMIN",
    "/srv/platform": "{folder}/shop",
    "--user ID": "--user U0ANA",
    "--root DIR": "--root {folder}/shop",
    "--task DIR": "--task {folder}/run",
    "--labels FILE": "--labels ~/.triage/labels.ndjson",
    "replay FILE": "replay export.zip",
    "eval [FILE]": "eval",
    "COMMAND --help": "run --help",
    "command NAME": "command status",
    "attach THREAD": "attach {task}",
    "attach TASK": "attach {task}",
    "~/.triage-demo/demo/": "{folder}/",
    "http://127.0.0.1:11434": "{model}",
    "--http 3000": "--http 0",
    "--health-port 9090": "--health-port 0",
}
"""What stands for something of the reader's own, and what it is here."""

BESIDE_A_BOT = ("command", "alive", "attach", "doctor --json --running")
"""Lines for a bot that runs, by how they begin."""
SERVERS = ("run", "demo")
"""Lines that run until they are stopped."""
SLOW = ("selftest", "retrain", "eval", "drill", "doctor --model")
"""Lines that take seconds: `make test-long` runs them, and those within sentences; the suite reads their arguments."""
STARTS_WITHIN = 120
"""Seconds until a server that has not started counts as stuck."""
EXITS = {
    "attach": (1, "no run of tier 2 or 3 is known here"),
    "drill --project": (2, "--yes starts it"),
    "drill": (2, "expected the name of a project of triage.yml"),
    "drill --project backend --dry-run": (0, "asked:"),
    "eval questions.jsonl --engine keyword": (2, "--yes starts it"),
    "report --baseline slack": (2, "no watched channel has a message"),
    "db": (2, "TRIAGE_DATABASE_URL is not set"),
    "headless": (2, "expected the folder of a run with its task.json"),
}
"""Lines that end otherwise than well here, by how they begin: the exit code, and what is said."""
INCOMPLETE = re.compile(
    r"arguments? (are|is) required|is required$|are required|expected (one|at least one) argument", re.MULTILINE
)
"""What is said of a line within a sentence that only names a subcommand or an option."""


_SHELL = re.compile(r"[|<>]")

SETTINGS = """
admins: [U0ADMIN]
model: {{base_url: '{model}', max_retries: 0}}
"""
EVENT = {"ref": "orders.py:3", "quote": "RETRY_LIMIT = 3"}
QUESTION = {"question": "how often is a payment tried again?", "project": "shop", "places": ["orders.py:3-4"]}


@dataclass
class Desk(Line):
    """A person's folder: settings, what the documents name, and the home where it is by default."""

    model: str = ""
    task: str = ""

    @property
    def home(self) -> Path:
        """Where the bot's state lies."""
        return self.folder / ".triage"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the person's shell."""
        return {**self.variables, "HOME": str(self.folder), "ANTHROPIC_API_KEY": "-".join(("sk", "ant", "test"))}

    def fill_in(self, text: str) -> str:
        """Put what there is here in place of the documents' names."""
        for name, value in WORDS.items():
            text = text.replace(name, value.format(folder=self.folder, model=self.model, task=self.task))
        return text

    def arguments(self, text: str) -> list[str]:
        """The words after `triage`, as a shell hands them over."""
        words = shlex.split(self.fill_in(text))[1:]
        return [f"{self.folder}{word[1:]}" if word.startswith("~/") else word for word in words]

    def run(self, text: str) -> subprocess.CompletedProcess[str]:
        """Type a line, in a shell if it needs one."""
        if _SHELL.search(text) or text.startswith("triage eval"):  # which builds an index of all code
            return self._run_in_shell(self.fill_in(text))
        stdin = json.dumps(EVENT) if "check-evidence" in text else json.dumps({"text": "why?"})
        return triage(*self.arguments(text), stdin=stdin, cwd=self.folder, variables=self.environment)

    def _run_in_shell(self, text: str) -> subprocess.CompletedProcess[str]:
        shim = self.folder / "bin" / "triage"
        shim.parent.mkdir(exist_ok=True)
        shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m bot "$@"\n')
        shim.chmod(0o755)
        more = {"PATH": f"{shim.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", text],  # noqa: S607  # the shell of the documents
            env={**CLEAN, **self.environment, **more},
            cwd=self.folder,
            text=True,
            capture_output=True,
            timeout=300,
            check=False,
        )

    def lay_out(self) -> None:
        """Write the files that the documents name."""
        (self.folder / "backend").mkdir()
        (self.folder / "backend" / "limits.py").write_text("".join(f"LIMIT_{n} = {n}\n" for n in range(3, 13)))
        self.writes(more=SETTINGS.format(model=self.model), projects="  backend: {root: ./backend}")
        (self.folder / "questions.jsonl").write_text(json.dumps(QUESTION))
        channel = {"id": "C0HELP", "name": "help-platform"}
        files = contents(help=[says("where is the limit set?"), says("thanks", "1767603700.1")])
        files = {name.replace("help/", "help-platform/"): text for name, text in files.items()}
        zipped(self.folder / "export.zip", files | {"channels.json": json.dumps([channel])})


@asynccontextmanager
async def opened_desk(line: Line) -> AsyncIterator[Desk]:
    """A folder with settings and a model that plays its part."""
    play = Play()

    def answer(body: Body) -> Answer:
        is_agent = len(body.get("tools", ())) > 1 or "validator" in json.dumps(body.get("system", ""))
        return play(body) if is_agent else able(body)

    async with ModelServer(answer) as server:
        desk = Desk(line.workspace, line.folder, line.slack_time, model=server.url)
        desk.lay_out()
        yield desk


def begins(command: Command, beginnings: tuple[str, ...]) -> str:
    """Return the one of these beginnings that a line has after `triage`; the longest of several."""
    line = command.text.removeprefix("triage ")
    fitting = [each for each in beginnings if line == each or line.startswith(f"{each} ")]
    return max(fitting, key=len, default="")


def is_server(command: Command) -> bool:
    """Return whether a line runs until it is stopped."""
    return bool(begins(command, SERVERS)) and "--help" not in command.text


def select(*, in_suite: bool, beside: bool) -> list[Command]:
    """The lines that end by themselves, for a running bot or not: those of the suite, or the others."""
    return [
        command
        for command in TERMINAL
        if bool(begins(command, BESIDE_A_BOT)) == beside
        and not is_server(command)
        and not begins(command, ("init",))
        and (command.is_in_block and not begins(command, SLOW)) == in_suite
    ]


def judge(command: Command, done: subprocess.CompletedProcess[str]) -> list[str]:
    """Say what is wrong with the end of a line, if anything is."""
    code, words = EXITS.get(begins(command, tuple(EXITS)), (0, ""))
    told = done.stdout + done.stderr
    is_name = not command.is_in_block and done.returncode == 2 and INCOMPLETE.search(told)
    if is_name or (done.returncode == code and words in told and "Traceback" not in told):
        return []
    return [f"{command.where}: {command.text}: exit code {done.returncode}, expected {code}: {told[-400:]}"]


def test_each_triage_line_of_the_documents_is_one_that_the_program_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Subcommand, options and their values; one within a sentence may leave out what it is about.

    A line that fails is wrong, or has a placeholder that `WORDS` does not know yet.
    """
    wrong = []
    desk = Desk(None, tmp_path, model="http://127.0.0.1:1", task="limit")  # type: ignore[arg-type]  # no workspace is needed
    for command in TERMINAL:
        if command.text.startswith("triage ") and not _SHELL.search(command.text):
            problem = parse(desk.arguments(command.text), capsys)
            if problem and (command.is_in_block or not INCOMPLETE.search(problem)):
                wrong.append(f"{command.where}: {command.text}: {problem}")
    assert not wrong, "\n".join(wrong)


def parse(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Read a command line as the program does; the answer is what it says is wrong."""
    try:
        _parse(words)
    except SystemExit as end:
        return capsys.readouterr().err if end.code else ""
    return ""


@pytest.mark.parametrize("in_suite", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_each_triage_line_of_the_documents_ends_well(line: Line, *, in_suite: bool) -> None:
    """Beside the bot of `triage run`, and after its end.

    A line that fails is wrong, or names something that this test has to lay out: `WORDS`, `lay_out`, `EXITS`.
    """
    wrong = []
    async with opened_desk(line) as desk:
        await line.ana.say("where is an order cancelled?", channel="C0GENERAL")
        with begun("run", cwd=desk.folder, variables=desk.environment) as bot:
            await until(lambda: "Triage is ready" in bot.out.read_text())
            await line.ana.say("how often is a payment tried again?")
            await line.olu.card("Approve")
            desk.task = next(path.name for path in (desk.home / "tasks").iterdir())
            for command in select(in_suite=in_suite, beside=True):
                wrong += judge(command, await asyncio.to_thread(desk.run, command.text))
            assert await asyncio.to_thread(bot.stopped) == 0, bot.err.read_text()
        labels(desk.home / "labels.ndjson")
        for command in select(in_suite=in_suite, beside=False):
            wrong += judge(command, await asyncio.to_thread(desk.run, command.text))
    assert not wrong, "\n".join(wrong)


async def test_init_asks_as_the_documents_say(line: Line) -> None:
    """In an empty folder, at a terminal; with all answers on the line it asks nothing."""
    wrong = []
    async with opened_desk(line) as desk:
        for number, command in enumerate(each for each in TERMINAL if begins(each, ("init",))):
            (folder := desk.folder / f"setup{number}").mkdir()
            words = desk.arguments(command.text)
            code, shown = await asyncio.to_thread(set_up, words, folder, desk.environment)
            if code or "Next: triage run" not in shown:
                wrong.append(f"{command.where}: {command.text}: {shown}")
    assert not wrong, "\n".join(wrong)


ANSWERS = {"The bot is in": "help-platform", "The operator": "olu", "The project": "../shop"}
"""What `triage init` asks, and what is answered."""


def set_up(words: list[str], folder: Path, variables: dict[str, str]) -> tuple[int | None, str]:
    """Answer what is asked; the answer is the exit code and all that is shown."""
    with terminal() as at, begun(*words, cwd=folder, variables=variables, at=at) as command:
        shown = ""
        if "--yes" not in words:
            for question, answer in (
                ("The bot is in", "help-platform"),
                ("The operator", "olu"),
                ("The project", "../shop"),
            ):
                shown += at.read_until(question)
                at.type(f"{answer}\n")
        shown += at.read_until("Next: triage run")
        command.process.join(PATIENCE)
        return command.process.exitcode, shown


def has_said(server: Begun, words: str) -> bool:
    """Return whether a server has printed these words, or has ended."""
    return words in server.out.read_text() or not server.process.is_alive()


@pytest.mark.long
async def test_each_server_of_the_documents_starts_and_stops(line: Line) -> None:
    """`triage run` and `triage demo` with each of their options, at free ports."""
    wrong = []
    async with opened_desk(line) as desk:
        for command in filter(is_server, TERMINAL):
            is_demo = command.text.startswith("triage demo")
            words = [*desk.arguments(command.text), *(("--port", "0") if is_demo else ())]
            words += ["0"] if words[-1] in ("--http", "--health-port") else []
            more = {} if is_demo else {"SLACK_SIGNING_SECRET": "8f" * 16}
            with begun(*words, cwd=desk.folder, variables={**desk.environment, **more}) as server:
                ready = "Stop " if is_demo else "Triage is ready"
                for _ in range(STARTS_WITHIN):
                    if has_said(server, ready):
                        break
                    await asyncio.to_thread(server.process.join, 1)
                code = await asyncio.to_thread(server.stopped)
                if code or ready not in server.out.read_text():
                    wrong.append(f"{command.where}: {command.text}: {code}: {server.err.read_text()[-400:]}")
    assert (desk.folder / ".triage-demo/demo/parcels/parcels/tracking.py").is_file()
    assert not wrong, "\n".join(wrong)
