"""`triage headless`: one run of tier 2 or 3, or the draft of a fix, in a separate process."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.config.environment import forget_secrets, read_valid_environment
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, Unreadable

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from bot.escalation.folder import RunFolder
    from bot.runtime.record_file import Record

_EPILOG = """\
The bot starts it, and reads its result; nothing of Slack is reached from here. DIR is escalations/<thread> in the home.
It reads task.json there, and messages.ndjson before each turn; it writes transcript.log, session.json, perhaps
handoff.json, then return.json and, at the very end, .done. A run that has, or had, another process is left alone.
With --fix DIR is fixes/<run> in the home, and the run drafts a fix in the workspace that its task.json names.

SIGTERM or Ctrl-C ends it with its notes so far. docs/escalation.md explains tiers, folder and programs of your own.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage headless`."""
    parser.add_argument("--task", type=Path, required=True, metavar="DIR", help="folder of the run, with its task.json")
    parser.add_argument("--fix", action="store_true", help="the task drafts a fix (docs/fixes.md)")
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the task. Exit codes: 0 a report, a handoff or a drafted fix is written, 1 none, 2 there is no task."""
    from bot.adapters.clock import SystemClock
    from bot.escalation.folder import RunFolder

    os.umask(0o077)
    folder = RunFolder(options.task.absolute())
    variables = dict(os.environ)
    environment, _ = read_valid_environment()
    redactor, clock = Redactor((*environment.secrets, *secret_values(variables))), SystemClock()
    forget_secrets()
    shared: dict[str, Any] = {"folder": folder, "redactor": redactor, "clock": clock}
    sources = {**shared, "environment": environment, "variables": variables}
    shared["out"] = _find_terminal(folder)
    if options.fix:
        from bot.escalation.fix_process import FixProcess
        from bot.models.fix_task import FixTask
        from bot.wiring.fix_process import FixHarnessBuilder

        fix = _read_task(folder, FixTask)
        return asyncio.run(FixProcess(**shared, task=fix, build=FixHarnessBuilder(**sources, task=fix).build).run())
    from bot.escalation.headless import Headless
    from bot.models.escalation import EscalationTask
    from bot.wiring.headless import HarnessBuilder

    task = _read_task(folder, EscalationTask)
    return asyncio.run(Headless(**shared, task=task, build=HarnessBuilder(**sources, task=task).build).run())


def _read_task(folder: RunFolder, kind: type[Record]) -> Record:
    try:
        task = folder.read_record(folder.task, kind)
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
