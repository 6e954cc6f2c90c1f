"""The lines of the local workspace: a person by curl, its faults and its clock, and its start."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
from typing import TYPE_CHECKING

import aiohttp
import pytest

from tests.documents.commands import COMMANDS
from tests.documents.pages import PAGES
from tests.forks import CLEAN, ROOT

if TYPE_CHECKING:
    from tests.line.conftest import Line

HERE = "http://127.0.0.1:8765"
SANDBOX = tuple(
    command
    for command in {each.text: each for each in COMMANDS}.values()
    if HERE in command.text or "-m sandbox" in command.text
)
CALL = re.compile(r"^(?:(?:GET|POST|DELETE) )?(?P<path>/(?:human/\w+|calls|clock|faults))$")


async def test_each_curl_line_of_the_documents_is_answered(line: Line) -> None:
    """With a bot in the workspace and a card that waits: each answer is JSON, and none is an error."""
    wrong = []
    async with line.bot():
        await line.ana.say("how often is a payment tried again?")
        await line.olu.card("Approve")
        for command in (each for each in SANDBOX if "curl" in each.text):
            text = re.sub(r"\bcurl ", "curl -sS --fail-with-body ", command.text.replace(HERE, line.workspace.url))
            process = await asyncio.create_subprocess_exec(
                *("bash", "-ec", text), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
            out, err = await process.communicate()
            if process.returncode or not (answers := read_answers(out.decode())) or not all(map(is_fine, answers)):
                wrong.append(f"{command.where}: {command.text}: {out.decode()[-300:]} {err.decode()}")
    assert not wrong, "\n".join(wrong)


def read_answers(text: str) -> list[object]:
    """The JSON values that several calls printed one after the other."""
    answers, decoder = [], json.JSONDecoder()
    while text := text.strip():
        value, end = decoder.raw_decode(text)
        answers.append(value)
        text = text[end:]
    return answers


def is_fine(answer: object) -> bool:
    """Return whether an answer is no refusal."""
    return not isinstance(answer, dict) or answer.get("ok", True) is True


async def test_each_call_that_the_documents_name_is_one_of_the_workspace(line: Line) -> None:
    """As a code span, or as the first cell of a table of calls."""
    named = {
        (page.at(span), match["path"]) for page in PAGES for span in page.spans if (match := CALL.match(span.text))
    }
    for page in PAGES:
        for table in re.findall(r"^\| `POST /human/…` \|.*\n\|[-| ]+\n((?:\|.*\n)+)", page.text, re.MULTILINE):
            for row in table.splitlines():
                named |= {
                    (page.name, f"/human/{name}")
                    for name in re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row.split("|")[1]))
                }
    assert len(named) > 20
    async with aiohttp.ClientSession(line.workspace.url) as session:
        missing = []
        for where, path in named:
            async with session.options(path) as answer:  # 405: it is there, for other methods
                missing += [f"{where}: {path}"] if answer.status == 404 else []
    assert missing == []


@pytest.mark.long
async def test_each_start_of_the_workspace_prints_its_address() -> None:
    """At a free port."""
    wrong = []
    for command in (each for each in SANDBOX if "-m sandbox" in each.text):
        words = shlex.split(command.text.replace("8765", "0"))
        variables = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
        rest = words[len(variables) + 1 :]
        rest += [] if "--port" in rest else ["--port", "0"]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *rest),
            cwd=ROOT,
            env={**CLEAN, **variables, "PYTHONUNBUFFERED": "1", "PATH": os.environ["PATH"]},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        first = await asyncio.wait_for(process.stdout.readline(), 30)
        process.terminate()
        _, err = await process.communicate()
        if b"127.0.0.1" not in first:
            wrong.append(f"{command.where}: {command.text}: {first!r} {err.decode()[-300:]}")
    assert not wrong, "\n".join(wrong)
