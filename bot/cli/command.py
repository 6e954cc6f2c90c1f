"""`triage command`: run a `/triage` command on the running bot and print its answer."""

from __future__ import annotations

import html
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from bot.adapters.control_socket import ask
from bot.cli.options import add_home
from bot.config.paths import home_path
from bot.errors import Refused, TriageError

if TYPE_CHECKING:
    import argparse

_LINK = re.compile(r"<(?P<target>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage command`."""
    parser.description = (
        "Run a command on the running bot, as /triage does in Slack: `triage command help` lists them. A field can be "
        "named: `project=shop`. Options come before or after the words; words that begin with - come after --."
    )
    parser.add_argument("name", metavar="NAME", help="the command")
    parser.add_argument("words", nargs="*", metavar="WORD", help="its arguments, as split by the shell")
    parser.add_argument(
        "--as", dest="user", metavar="USER", help="Slack id of the user who runs it (default: the only admin)"
    )
    parser.add_argument(
        "--confirm", metavar="NAME", help="the name that confirms an irreversible command, to skip the prompt"
    )
    add_home(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def main(options: argparse.Namespace) -> int:
    """Run the command and print its answer; return 1 when it was not done."""
    path = home_path(options.home) / "control.sock"
    request = {"words": [options.name, *options.words], "user": options.user, "typed": options.confirm}
    try:
        answer = ask(path, request)
        if answer.get("outcome") == "asked" and not options.json and sys.stdin.isatty() and sys.stdout.isatty():
            answer = ask(path, request | {"typed": _ask_confirmation(answer)})
    except Refused as problem:
        if problem.code != "not_running":
            raise
        raise TriageError(
            f"No bot runs on {path.parent}: start it with `triage run`, or name its folder with --home."
        ) from None
    text = to_plain_text(str(answer.get("text", "")))
    code = 0 if answer.get("outcome") == "done" else 1
    try:
        _say(json.dumps(answer | {"text": text}, indent=2) if options.json else text)
    except OSError as problem:  # keep the command's own code: on 1 a caller would repeat a command that was done
        _discard_output(problem)
        return code
    if answer.get("outcome") == "asked":  # no terminal to ask for confirmation
        print(f"To have it done, add --confirm {answer.get('typed_again')!r}.", file=sys.stderr)  # noqa: T201  # as below
    return code


def _discard_output(problem: OSError) -> None:
    """Discard further output, and report a write error other than a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    if not isinstance(problem, BrokenPipeError):
        print(f"the answer could not be written: {problem.strerror}", file=sys.stderr)  # noqa: T201  # as below


def _ask_confirmation(answer: dict[str, Any]) -> str:
    """Print the question and return the confirmation typed at the terminal."""
    _say(to_plain_text(str(answer.get("text", ""))))
    try:
        return input(f"Type {answer.get('typed_again')} to confirm: ").strip()
    except EOFError:
        return ""


def to_plain_text(mrkdwn: str) -> str:
    """Convert Slack mrkdwn to terminal text: links become their labels, and nothing is escaped."""
    return html.unescape(_LINK.sub(_readable, mrkdwn))


def _readable(match: re.Match[str]) -> str:
    target, label = match["target"], match["label"]
    if label is None or target.startswith(("http://", "https://")):
        return f"{label} ({target})" if label else target
    return label


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # command-line output
