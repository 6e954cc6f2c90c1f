"""`triage command` as a person types it, with the bot that runs on the same home."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import TypeAdapter

from bot.adapters.control_socket import ControlSocket
from bot.adapters.home import Home
from bot.cli.command import format_json, format_text
from bot.commands.command import CommandAnswer
from bot.commands.terminal import TerminalCommands
from bot.models.command_data.fields import UtcTime
from bot.models.health import Health
from tests.builders import TEAM
from tests.chat.crew import ADMIN, SMALL, echo, handler
from tests.fakes import PhoneBook, naming
from tests.forks import CLEAN, ROOT, triage

if TYPE_CHECKING:
    from bot.models.health import Role
    from tests.line.conftest import Line


ANSWERED = "&lt;is&gt; done <!date^1700000000^{time}|2023-11-14 22:13 UTC>."


async def typed(*arguments: str) -> Any:
    """`triage command` with these."""
    return await asyncio.to_thread(triage, "command", *arguments)


async def test_a_command_is_done_by_the_running_bot_and_recorded(line: Line) -> None:
    """For the only admin, or for whom it is said; an operator may not what an admin may."""
    home = ("--home", str(line.home))
    async with line.bot(more="admins: [U0ADMIN]"):
        said, refused, listed = await asyncio.gather(
            typed("status", *home), typed("pause", "--as", "U0OPS", "--json", *home), typed("hlep", *home)
        )
    assert (said.returncode, said.stdout.startswith("Running, connected to Slack"), said.stderr) == (0, True, "")
    assert refused.returncode == 4
    assert json.loads(refused.stdout) == {
        "command": "pause",
        "outcome": "refused",
        "line": "Only admins may do this. Nothing was done.",
        "rows": [],
        "data": None,
        "typed_again": None,
    }
    assert (listed.returncode, "nearest is help" in listed.stdout) == (1, True)
    gone = await typed("status", *home)
    assert (gone.returncode, gone.stdout) == (3, "")
    assert gone.stderr == f"No bot runs on {line.home}: start it with `triage run`, or name its folder with --home.\n"
    audit = [json.loads(x) for x in (line.home / "audit.ndjson").read_text().splitlines()]
    assert {(x["action"], x["user_id"], x["via"], x["outcome"]) for x in audit} == {
        ("status", "U0ADMIN", "cli", "done"),
        ("pause", "U0OPS", "cli", "refused"),
        ("hlep", "U0ADMIN", "cli", "unknown"),
    }


class Terminal:
    """A bot with the small catalogue on a socket of its own."""

    def __init__(self, home: Path, admins: tuple[str, ...] = (ADMIN,)) -> None:
        self.done: list[str] = []
        desk = TerminalCommands(
            handler=handler(catalogue=SMALL, runs={"drop": self.run, "note": echo}),
            naming=naming(PhoneBook(U0ANA="Ana Weber")),
            channel_names={"C0GONE": "help-platform"},
            admins=admins,
            team_id=TEAM,
            zone=ZoneInfo("Asia/Kolkata"),
        )
        self.desk, self.socket = desk, ControlSocket(home / "control.sock", desk)

    async def run(self, asked: Any, _: Any) -> CommandAnswer:
        """Do it."""
        self.done.append(asked.name)
        return CommandAnswer(line=f"{asked.name} {ANSWERED}")

    async def __aenter__(self) -> Terminal:
        await self.socket.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ((), 5, "add --confirm 'my shop'"),
        (("--confirm", "shop"), 4, "not the name"),
        (("--confirm", "my shop"), 0, "my shop <is> done 15 Nov 2023, 03:43 IST."),
        (("--confirm", "my shop", "--json"), 0, '"outcome": "done"'),
        (("--json",), 5, '"typed_again": "my shop"'),
    ],
)
async def test_what_nothing_takes_back_needs_its_name(
    tmp_path: Path, more: tuple[str, ...], code: int, words: str
) -> None:
    """Where there is no terminal to type it in, an option has it."""
    async with Terminal(tmp_path) as terminal:
        said = await typed("drop", "my shop", "--home", str(tmp_path), *more)
    assert (said.returncode, words in said.stdout + said.stderr) == (code, True), said
    assert terminal.done == (["my shop"] if code == 0 else [])


@pytest.mark.parametrize(("answer", "code"), [("shop", 0), ("Shop", 4), ("", 4)])
async def test_at_a_terminal_it_asks(tmp_path: Path, answer: str, code: int) -> None:
    """The name is typed there, or nothing is done."""
    mine, theirs = pty.openpty()
    async with Terminal(tmp_path) as terminal:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "command", "drop", "shop", "--home", str(tmp_path)),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env={**CLEAN, "PYTHONPATH": str(ROOT)},
        )
        os.close(theirs)
        os.write(mine, f"{answer}\n".encode())
        assert await process.wait() == code
    os.close(mine)
    assert terminal.done == (["shop"] if code == 0 else [])


@pytest.mark.parametrize(
    ("admins", "said", "outcome", "words"),
    [
        ((), {"words": ["look", "x"]}, "invalid", "Name the user"),
        (("U0A", "U0B"), {"words": ["look", "x"]}, "invalid", "Name the user"),
        ((ADMIN,), {"words": ["look", "x"], "user": "U0GUEST"}, "refused", "members of this workspace"),
        ((ADMIN,), {"words": ["look", "x"], "user": "../x"}, "invalid", "by Slack's id, such as `--as U0"),
        ((ADMIN,), {"words": ["look", "x"], "user": ""}, "invalid", "by Slack's id, such as `--as U0"),
        ((ADMIN,), {"words": "look"}, "invalid", "words"),
        ((ADMIN,), {"words": [], "role": "admin"}, "invalid", "role"),
        ((ADMIN,), {"words": ["note", "On deploys", "on", "Fridays"]}, "done", "on Fridays"),
        ((ADMIN,), {"words": ["note", "x", "<#C0GONE>, <#C0LOST>"]}, "done", "#help-platform, #C0LOST"),
    ],
)
async def test_a_request_is_judged_as_any_other(
    tmp_path: Path, admins: tuple[str, ...], said: dict[str, Any], outcome: str, words: str
) -> None:
    """Who owns the home names the person; what that person may is theirs alone."""
    answer = await Terminal(tmp_path, admins).desk.answer(said)
    assert (answer["outcome"], words in answer["line"]) == (outcome, True), answer


@pytest.mark.parametrize(("outcome", "code"), [("unknown", 1), ("invalid", 1), ("failed", 1), ("unclear", 6)])
async def test_a_monitor_tells_outcomes_by_the_exit_code(tmp_path: Path, outcome: str, code: int) -> None:
    """Whatever was not done has a code of its own where the next step differs."""

    class Answering:
        """A bot with one answer."""

        async def answer(self, _: dict[str, Any]) -> dict[str, Any]:
            """Give it."""
            return {"outcome": outcome, "line": "So it is."}

    control = ControlSocket(tmp_path / "control.sock", Answering())
    await control.open()
    said = await typed("look", "--home", str(tmp_path))
    await control.close()
    assert (said.returncode, said.stdout) == (code, "So it is.\n")


async def test_a_bot_that_dies_while_it_answers_leaves_the_outcome_unclear(tmp_path: Path) -> None:
    """The caller is told to look before the command is repeated."""

    async def drop(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_unix_server(drop, tmp_path / "control.sock"):
        said, data = await asyncio.gather(
            typed("drop", "--home", str(tmp_path)), typed("drop", "--home", str(tmp_path), "--json")
        )
    assert (said.returncode, said.stdout) == (6, "")
    assert "Check whether it was done before you repeat it" in said.stderr
    answer = json.loads(data.stdout)
    assert (data.returncode, answer["command"], answer["outcome"]) == (6, "drop", "unclear")


@pytest.mark.parametrize(
    ("words", "problem"),
    [((), "the following arguments are required: NAME\n"), (("look", "--home", ""), "argument --home: expected a fo")],
)
async def test_a_wrong_command_line_names_what_it_lacks(words: tuple[str, ...], problem: str) -> None:
    """An empty variable of a script names no folder."""
    said = await typed(*words)
    assert (said.returncode, problem in said.stderr) == (2, True), said.stderr


async def test_without_a_bot_json_has_an_object_too(tmp_path: Path) -> None:
    """It has all the fields of an answer."""
    said = await typed("look", "--home", str(tmp_path), "--json")
    answer = json.loads(said.stdout)
    assert (said.returncode, answer["outcome"], answer["rows"], answer["data"]) == (3, "not_running", [], None)
    assert answer["line"].startswith(f"No bot runs on {tmp_path}: start it")


@pytest.mark.parametrize(("role", "does"), [("standby", "stands by"), ("worker", "only investigates")])
async def test_a_replica_that_does_not_lead_names_the_place_for_the_command(
    tmp_path: Path, role: Role, does: str
) -> None:
    """Its process runs, so that nobody is told to start it."""
    home = Home(tmp_path)
    await home.lock()
    home.write_health(Health(at=datetime.now(UTC), pid=1, connected=True, role=role))
    said = await typed("status", "--home", str(tmp_path))
    home.unlock()
    assert said.returncode == 3
    assert f"{does}: another replica leads. Give the command on its machine" in said.stderr


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("note a b", ">&-", 0),
        ("note a b", "<&-", 0),
        ("note a b", ">&- <&- 2>&-", 0),
        ("drop shop", "<&-", 5),
        ("drop shop", ">&-", 5),
    ],
)
async def test_closed_streams_change_no_exit_code(tmp_path: Path, words: str, closed: str, code: int) -> None:
    """A job of a scheduler may have none of the standard streams."""
    async with Terminal(tmp_path):
        process = await asyncio.create_subprocess_shell(
            f"{sys.executable} -m bot command {words} --home {tmp_path} {closed}",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=ROOT,
            env={**CLEAN, "PYTHONPATH": str(ROOT)},
        )
        _, problems = await process.communicate()
    assert (process.returncode, b"Traceback" in problems) == (code, False), problems


def test_a_table_takes_the_place_of_the_rows_and_keeps_its_notes() -> None:
    """In a terminal; `--json` has the rows of the answer in Slack."""
    table = {"head": ["Figure", "Value"], "rows": [["Cards", "3"]], "notes": ["*Warning:* old"], "align": "right"}
    answer = {"outcome": "done", "line": "*Two* days", "rows": ["`cards` 3"], "table": table}
    assert format_text(answer, 40) == "Two days\nFigure  Value\nCards       3\nWarning: old"
    assert json.loads(format_json(answer))["rows"] == ["cards 3"]


def test_times_in_json_are_whole_seconds() -> None:
    """In UTC, as the page says."""
    at = datetime(2026, 7, 1, 10, 0, 3, 463643, tzinfo=ZoneInfo("Europe/Berlin"))
    assert TypeAdapter(UtcTime).dump_json(TypeAdapter(UtcTime).validate_python(at)) == b'"2026-07-01T08:00:03Z"'
