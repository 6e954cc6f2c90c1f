"""`triage attach`: a run of tier 2 or 3 is watched to its end, in tmux or by its transcript."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from bot.cli.transcript import Watch
from bot.decide.slug import slug
from bot.escalation.folder import RunFolder
from tests.escalation.builders import FIRST, SECOND, THREAD, handoff, returned, task
from tests.forks import CLEAN, ROOT, triage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LINK = "https://acme.slack.com/archives/C0HELP/p100000001"
REPLY = "https://acme.slack.com/archives/C0HELP/p200000002?thread_ts=100.000001&cid=C0HELP"
NAME = slug("why did it take so long?", THREAD)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """The folder of a run that is not started yet."""
    made = RunFolder(tmp_path / "escalations" / THREAD)
    made.save_child(task())
    made.promote()
    return made


@pytest.fixture
def running(folder: RunFolder) -> Iterator[RunFolder]:
    """The folder of a run whose process lives."""
    handle = folder.take_lock()
    assert handle is not None
    folder.transcript.write_text("09:30 turn 1\n")
    yield folder
    os.close(handle)


def end(folder: RunFolder, **changes: Any) -> None:
    """The last acts of a process."""
    folder.write(folder.returned, returned(**changes).model_dump(mode="json"))
    folder.done.touch()


def watched(folder: RunFolder, *steps: Callable[[], object], lines: int = 40) -> tuple[str, bool]:
    """What a watch prints while these steps happen, one before each next look, and if another run follows."""
    said: list[str] = []
    ahead = iter(steps)

    def wait() -> None:
        next(ahead)()

    follows = Watch(folder, lines=lines, say=said.append, wait=wait).follow()
    assert next(ahead, None) is None
    return "".join(said), follows


def write(folder: RunFolder, content: bytes) -> Callable[[], object]:
    """A step: the run writes to its transcript."""

    def step() -> object:
        with folder.transcript.open("ab") as file:
            return file.write(content)

    return step


def test_a_transcript_is_followed_to_the_end_of_the_run(running: RunFolder) -> None:
    """Also its last lines and a letter written in two halves; nothing in it gives orders to the terminal."""
    letter = "ö".encode()

    def finish() -> None:
        write(running, b"09:32 last\n")()
        end(running, outcome="limit", reason="no\nturns\x1b left")

    said, follows = watched(
        running,
        write(running, b"09:31 r" + letter[:1]),
        write(running, letter[1:] + b"ll\x1b[31m\r\n"),
        finish,
    )
    assert said == (
        f"--- tier 2, session {FIRST}\n09:30 turn 1\n09:31 röll[31m\n09:32 last\n\n"
        "The run of tier 2 ended, limit: no turns left.\n"
        f"Transcript: {running.transcript}\nReturn: {running.returned}\n"
    )
    assert not follows


def test_only_the_last_lines_of_a_long_transcript_begin_it(running: RunFolder) -> None:
    """As many as wanted, then each new one."""
    running.transcript.write_text("".join(f"line {number}\n" for number in range(50_000)))
    said, _ = watched(running, write(running, b"new\n"), lambda: end(running), lines=2)
    assert said.splitlines()[1:4] == ["line 49998", "line 49999", "new"]


def test_a_run_that_is_not_started_yet_is_waited_for(folder: RunFolder) -> None:
    """Its transcript is found once it exists."""
    handles: list[int | None] = []
    said, _ = watched(
        folder, lambda: handles.append(folder.take_lock()), write(folder, b"09:30 turn 1\n"), lambda: end(folder)
    )
    assert said.splitlines()[1:3] == ["--- not started yet; waiting", "09:30 turn 1"]
    os.close(handles[0] or 0)


def test_the_run_that_follows_takes_the_place(running: RunFolder) -> None:
    """The one before is told with the places that its files have now."""

    def escalate() -> None:
        write(running, b"09:40 I hand over\n")()
        end(running)
        running.save_child(task(session_id=SECOND, tier=3))
        running.promote()

    said, follows = watched(running, escalate)
    assert follows
    place = running.path / "earlier" / FIRST
    assert f"09:40 I hand over\n\nThe run of tier 2 ended, answered.\nTranscript: {place}/transcript.log" in said
    assert f"Return: {place}/return.json" in said


async def attach(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`triage attach` with these."""
    return await asyncio.to_thread(triage, "attach", *words, "--home", str(home))


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(each, marks=pytest.mark.long) for each in (THREAD, LINK, NAME)),
        *(f"<{LINK}|this>", REPLY, f"`{NAME}`", "take-long-" + NAME[-6:]),
    ],
)
async def test_a_thread_is_found_by_any_of_its_names(folder: RunFolder, tmp_path: Path, name: str) -> None:
    """Its id, a link to one of its messages, its task; an ended run prints where its files are."""
    end(folder)
    folder.write(folder.handoff, handoff().model_dump(mode="json"))
    done = await attach(tmp_path, name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "The run of tier 2 ended, answered.\nIt hands over to the next tier, if the bot starts it.\n"
        f"Transcript: {folder.transcript}\nReturn: {folder.returned}\n"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("T0TEAM-C0HELP-1.000001",), "`triage attach` lists the runs under way"),
        (("https://acme.slack.com/archives/",), "expected the link of a message"),
        (("no-such-task-0105-1000-aaaaaa",), "no run of tier 2 or 3 is known of this thread"),
    ],
)
async def test_an_unknown_thread_is_refused_with_the_next_step(
    folder: RunFolder, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    """Before anything else is looked at."""
    done = await attach(tmp_path, *words)
    assert (done.returncode, done.stdout, told in done.stderr) == (1, "", True), done.stderr


async def test_a_home_without_runs_says_so(tmp_path: Path) -> None:
    """And how to name another one."""
    done = await attach(tmp_path, THREAD)
    assert (done.returncode, "Name the bot's folder with --home" in done.stderr) == (1, True)


async def test_runs_may_have_a_folder_of_their_own(folder: RunFolder, tmp_path: Path) -> None:
    """As `escalation.transcript_dir` of the settings says; other settings are not needed."""
    end(folder)
    moved = folder.path.parent.rename(tmp_path / "runs")
    settings = tmp_path / "triage.yml"
    settings.write_text(f"escalation: {{transcript_dir: {moved}}}\n")
    done = await attach(tmp_path, THREAD, "--config", str(settings))
    assert (done.returncode, str(moved) in done.stdout) == (0, True), done.stderr


async def test_a_run_that_died_is_told_as_such(folder: RunFolder, tmp_path: Path) -> None:
    """Without a return, with its transcript."""
    os.close(folder.take_lock() or 0)
    done = await attach(tmp_path, THREAD)
    assert (done.returncode, "died: its process ended without a return" in done.stdout) == (1, True)
    assert str(folder.transcript) in done.stdout


async def test_the_runs_under_way_are_listed(running: RunFolder, tmp_path: Path) -> None:
    """Each with its tier and its last line; ended ones are counted."""
    ended = RunFolder(tmp_path / "escalations" / "T0SANDBOX-C0HELP-300.000001")
    ended.save_child(task())
    ended.promote()
    end(ended)
    done = await attach(tmp_path)
    assert done.stdout.splitlines() == [
        "take-long-0105  tier 2, running: 09:30 turn 1",
        f"{running.path.parent} has 1 other thread with runs that have ended.",
    ]


def begun(home: Path, *words: str) -> tuple[subprocess.Popen[bytes], int]:
    """`triage attach` at a terminal of its own, and that terminal."""
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "attach", THREAD, "--home", str(home), *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env={**CLEAN, "TERM": "xterm"},
    )
    os.close(theirs)
    return process, mine


def read_until(terminal: int, wanted: bytes) -> bytes:
    """Read until these bytes have come, or the end, or nothing comes any more."""
    content = b""
    while wanted not in content and select.select([terminal], [], [], 30)[0]:
        try:
            content += os.read(terminal, 4_096)
        except OSError:  # the other side is closed
            break
    return content


def test_leaving_a_transcript_does_not_end_the_run(running: RunFolder, tmp_path: Path) -> None:
    """Ctrl-c is no error."""
    process, terminal = begun(tmp_path, "--transcript")
    read_until(terminal, b"turn 1")
    process.send_signal(signal.SIGINT)
    told = read_until(terminal, b"The run goes on.")
    assert (process.wait(30), b"The run goes on." in told) == (0, True)
    os.close(terminal)
    assert running.read_state() == "running"


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_a_run_in_tmux_is_shown_live(running: RunFolder, tmp_path: Path) -> None:
    """Read-only, on a terminal, until its server ends."""
    program = "echo turn-$((40 + 2)); exec cat"
    tmux = ("tmux", "-f", "/dev/null", "-S", running.socket.name)
    subprocess.run((*tmux, "new-session", "-d", "-s", "triage-x", program), cwd=running.path, check=True)
    try:
        process, terminal = begun(tmp_path)
        shown = read_until(terminal, b"turn-42")
        os.write(terminal, b"typed by a reader\n")
        subprocess.run((*tmux, "send-keys", "-t", "triage-x", "sent by tmux", "Enter"), cwd=running.path, check=True)
        shown += read_until(terminal, b"sent by tmux")
    finally:
        subprocess.run((*tmux, "kill-server"), cwd=running.path, check=False)
    read_until(terminal, b"never shown")
    assert process.wait(30) in (0, 1)
    os.close(terminal)
    assert b"turn-42" in shown
    assert b"sent by tmux" in shown
    assert b"typed by a reader" not in shown
