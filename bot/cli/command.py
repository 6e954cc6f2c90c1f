"""`triage command`: run a `/triage` command on the running bot and print its answer as plain text or JSON."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC
from typing import TYPE_CHECKING, Any, TextIO

from blocks.text import escape
from bot.adapters.control_socket import ask
from bot.adapters.home import Home
from bot.cli.options import add_home
from bot.cli.terminal_style import find_width, paint
from bot.cli.terminal_table import draw_table
from bot.cli.terminal_text import wrap_line
from bot.config.paths import home_path
from bot.errors import Refused
from bot.models.plain_lines import to_lines, to_plain_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from bot.cli.terminal_style import Meaning

NOT_DONE = 1
EXIT_CODES = {"done": 0, "not_running": 3, "refused": 4, "asked": 5, "unclear": 6}
"""Exit codes by outcome; every other outcome is `NOT_DONE`."""
_CHANGES: dict[str, Meaning] = {"+": "good", "-": "bad"}
"""First letters of the changed lines of a diff."""
HELP = """\
exit codes:
  0  done
  1  not done: it failed, or the words or the state did not allow it
  2  wrong command line, such as an unknown option
  3  no bot runs on this home, or it cannot be reached
  4  refused: this person may not do it, or the name that confirms it was wrong
  5  not done yet: it waits for a confirmation
  6  unclear: the bot gave no answer in time, and may have done it
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage command`."""
    parser.description = (
        "Run a command on the running bot, as /triage does in Slack: `triage command help` lists them.\n"
        "A field can be named: `project=shop`. Options may stand between the words; words that\n"
        "begin with - come after --, at the end."
    )
    parser.epilog = HELP
    parser.add_argument("name", metavar="NAME", help="the command")
    parser.add_argument("words", nargs="*", default=[], metavar="WORD", help="its arguments, as split by the shell")
    parser.add_argument(
        "--as", dest="user", metavar="USER", help="Slack id of the user who runs it (default: the only admin)"
    )
    parser.add_argument(
        "--confirm", metavar="NAME", help="the name that confirms the command, to skip the prompt for it"
    )
    add_home(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON: docs/command-json.md")


def main(options: argparse.Namespace) -> int:
    """Run the command, print its answer and return the exit code."""
    path = home_path(options.home) / "control.sock"
    request = {"words": [options.name, *options.words], "user": options.user, "typed": options.confirm}
    try:
        answer = ask(path, request)
        if (
            answer.get("outcome") == "asked"
            and not options.json
            and _is_terminal(sys.stdin)
            and _is_terminal(sys.stdout)
        ):
            answer = ask(path, request | {"typed": _ask_confirmation(answer)})
    except Refused as problem:
        outcome, line = _describe_missing_answer(problem, path.parent)
        _warn(line)
        if options.json:
            _print_answer(format_json({"command": options.name, "outcome": outcome, "line": escape(line)}))
        return EXIT_CODES[outcome]
    code = EXIT_CODES.get(str(answer.get("outcome")), NOT_DONE)
    is_printed = _print_answer(format_json(answer) if options.json else format_text(answer, find_width(sys.stdout)))
    if is_printed and answer.get("outcome") == "asked":  # no terminal to ask for confirmation
        _warn(f"To have it done, add --confirm {answer.get('typed_again')!r}.")
    return code


def format_json(answer: dict[str, Any]) -> str:
    """Format an answer as JSON with plain texts."""
    texts = {"line": to_plain_text(answer.get("line", ""), UTC)}
    rows = [to_plain_text(row, UTC) for row in answer.get("rows", ())]
    further = {key: answer.get(key) for key in ("data", "typed_again")}
    return json.dumps(
        {"command": answer.get("command", ""), "outcome": answer.get("outcome"), **texts, "rows": rows, **further},
        indent=2,
    )


def format_text(answer: dict[str, Any], width: int | None) -> str:
    """Format an answer as lines for a terminal of this width; `None` is any width."""
    return "\n".join(_lines(answer, width))


def _lines(answer: dict[str, Any], width: int | None) -> Iterator[str]:
    yield from _text_lines(answer.get("line", ""), width)
    table = answer.get("table")
    if table:
        yield from draw_table(table["head"], table["rows"], width=width, align=table["align"])
    for row in table["notes"] if table else answer.get("rows", ()):
        yield from _text_lines(row, width)


def _text_lines(mrkdwn: str, width: int | None) -> Iterator[str]:
    lines = [*to_lines(mrkdwn, UTC)]
    is_diff = any(line.is_code and line.text.startswith("@@ ") for line in lines)
    for line in lines:
        if is_diff and line.is_code and line.text[:1] in _CHANGES:
            yield paint(line.text, _CHANGES[line.text[0]], sys.stdout)
        else:
            yield from wrap_line(line, width) if width else (line.text,)


def _is_terminal(stream: TextIO | None) -> bool:
    """Return whether a standard stream is a terminal; `None` is one that the shell closed."""
    return stream is not None and stream.isatty()


def _describe_missing_answer(problem: Refused, home: Path) -> tuple[str, str]:
    """Return the outcome where the bot gave no answer, and why there is none."""
    if problem.code == "no_answer":
        return "unclear", f"{problem}. Check whether it was done before you repeat it."
    if problem.code == "not_running":
        if elsewhere := _find_elsewhere(home):
            return "not_running", elsewhere
        line = f"No bot runs on {home}: start it with `triage run`, or name its folder with --home."
        return "not_running", line
    return "not_running", str(problem)


def _find_elsewhere(home: Path) -> str:
    """Return where to give the command, if the process of this home is a replica that does not lead."""
    health = Home(home).health()
    if health is None or health.role == "bot" or Home(home).owner() is None:
        return ""
    does = "stands by" if health.role == "standby" else "only investigates"
    return (
        f"The process of {home} {does}: another replica leads. Give the command on its machine, whose `triage alive`"
        " says that it is connected and does not stand by, or as /triage in Slack."
    )


def _print_answer(text: str) -> bool:
    """Print an answer; return whether it was written. A caller that got 1 would repeat a command that was done."""
    try:
        _say(text)
    except OSError as problem:
        _discard_output(problem)
        return False
    return True


def _discard_output(problem: OSError) -> None:
    """Discard further output, and report a write error other than a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    if not isinstance(problem, BrokenPipeError):
        _warn(f"the answer could not be written: {problem.strerror}")


def _ask_confirmation(answer: dict[str, Any]) -> str:
    """Print the question and return the confirmation typed at the terminal."""
    _say(format_text(answer, find_width(sys.stdout)))
    try:
        return input(f"Type {answer.get('typed_again')} to confirm: ").strip()
    except EOFError:
        return ""


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # command-line output


def _warn(text: str) -> None:
    if sys.stderr is not None:  # otherwise `print` would write to the output
        print(text, file=sys.stderr)  # noqa: T201  # command-line output
