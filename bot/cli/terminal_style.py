"""Colours of a terminal, by meaning. Words beside them always say the same, and other outputs have none."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

Meaning = Literal["good", "bad", "caution"]

_CODES: dict[Meaning, str] = {"good": "32", "bad": "31", "caution": "33"}


def is_watched(stream: TextIO | None, variables: Mapping[str, str] = os.environ) -> bool:
    """Return whether a person watches a stream: a terminal that can move its cursor, and no log of a CI job."""
    is_terminal = stream is not None and stream.isatty()
    return is_terminal and variables.get("TERM") != "dumb" and not variables.get("CI")


def has_colours(stream: TextIO | None, variables: Mapping[str, str] = os.environ) -> bool:
    """Return whether colours go to a stream: a person watches it, and `NO_COLOR` is unset or empty."""
    return is_watched(stream, variables) and not variables.get("NO_COLOR")


def paint(text: str, meaning: Meaning, stream: TextIO | None) -> str:
    """Return a text in the colour of its meaning, if the stream has colours."""
    return f"\x1b[{_CODES[meaning]}m{text}\x1b[0m" if has_colours(stream) else text


def find_width(stream: TextIO | None) -> int | None:
    """Return the columns of a terminal; `None` for a file or a pipe, whose lines are not broken."""
    return shutil.get_terminal_size().columns if stream is not None and stream.isatty() else None
