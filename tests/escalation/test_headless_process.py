"""`triage headless` as a process: its exit codes, its end by signals, and a second start."""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from pathlib import Path

import pytest

from tests.escalation.bench import KEY, Bench, gives, looks
from tests.escalation.machine import until_free
from tests.escalation.test_headless import NOTES, settings
from tests.escalation.test_program import is_gone, program
from tests.forks import PATIENCE, begun, triage
from tests.model_server import Answer, Body, ModelServer, hang

SLACK = {"SLACK_BOT_TOKEN": "xoxb-" + "1-2-abcdef", "SLACK_SIGNING_SECRET": "5f" * 16}


def look_at(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


async def test_a_run_shows_its_transcript_and_is_not_run_again(bench: Bench) -> None:
    """AC-08: what stands in `transcript.log` is printed as it comes; a second start changes nothing."""
    async with ModelServer([looks(), gives()]) as server:
        folder = bench.begin(settings(server))
        run = partial(triage, "headless", "--task", str(folder.path), variables={**SLACK, "ANTHROPIC_API_KEY": KEY})
        done = await asyncio.to_thread(run)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == bench.transcript
        assert KEY in server.headers[0]["Authorization"]
        before = look_at(folder.path)
        again = await asyncio.to_thread(run)
    assert (again.returncode, again.stdout) == (0, "")
    assert look_at(folder.path) == before
    assert not any(secret.encode() in content for content in before.values() for secret in (KEY, *SLACK.values()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "--task: expected the folder of a run with its task.json, found none in "),
        ("{", "task.json: "),
        ('{"schema_version": 2}', "task.json: schema_version: "),
    ],
)
def test_a_folder_without_a_task_is_refused(tmp_path: Path, text: str | None, said: str) -> None:
    """With exit code 2, and nothing is written."""
    if text is not None:
        (tmp_path / "task.json").write_text(text)
    done = triage("headless", "--task", str(tmp_path))
    assert (done.returncode, said in done.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == (["task.json"] if text is not None else [])


async def test_a_signal_ends_a_run_with_its_notes(bench: Bench) -> None:
    """And a second start meanwhile ends at once, without a word."""
    waiting = asyncio.Event()

    def script(body: Body) -> Answer:
        if len(server.requests) == 1:
            return looks(NOTES)
        waiting.set()
        return hang

    async with ModelServer(script) as server:
        folder = bench.begin(settings(server))
        arguments = ("headless", "--task", str(folder.path))
        with begun(*arguments) as process:
            await asyncio.wait_for(waiting.wait(), PATIENCE)
            assert folder.read_state() == "running"
            second = await asyncio.to_thread(triage, *arguments)
            assert (second.returncode, second.stdout) == (0, "")
            assert await asyncio.to_thread(process.stopped) == 1
    returned = bench.returned
    assert (returned.outcome, returned.reason, returned.unchecked_notes) == (
        "cancelled",
        "it was ended by SIGTERM",
        NOTES,
    )
    assert bench.handoff is None
    session = folder.read_session()
    assert session is not None
    assert (session.outcome, session.held_usd) == ("cancelled", 0.0)
    assert folder.read_state() == "ended"


async def test_a_killed_run_leaves_no_return_and_no_program(bench: Bench) -> None:
    """Its lock is free then, and what was held for it still counts."""
    pipe = bench.path / "begun"
    os.mkfifo(pipe)
    program(bench, f'echo $$ > "{pipe}"\nsleep 300 & wait')
    arguments = ("headless", "--task", str(bench.folder.path))
    with begun(*arguments) as process:
        pid = int(await asyncio.wait_for(asyncio.to_thread(pipe.read_text), PATIENCE))
        assert process.process.pid is not None
        os.kill(process.process.pid, signal.SIGKILL)
        await until_free(bench.folder)
    assert await asyncio.to_thread(is_gone, pid)
    assert bench.folder.read_state() == "died"
    assert not bench.folder.returned.exists()
    session = bench.folder.read_session()
    assert session is not None
    assert (session.outcome, session.spent_usd) == ("running", 1.0)
    assert (await asyncio.to_thread(triage, *arguments)).returncode == 0
    assert bench.folder.read_state() == "died"
