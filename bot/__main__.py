"""The `triage` command line. Each subject is a module in `bot/cli/`, imported when its command is used."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from bot import __version__
from bot.errors import Misconfigured, TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class SubcommandModule(Protocol):
    """A module of `bot/cli/`."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""

    def main(self, options: argparse.Namespace) -> int:
        """Run the command; the answer is the exit code."""


@dataclass(frozen=True)
class Subcommand:
    """One line of `triage --help`."""

    module: str
    summary: str

    def load(self) -> SubcommandModule:
        """Import the module."""
        return cast("SubcommandModule", importlib.import_module(f"bot.cli.{self.module}"))


READER_GONE = 141
"""The exit code where the reader of the output went before the end, as of any program in a pipe (128 + SIGPIPE)."""

COMMANDS = {
    "demo": Subcommand("demo", "start a local Slack workspace and the bot in it; no account, no key"),
    "run": Subcommand("run", "run the bot over Socket Mode"),
    "command": Subcommand("command", "have the running bot do a command of /triage: pause, queue, help and the others"),
    "doctor": Subcommand("doctor", "check settings, tokens, Slack, projects and state; exit 1 when something is wrong"),
    "purge": Subcommand("purge", "take messages, drafts and replies out of the state, by age, thread, channel or user"),
    "classify": Subcommand("classify", "classify events or texts (JSON lines on stdin)"),
    "route": Subcommand("route", "show which rule takes a text, and which role and project it goes to"),
    "replay": Subcommand("replay", "put a Slack export or an events file through the rules: shares, samples, cost"),
    "retrain": Subcommand("retrain", "fit the weights of the rules again on the team's own labels"),
    "drill": Subcommand("drill", "test the validator: faulty and sound drafts, and what became of them"),
    "metrics": Subcommand("metrics", "count messages, cards, decisions and replies of the last days"),
    "check-evidence": Subcommand("check_evidence", "check references (JSON lines on stdin) against a folder"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Exit codes: 0 fine, 1 something is wrong, 2 it could not start, 141 its reader left."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="triage", description="A Slack bot that drafts; people approve.")
    parser.add_argument("--version", action="version", version=f"triage {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        chosen = commands.add_parser(
            name, help=command.summary, description=f"{command.summary[0].upper()}{command.summary[1:]}."
        )
        if name in given[:1]:
            command.load().arguments(chosen)
    _take_any_text()
    options = parser.parse_args(given)
    code = None
    try:
        code = COMMANDS[options.command].load().main(options)
        if sys.stdout:  # closed by the caller
            sys.stdout.flush()
        return code
    except Misconfigured as problem:
        print(problem, file=sys.stderr)  # noqa: T201  # the command line speaks to a person
        return 2
    except TriageError as problem:
        print(problem, file=sys.stderr)  # noqa: T201  # the command line speaks to a person
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _write_no_more()
        return READER_GONE if code is None else code
    except OSError as problem:
        if not _unwritable():
            raise
        _write_no_more()
        print(f"the output could not be written: {problem.strerror}", file=sys.stderr)  # noqa: T201  # as above
        return 1


def _take_any_text() -> None:
    """What a terminal's encoding does not have shows as `?`, and ends no command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _unwritable() -> bool:
    """Return whether it is standard output that refuses what it is given."""
    try:
        print(flush=True)  # noqa: T201  # an empty line to try it
    except OSError:
        return True
    return False


def _write_no_more() -> None:
    """Let what is left of the output go nowhere, also what the interpreter writes when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
