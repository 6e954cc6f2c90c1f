"""Hints: closed fields and posted replies of one question, shared with the agents of another."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from bot.models.fact import Fact

Visibility = Literal["public", "private", "direct", "shared"]
"""Readers of a channel: everyone in the workspace; invited members; the people of a direct message; external people
too."""

PlainPath = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._/-]{1,120}$")]


SUMMARY = 300
"""Characters of a posted reply in a hint."""


def summary(reply: str) -> str:
    """Shorten a posted reply to one line, cut after a word."""
    flat = " ".join(reply.split())
    return flat if len(flat) <= SUMMARY else f"{flat[: SUMMARY + 1].rpartition(' ')[0] or flat[:SUMMARY]} …"


class HintSource(Fact):
    """The channel of a message, and its readers at that time."""

    team_id: str
    chat_id: str
    visibility: Visibility


class Hint(Fact):
    """One question, open or answered, as the agents of another one see it."""

    thread_id: str
    question_type: str
    status: str
    project: str
    confidence: Literal["high", "medium", "low"]
    cites: tuple[PlainPath, ...]
    """Files cited by its draft and checked by code."""
    replied: str = ""
    """The beginning of the reply posted there; empty without one."""

    @property
    def line(self) -> str:
        """Format the hint for a prompt."""
        cited = f", cites {', '.join(self.cites)}" if self.cites else ""
        about = f"{self.question_type} about {self.project}, {self.status}, confidence {self.confidence}"
        reply = f"; the reply posted there: {self.replied}" if self.replied else ""
        return f"- {self.thread_id}: {about}{cited}{reply}"
