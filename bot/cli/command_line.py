"""Parser of the command line: help that fits the terminal, and errors that name the next step."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from difflib import get_close_matches
from typing import Any, NoReturn

from bot.cli.subcommands import COMMANDS, GROUPS

PROGRAM = "triage"
_USAGE = "usage: triage COMMAND [OPTION …]"
_INTRODUCTION = "A Slack bot that drafts; people approve."
_NEXT = "`triage help COMMAND` describes one; `triage demo` is a good start."
_INDENT = 2


class HelpFormatter(argparse.HelpFormatter):
    """Help as it is written, with lines wrapped between words where they do not fit."""

    def __init__(self, prog: str) -> None:
        columns = shutil.get_terminal_size().columns - 2
        super().__init__(prog, max_help_position=min(24, columns // 3), width=columns)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return _wrap("\n".join(f"{indent}{line}" for line in text.splitlines()), width)

    def _format_usage(self, *given: Any) -> str:
        return f"{_wrap(super()._format_usage(*given).rstrip(), self._width)}\n\n"


class Parser(argparse.ArgumentParser):
    """Parser whose errors end with the next step."""

    def error(self, message: str) -> NoReturn:
        """Print the usage, the error and the next step, and exit with 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n`{self.prog} --help` has its options.\n")

    def suggest_option(self, word: str) -> str:
        """Return the option that a word was meant to be, as a question; empty if there is none."""
        known = [name for action in self._actions for name in action.option_strings]
        near = get_close_matches(word.partition("=")[0], known, n=1) if word.startswith("-") else []
        return f"; did you mean {near[0]}?" if near else ""


class ListParser(Parser):
    """Parser of `triage` itself, whose help is the list of subcommands."""

    def error(self, message: str) -> NoReturn:
        """Print the error with the next step, and exit with 2."""
        self.exit(2, f"{self.prog}: error: {message}\n")

    def format_help(self) -> str:
        """Return the list."""
        return list_commands(shutil.get_terminal_size().columns)


def list_commands(width: int) -> str:
    """Return the subcommands in their groups, in lines of at most `width` columns."""
    column = _INDENT + max(map(len, COMMANDS)) + _INDENT
    lines = [_USAGE, "", *_fill(_INTRODUCTION, width)]
    for title, commands in GROUPS.items():
        lines += ["", title]
        for name, command in commands.items():
            lines += _fill(command.summary, width, first=f"{'':{_INDENT}}{name}".ljust(column), further=" " * column)
    return "\n".join([*lines, "", *_fill(_NEXT, width), ""])


def name_unknown(word: str) -> str:
    """Return the error of a subcommand that does not exist, with the next step."""
    if near := get_close_matches(word, COMMANDS, n=1, cutoff=0.7):
        return f"there is no command {word!r}; did you mean `{PROGRAM} {near[0]}`?"
    from bot.commands.catalogue import CATALOGUE  # a second to import, for an error

    if word in CATALOGUE:
        return f"{word!r} is a command of the running bot: `{PROGRAM} command {word}`"
    return f"there is no command {word!r}; `{PROGRAM}` lists all"


def _fill(text: str, width: int, *, first: str = "", further: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        max(width, len(further) + 1),
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrap(text: str, width: int) -> str:
    """Wrap the lines that do not fit; further lines begin below their first word."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += [line] if len(line) <= width else _fill(line, width, further=indent)
    return "\n".join(lines)
