"""Commands and bots as real processes, forked from one that has loaded the bot's code, which is most of a start."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import bot.agents.keyword
import bot.app  # loaded before the forks
import bot.cli
import tests.compiled  # noqa: F401  # as above
from bot.__main__ import main

ROOT = Path(__file__).resolve().parents[1]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("SLACK_", "TRIAGE_", "ANTHROPIC_"))}
"""The environment without what a developer's own bot needs."""

PATIENCE = 60
"""Seconds after which a command counts as stuck."""

for _module in pkgutil.iter_modules(bot.cli.__path__):
    import_module(f"bot.cli.{_module.name}")

gc.freeze()  # a collection in a fork would copy every page that it shares with the others

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def triage(*arguments: str, stdin: str = "", cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `triage` to its end. Where a variable of the interpreter's own is given, it is a fresh process."""
    if any(name.startswith("PYTHON") for name in variables):
        return _fresh(arguments, stdin, cwd, variables)
    with TemporaryDirectory() as folder:
        given, out, err = (Path(folder) / name for name in ("in", "out", "err"))
        given.write_text(stdin)
        process = FORKS.Process(target=_command, args=(arguments, (given, out, err), cwd, {**CLEAN, **variables}))
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"triage {' '.join(arguments)} did not end: {err.read_text()}")
        return subprocess.CompletedProcess(arguments, process.exitcode, out.read_text(), err.read_text())


def _fresh(
    arguments: tuple[str, ...], stdin: str, cwd: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        input=stdin,
        env={**CLEAN, "PYTHONPATH": str(ROOT), **variables},
        cwd=cwd,
        text=True,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


def _command(
    arguments: tuple[str, ...], streams: tuple[Path, Path, Path], cwd: Path, variables: dict[str, str]
) -> None:
    given, out, err = streams
    for number, path, how in ((0, given, os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
        opened = os.open(path, how | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(cwd)
    sys.argv = ["triage", *arguments]
    sys.exit(main())
