"""`triage` command line: parses it, runs one subcommand, and turns its end into an exit code."""

from __future__ import annotations

import io
import os
import shutil
import sys
from typing import TYPE_CHECKING

from bot import __version__
from bot.cli.command_line import PROGRAM, HelpFormatter, ListParser, Parser, list_commands, name_unknown
from bot.cli.subcommands import COMMANDS
from bot.cli.terminal_style import paint
from bot.errors import Misconfigured, TriageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

READER_GONE = 141
"""Exit code when the reader of the output is gone, as of any program in a pipe (128 + SIGPIPE)."""

NOTHING_DONE = 2
"""Exit code of a command line that names no command: a script whose word is missing must not believe it was done."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Exit codes: 0 fine, 1 something is wrong, 2 it could not start, 141 the reader of the output
    left."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    _take_any_text()
    options = _parse(argv)
    code = None
    try:
        code = COMMANDS[options.command].load().main(options) if options else _print_list()
        if sys.stdout:  # closed by the caller
            sys.stdout.flush()
        return code
    except Misconfigured as problem:
        _print_problem(problem)
        return 2
    except TriageError as problem:
        _print_problem(problem)
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


def _print_problem(problem: TriageError) -> None:
    """Print an error, which may repeat the text of a file or of a server, inert."""
    from bot.models.visible import clean

    print(paint(clean(str(problem)), "bad", sys.stderr), file=sys.stderr)  # noqa: T201  # command-line output


def _print_list() -> int:
    """Print the list of subcommands."""
    print(list_commands(shutil.get_terminal_size().columns), end="")  # noqa: T201  # command-line output
    return NOTHING_DONE


def _parse(argv: list[str]) -> argparse.Namespace | None:
    """Parse a command line; `None` for an empty one. Words may follow an option that stands between them, which
    argparse leaves over."""
    if argv[:1] == ["help"]:
        argv = [*argv[1:2], "--help"]
    if not argv:
        return None
    name = argv[0]
    parser = ListParser(prog=PROGRAM)
    parser.add_argument("--version", action="version", version=f"triage {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    chosen: Parser = parser
    if command := COMMANDS.get(name):
        summary = f"{command.summary[0].upper()}{command.summary[1:]}."
        chosen = commands.add_parser(name, description=summary, formatter_class=HelpFormatter)
        command.load().arguments(chosen)
    elif not name.startswith("-"):
        parser.error(name_unknown(name))
    options, rest = parser.parse_known_args(argv)
    words: list[str] | None = getattr(options, "words", None)
    end = rest.index("--") if "--" in rest else len(rest)
    if rest and (words is None or any(each.startswith("-") and each != "-" for each in rest[:end])):
        advice = "" if words is None else "; words that begin with - come after --, at the end"
        if command and command.piped and not rest[0].startswith("-"):
            advice = f"; it reads stdin, such as:\n  {command.piped}"
        chosen.error(f"unrecognized arguments: {' '.join(rest)}{advice}{chosen.suggest_option(rest[0])}")
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
