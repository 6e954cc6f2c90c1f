"""The launcher, with real processes: in tmux and detached, watched and ended by force."""

from __future__ import annotations

import json
import os
import select
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import RetryLater
from bot.escalation.folder import RunFolder
from bot.escalation.launcher import Launcher, session_name
from tests.escalation.builders import task
from tests.escalation.machine import SECONDS, TMUX, Machine, machine, needs_tmux, until_free

WAYS = [pytest.param(TMUX, id="tmux", marks=needs_tmux), pytest.param(None, id="detached")]
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "ANTHROPIC_API_KEY": "k" * 20, "LANG": "C.UTF-8"}
NAME = "take-long-0105-0900-k7x2mq-2"


@pytest.fixture(params=WAYS)
def ready(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine, in both ways of starting."""
    with machine(tmp_path / "home", tmux=request.param) as made:
        begin(made)
        yield made


def begin(made: Machine) -> RunFolder:
    """Put a task into the thread's folder."""
    folder = made.folder()
    folder.save_child(task(home=made.home))
    folder.promote()
    return folder


async def test_a_process_gets_the_environment_that_was_built_and_nothing_else(ready: Machine) -> None:
    """Variables of the bot itself do not reach it."""
    ready.order("tell started")
    ready.launcher.start(ready.folder(), NAME, ENVIRONMENT)
    assert await ready.told() == "started"
    seen = json.loads((ready.folder().path / "environment.json").read_text())
    added = {"LC_CTYPE", "PWD", "TERM", "TMUX", "TMUX_PANE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "SHELL"}
    assert {name: value for name, value in seen.items() if name not in added} == ENVIRONMENT


async def test_a_run_ends_by_itself(ready: Machine) -> None:
    """Its return and `.done` are in the folder."""
    ready.order("tell started")
    ready.launcher.start(ready.folder(), NAME, ENVIRONMENT)
    await ready.told()
    await until_free(ready.folder())
    assert ready.folder().read_state() == "ended"


async def test_a_second_start_of_the_same_run_does_nothing(ready: Machine) -> None:
    """The process that came first keeps its lock."""
    ready.order("tell started", "wait")
    ready.launcher.start(ready.folder(), NAME, ENVIRONMENT)
    await ready.told()
    first = ready.folder().find_process()
    ready.launcher.start(ready.folder(), NAME, ENVIRONMENT)  # as a bot that has forgotten the first one
    ready.order()
    assert ready.folder().find_process() == first


@pytest.mark.parametrize("end", ["wait", "stay"])
async def test_a_kill_ends_a_process_and_what_it_started(ready: Machine, end: str) -> None:
    """A process that obeys writes its end, one that does not is killed; neither leaves a child behind."""
    ready.order("fork", "tell started", end)
    ready.launcher.start(ready.folder(), NAME, ENVIRONMENT)
    await ready.told()
    Launcher(tmux=ready.launcher.tmux).kill(ready.folder(), patience=0.5)  # another bot than the one that started it
    assert ready.folder().find_process() is None
    returned = ready.folder().read_return()
    assert (returned.outcome if returned else None) == ("cancelled" if end == "wait" else None)


def test_a_kill_of_an_ended_run_does_nothing(ready: Machine) -> None:
    """Without a process there is nothing to signal."""
    ready.launcher.kill(ready.folder())
    assert ready.folder().read_state() == "unstarted"


@needs_tmux
async def test_a_person_can_watch_a_run_and_not_touch_it(tmp_path: Path) -> None:
    """Scenario AC-08: `tmux attach` shows live output; keys do not reach the run."""
    assert TMUX is not None
    with machine(tmp_path / "home", tmux=TMUX) as made:
        folder = begin(made)
        made.order("say turn 1: search", "tell ready", "wait")
        launched = made.launcher.start(folder, NAME, ENVIRONMENT)
        assert launched.tmux_session == session_name(NAME) == f"triage-{NAME}"
        assert await made.told() == "ready"
        assert "turn 1: search" in attached(folder, launched.watch_command)
        assert folder.find_process() is not None


def attached(folder: RunFolder, command: str) -> str:
    """Attach in a terminal and wait for the text; return what was shown."""
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (40, 120))
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8"}
    shell = ["/bin/sh", "-c", command.replace("tmux -S", "exec tmux -S")]
    with subprocess.Popen(
        shell, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    ) as process:
        os.close(slave)
        shown = b""
        while b"turn 1: search" not in shown and select.select([master], [], [], SECONDS)[0]:
            shown += os.read(master, 4_096)
        assert ask_tmux(folder, "list-clients", "-F", "#{client_readonly}").split() == ["1"]
        process.terminate()
        process.wait(SECONDS)
    os.close(master)
    return shown.decode(errors="replace")


def ask_tmux(folder: RunFolder, *words: str) -> str:
    """The answer of its tmux server."""
    command = [str(TMUX), "-S", "tmux", *words]
    return subprocess.run(command, cwd=folder.path, capture_output=True, check=True, text=True).stdout


@needs_tmux
async def test_the_key_is_not_kept_in_the_environment_of_the_tmux_server(tmp_path: Path) -> None:
    """A person who attaches, and a pane opened later, find no secret."""
    assert TMUX is not None
    with machine(tmp_path / "home", tmux=TMUX) as made:
        folder = begin(made)
        made.order("tell ready", "wait")
        made.launcher.start(folder, NAME, ENVIRONMENT | {"SHOP_TOKEN": "t" * 20})
        await made.told()
        shown = ask_tmux(folder, "show-environment", "-g")
        assert "ANTHROPIC_API_KEY" not in shown
        assert "SHOP_TOKEN" not in shown
        assert "HOME=/nowhere" in shown


@needs_tmux
async def test_a_long_path_leads_to_the_same_tmux(tmp_path: Path) -> None:
    """A socket's path may be longer than the system allows."""
    deep = tmp_path / ("d" * 80) / "home"
    deep.parent.mkdir()
    with machine(deep, tmux=TMUX) as made:
        folder = begin(made)
        made.order("say turn 1: search", "tell ready", "wait")
        launched = made.launcher.start(folder, NAME, ENVIRONMENT)
        assert launched.watch_command.startswith("cd ")
        await made.told()
        assert "turn 1: search" in attached(folder, launched.watch_command)


async def test_a_tmux_that_fails_leads_to_a_detached_process(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The run starts all the same, and the log says why nobody can attach."""
    with machine(tmp_path / "home", tmux="/bin/false") as made:
        folder = begin(made)
        made.order("tell ready")
        launched = made.launcher.start(folder, NAME, ENVIRONMENT)
        assert await made.told() == "ready"
        assert (launched.tmux_session, launched.watch_command) == (None, f"tail -f {folder.transcript}")
        assert "tmux could not start" in caplog.text


def test_a_program_that_cannot_start_is_reported(tmp_path: Path) -> None:
    """The caller learns that no process exists."""
    with machine(tmp_path / "home") as made:
        folder = begin(made)
        with pytest.raises(RetryLater, match="could not be started"):
            Launcher(tmux=None, command=("/nowhere/python",)).start(folder, NAME, ENVIRONMENT)
