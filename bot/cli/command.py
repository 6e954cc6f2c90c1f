"""`triage command`: a command of the catalogue, done by the running bot, answered in the terminal."""

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
    """The options of `triage command`."""
    parser.description = (
        "Have the running bot do a command, as /triage does in Slack: `triage command help` lists them. A field can be "
        "named: `project=shop`. Options come before the words or after them; a word that begins with - follows --."
    )
    parser.add_argument("name", metavar="NAME", help="the command")
    parser.add_argument("words", nargs="*", metavar="WORD", help="its words, as the shell has made them")
    parser.add_argument(
        "--as", dest="user", metavar="USER", help="whose command it is, by Slack user id (default: the only admin)"
    )
    parser.add_argument(
        "--confirm", metavar="NAME", help="the name that a command asks for which nothing takes back, without asking"
    )
    add_home(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def main(options: argparse.Namespace) -> int:
    """Print the answer; 1 when it was not done."""
    path = home_path(options.home) / "control.sock"
    request = {"words": [options.name, *options.words], "user": options.user, "typed": options.confirm}
    try:
        answer = ask(path, request)
        if answer.get("outcome") == "asked" and not options.json and sys.stdin.isatty() and sys.stdout.isatty():
            answer = ask(path, request | {"typed": _typed(answer)})
    except Refused as problem:
        if problem.code != "not_running":
            raise
        raise TriageError(
            f"No bot runs on {path.parent}: start it with `triage run`, or name its folder with --home."
        ) from None
    text = plain(str(answer.get("text", "")))
    code = 0 if answer.get("outcome") == "done" else 1
    try:
        _say(json.dumps(answer | {"text": text}, indent=2) if options.json else text)
    except OSError as problem:  # the code is that of the command: who reads 1 would do it again
        _lost(problem)
        return code
    if answer.get("outcome") == "asked":  # nobody is there to type it
        print(f"To have it done, add --confirm {answer.get('typed_again')!r}.", file=sys.stderr)  # noqa: T201  # as below
    return code


def _lost(problem: OSError) -> None:
    """The answer has no reader, or no room."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    if not isinstance(problem, BrokenPipeError):
        print(f"the answer could not be written: {problem.strerror}", file=sys.stderr)  # noqa: T201  # as below


def _typed(answer: dict[str, Any]) -> str:
    """What the person types at the terminal."""
    _say(plain(str(answer.get("text", ""))))
    try:
        return input(f"Type {answer.get('typed_again')} to confirm: ").strip()
    except EOFError:
        return ""


def plain(mrkdwn: str) -> str:
    """A text for Slack as a terminal shows it: links by their words, nothing escaped."""
    return html.unescape(_LINK.sub(_readable, mrkdwn))


def _readable(found: re.Match[str]) -> str:
    target, label = found["target"], found["label"]
    if label is None or target.startswith(("http://", "https://")):
        return f"{label} ({target})" if label else target
    return label


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # the command line speaks to a person
