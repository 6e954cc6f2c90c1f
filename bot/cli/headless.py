"""`triage headless`: one run of tier 2 or 3 in a separate process, from its task to its return."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config.environment import forget_secrets, read_valid_environment
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, Unreadable

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from bot.escalation.folder import RunFolder
    from bot.models.escalation import EscalationTask

_EPILOG = """\
The bot starts it, and reads its result; nothing of Slack is reached from here. DIR is escalations/<thread> in the home.
It reads task.json there, and messages.ndjson before each turn; it writes transcript.log, session.json, perhaps
handoff.json, then return.json and, at the very end, .done. A run that has, or had, another process is left alone.

SIGTERM or Ctrl-C ends it with its notes so far. docs/escalation.md explains tiers, folder and programs of your own.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage headless`."""
    parser.add_argument("--task", type=Path, required=True, metavar="DIR", help="folder of the run, with its task.json")
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the task. Exit codes: 0 a report or a handoff is written, 1 neither, 2 there is no task."""
    from bot.adapters.clock import SystemClock
    from bot.escalation.folder import RunFolder
    from bot.escalation.headless import Headless
    from bot.wiring.headless import HarnessBuilder

    os.umask(0o077)
    folder = RunFolder(options.task.absolute())
    task = _read_task(folder)
    variables = dict(os.environ)
    environment, _ = read_valid_environment()
    redactor, clock = Redactor((*environment.secrets, *secret_values(variables))), SystemClock()
    forget_secrets()
    builder = HarnessBuilder(
        folder=folder, task=task, environment=environment, variables=variables, redactor=redactor, clock=clock
    )
    headless = Headless(
        folder=folder, task=task, clock=clock, redactor=redactor, build=builder.build, out=_find_terminal(folder)
    )
    return asyncio.run(headless.run())


def _read_task(folder: RunFolder) -> EscalationTask:
    try:
        task = folder.read_task()
    except Unreadable as problem:
        raise Misconfigured(str(problem)) from None
    if task is None:
        raise Misconfigured(f"--task: expected the folder of a run with its task.json, found none in {folder.path}")
    return task


def _find_terminal(folder: RunFolder) -> TextIO | None:
    """Return standard output, unless it is the transcript itself."""
    if sys.stdout is None:
        return None
    try:
        is_transcript = os.path.samestat(os.fstat(sys.stdout.fileno()), folder.transcript.stat())
    except (OSError, ValueError):
        is_transcript = False
    return None if is_transcript else sys.stdout
