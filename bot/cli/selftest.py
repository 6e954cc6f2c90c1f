"""`triage selftest`: AC-07 to AC-09 on this machine, by one long run that costs nothing (docs/report.md)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from bot.cli.progress import Activity
from bot.cli.selftest_run import try_run
from bot.cli.terminal_style import paint
from bot.decide.self_test import judge_trial

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bot.decide.self_test import SelfTestRow, TrialRun

INTERRUPTED = 130
_EPILOG = """\
A bot in a local workspace gets a question, and starts tier 2 for it, whose program is a stand-in. The command that
shows the run is run; the bot is killed, a second one is started, and the run ends. Neither Slack nor a model is asked;
all is in a temporary folder, which is removed.

AC-07  the run writes return.json and .done
AC-08  the printed command shows its transcript
AC-09  the run survives the end of its bot, and the next one takes it up

exit codes: 0 all are ok, 1 one is not, 130 interrupted

examples:
  triage selftest
  triage selftest --json 2>/dev/null | jq .ok
  TMPDIR=/var/tmp triage selftest
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage selftest`."""
    parser.add_argument("--json", action="store_true", help="one JSON object; times in seconds")
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the trial and print its rows; return the exit code."""
    os.umask(0o077)
    began = time.monotonic()
    try:
        with Activity(sys.stderr, "Trying a long run"):
            rows = judge_trial(asyncio.run(_try()))
    except asyncio.CancelledError:  # by SIGTERM
        return INTERRUPTED
    ok, seconds = all(row.ok for row in rows), round(time.monotonic() - began, 1)
    if options.json:
        criteria = [asdict(row) for row in rows]
        sys.stdout.write(f"{json.dumps({'ok': ok, 'criteria': criteria, 'seconds': seconds}, indent=2)}\n")
    else:
        sys.stdout.write(format_rows(rows))
    return 0 if ok else 1


async def _try() -> TrialRun:
    """Run the trial, which SIGTERM and SIGHUP end as Ctrl-C does."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, lambda: task and task.cancel())
    return await try_run(None, _note)


def format_rows(rows: Sequence[SelfTestRow]) -> str:
    """Format the rows as lines: mark, criterion, time, and below them the next step of those that are not ok."""
    lines = []
    for row in rows:
        lines.append(f"{_mark(row)}  {row.id} {row.name} ({row.seconds:g} s): {row.detail}")
        lines += [f"       next: {row.advice}"] if row.advice else []
    return "".join(f"{line}\n" for line in lines)


def _mark(row: SelfTestRow) -> str:
    return paint("ok   ", "good", sys.stdout) if row.ok else paint("WRONG", "bad", sys.stdout)


def _note(line: str) -> None:
    if sys.stderr is not None:  # closed by the caller
        print(line, file=sys.stderr, flush=True)  # noqa: T201  # command-line output
