"""Known place: a passage in the team's knowledge folder, an earlier triage file or an approved reply."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact


class KnownPlace(Fact):
    """A place that may hold an earlier answer, with its text."""

    source: Literal["knowledge", "triage_file", "reply"]
    ref: str
    """`path:12-20`, relative to the project's root if `in_project`; the `ts` of a reply."""
    in_project: bool = False
    """True if `read_file` can open it, so that it can be cited as a file."""
    said: str
    """The lines themselves."""
