"""`triage attach`: watch a run of tier 2 or 3, in its tmux session or by its transcript (docs/escalation.md)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.cli.options import add_config, add_home
from bot.cli.transcript import Watch, describe_end
from bot.commands.inputs import MessagePlace, parse_message_link
from bot.config.paths import config_path, home_path
from bot.config.settings import load
from bot.decide.slug import tag
from bot.errors import Misconfigured, TriageError, Unreadable
from bot.escalation.folder import RunFolder, list_folders

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from bot.models.escalation import EscalationTask

_TAG = re.compile(r"-([a-z2-7]{6})$")
_TMUX_SECONDS = 10.0
_LISTED = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage attach`."""
    parser.description = (
        "Watch a run of tier 2 or 3: its tmux session, read-only, where it has one, else its transcript until it ends. "
        "Leaving does not end the run: Ctrl-b d in tmux, Ctrl-c at a transcript. Of an ended run the places of its "
        "transcript and its return are printed. Without THREAD the runs under way are listed."
    )
    parser.add_argument(
        "thread", nargs="?", metavar="THREAD", help="a thread's id, the link of a message in it, or its task's name"
    )
    parser.add_argument(
        "--transcript", action="store_true", help="follow the transcript also where the run has a tmux session"
    )
    parser.add_argument(
        "--lines", type=int, default=40, metavar="N", help="lines of the transcript to begin with (default: 40)"
    )
    add_config(parser)
    add_home(parser)
    parser.epilog = "To stop a run, press Stop on its message, or `triage command stop_task TASK`."


def main(options: argparse.Namespace) -> int:
    """Watch a run until it ends; return 1 when its process died without a return."""
    parent = _find_parent(options)
    folders = list_folders(parent)
    if not folders:
        raise TriageError(
            f"{parent}: no run of tier 2 or 3 is known here. Name the bot's folder with --home, or its settings with "
            "--config."
        )
    if options.thread is None:
        return _list_runs(folders, parent)
    folder = _find_folder(options.thread, folders, parent)
    state = folder.read_state()
    task = folder.read_task()
    if task is None:
        raise TriageError(f"{folder.path}: no run has begun here yet. `triage command thread` shows the task's state.")
    if state in ("ended", "died"):
        print("\n".join(describe_end(folder, task)))  # noqa: T201  # command-line output
        return 1 if state == "died" else 0
    if not options.transcript and _can_attach(folder):
        _run_tmux(folder)
    return _follow(folder, max(0, options.lines))


def _find_parent(options: argparse.Namespace) -> Path:
    """Return the folder of all runs: `escalation.transcript_dir` of the settings, else `escalations` in the home."""
    home, config = home_path(options.home), config_path(options.config)
    if config.exists() or options.config:
        try:
            if folder := load(config).escalation.transcript_dir:
                return folder.expanduser()
        except Misconfigured:
            if options.config:
                raise
    return home / "escalations"


def _find_folder(text: str, folders: Sequence[RunFolder], parent: Path) -> RunFolder:
    """Return the folder of the thread that a person means. Raises `TriageError`."""
    name = text.strip().strip("`")
    if "/" in name:
        try:
            place = parse_message_link(name)
        except ValueError as problem:
            raise TriageError(f"{text}: {problem}") from None
        matches = [folder for folder in folders if _is_linked(folder, place)]
    else:
        end = _TAG.search(name.lower())
        matches = [folder for folder in folders if folder.thread_id == name]
        matches = matches or [folder for folder in folders if end and tag(folder.thread_id) == end[1]]
    if not matches:
        raise TriageError(
            f"{text}: no run of tier 2 or 3 is known of this thread in {parent}. `triage attach` lists the runs under "
            "way; a thread is its id, the link of a message in it, or its task's name."
        )
    return matches[0]


def _is_linked(folder: RunFolder, place: MessagePlace) -> bool:
    return folder.thread_id.endswith((f"-{place.channel_id}-{place.root_ts}", f"-{place.channel_id}-{place.ts}"))


def _list_runs(folders: Sequence[RunFolder], parent: Path) -> int:
    """Print the runs under way, and the number of others."""
    running: list[str] = []
    for folder in folders:
        with suppress(Unreadable):
            task = folder.read_task()
            if task and folder.read_state() in ("running", "unstarted"):
                running.append(_describe_run(folder, task))
    others = len(folders) - len(running)
    rest = f"{parent} has {others} other thread{'' if others == 1 else 's'} with runs that have ended."
    shown = [*running[:_LISTED], *([f"… and {len(running) - _LISTED} more"] if len(running) > _LISTED else [])]
    print("\n".join([*(shown or ["No run of tier 2 or 3 is under way."]), *([rest] if others else [])]))  # noqa: T201  # as above
    return 0


def _describe_run(folder: RunFolder, task: EscalationTask) -> str:
    name = task.assignment.task or folder.thread_id
    return f"{name}  tier {task.tier}, {folder.read_state()}: {folder.read_latest() or 'no output yet'}"


def _can_attach(folder: RunFolder) -> bool:
    """Return whether its tmux session can be shown here."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    tmux = shutil.which("tmux")
    if not is_terminal or not tmux or not folder.socket.exists():
        return False
    try:
        command = (tmux, "-S", folder.socket.name, "has-session")
        looked = subprocess.run(command, cwd=folder.path, capture_output=True, timeout=_TMUX_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return looked.returncode == 0


def _run_tmux(folder: RunFolder) -> None:
    """Become a read-only tmux client of its session; does not return."""
    print("Read-only: Ctrl-b d leaves, and the run goes on.", file=sys.stderr, flush=True)  # noqa: T201  # as above
    environment = {name: value for name, value in os.environ.items() if name != "TMUX"}  # also within another tmux
    os.chdir(folder.path)  # the socket's whole path may be longer than the system allows
    os.execvpe("tmux", ["tmux", "-u", "-S", folder.socket.name, "attach-session", "-r"], environment)  # noqa: S606, S607  # the person's own tmux


def _follow(folder: RunFolder, lines: int) -> int:
    """Print a transcript until its run ends, and then that of a run that follows it in the same thread."""
    watch = Watch(folder, lines=lines)
    try:
        while watch.follow():
            pass
    except KeyboardInterrupt:
        print("\nThe run goes on.", file=sys.stderr)  # noqa: T201  # as above
        return 0
    return 1 if folder.read_state() == "died" else 0
