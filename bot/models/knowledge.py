"""What is known already: a place in a folder of tribal knowledge, in an earlier triage file or among approved replies.

Found by `tools/knowledge`; handed to an engine with a question, or to an agent that asks for it.
"""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact


class KnownPlace(Fact):
    """Where an earlier answer may stand, and what stands there."""

    source: Literal["knowledge", "triage_file", "reply"]
    ref: str
    """`path:12-20`, relative to the project's root where `in_project`; of a reply its `ts`."""
    in_project: bool = False
    """True if `read_file` can open it, so that it can be cited as a file."""
    said: str
    """The lines themselves."""
