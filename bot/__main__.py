"""`triage` command line. Each subcommand is a module in `bot/cli/`, imported when it is used."""

from __future__ import annotations

import argparse
import gc
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
    """Interface of the modules in `bot/cli/`."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""

    def main(self, options: argparse.Namespace) -> int:
        """Run the command and return its exit code."""


@dataclass(frozen=True)
class Subcommand:
    """Subcommand with its line in `triage --help`."""

    module: str
    summary: str

    def load(self) -> SubcommandModule:
        """Import the module, without looking for garbage meanwhile: an import makes none."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return cast("SubcommandModule", importlib.import_module(f"bot.cli.{self.module}"))
        finally:
            if was_enabled:
                gc.enable()


READER_GONE = 141
"""Exit code when the reader of the output is gone, as of any program in a pipe (128 + SIGPIPE)."""

COMMANDS = {
    "demo": Subcommand("demo", "start a local Slack workspace and the bot in it; no account, no key"),
    "run": Subcommand("run", "run the bot over Socket Mode or HTTP"),
    "init": Subcommand("init", "ask for a channel, an operator and a project; write triage.yml and .env"),
    "command": Subcommand("command", "run a /triage command on the running bot: pause, queue, help and the others"),
    "attach": Subcommand("attach", "watch a run of tier 2 or 3: its tmux session, or its transcript"),
    "doctor": Subcommand("doctor", "check settings, tokens, Slack, projects and state; exit 1 when something is wrong"),
    "manifest": Subcommand("manifest", "print the manifest of the Slack app, with the scopes that the settings need"),
    "alive": Subcommand(
        "alive", "exit 0 if the bot of this home is connected to Slack: the health check of a container"
    ),
    "purge": Subcommand("purge", "remove messages, drafts and replies from the state, by age, thread, channel or user"),
    "classify": Subcommand("classify", "classify events or texts (JSON lines on stdin)"),
    "route": Subcommand("route", "show the rule, the role and the project for a question"),
    "replay": Subcommand("replay", "classify a Slack export or an events file: shares, samples, cost"),
    "retrain": Subcommand("retrain", "refit the classifier's weights on the team's labels"),
    "drill": Subcommand("drill", "test the validator with faulty and sound drafts"),
    "eval": Subcommand("evaluate", "ask engines and models the same questions, and judge their answers"),
    "headless": Subcommand("headless", "run one question of tier 2 or 3 to its end; the bot starts it"),
    "metrics": Subcommand("metrics", "count messages, cards, decisions and replies of the last days"),
    "report": Subcommand("report", "measure the acceptance criteria by the records of the home"),
    "selftest": Subcommand("selftest", "try AC-07 to AC-09 here by one long run; no Slack, no model, no cost"),
    "check-evidence": Subcommand("check_evidence", "check references (JSON lines on stdin) against a folder"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Exit codes: 0 fine, 1 something is wrong, 2 it could not start, 141 the reader of the output
    left."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="triage", description="A Slack bot that drafts; people approve.")
    parser.add_argument("--version", action="version", version=f"triage {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        chosen = commands.add_parser(
            name, help=command.summary, description=f"{command.summary[0].upper()}{command.summary[1:]}."
        )
        if name in argv[:1]:
            command.load().arguments(chosen)
    _take_any_text()
    options = _parse(parser, argv)
    code = None
    try:
        code = COMMANDS[options.command].load().main(options)
        if sys.stdout:  # closed by the caller
            sys.stdout.flush()
        return code
    except Misconfigured as problem:
        print(problem, file=sys.stderr)  # noqa: T201  # command-line output
        return 2
    except TriageError as problem:
        print(problem, file=sys.stderr)  # noqa: T201  # command-line output
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _write_no_more()
        return READER_GONE if code is None else code
    except OSError as problem:
        if not _is_stdout_closed():
            raise
        _write_no_more()
        print(f"the output could not be written: {problem.strerror}", file=sys.stderr)  # noqa: T201  # as above
        return 1


def _parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; words may follow an option that stands between them, which argparse leaves over."""
    options, rest = parser.parse_known_args(argv)
    words: list[str] | None = getattr(options, "words", None)
    end = rest.index("--") if "--" in rest else len(rest)
    if rest and (words is None or any(each.startswith("-") and each != "-" for each in rest[:end])):
        advice = "" if words is None else "; words that begin with - come after --, at the end"
        parser.error(f"unrecognized arguments: {' '.join(rest)}{advice}")
    if words is not None:
        words += [*rest[:end], *rest[end + 1 :]]
    return options


def _take_any_text() -> None:
    """Replace characters that the terminal's encoding lacks by `?`, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _is_stdout_closed() -> bool:
    """Return whether standard output cannot be written to."""
    try:
        print(flush=True)  # noqa: T201  # an empty line to try it
    except OSError:
        return True
    return False


def _write_no_more() -> None:
    """Discard the rest of the output, including the interpreter's final flush."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
