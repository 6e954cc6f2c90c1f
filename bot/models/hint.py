"""Hints: what one question may tell the agents of another one: closed fields, and what the bot itself has posted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from bot.models.fact import Fact

Visibility = Literal["public", "private", "direct", "shared"]
"""Who reads a channel: everyone of the workspace; those invited; the people of a direct message; outsiders too."""

PlainPath = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._/-]{1,120}$")]


SUMMARY = 300
"""Characters of a posted reply that a hint holds."""


def summary(reply: str) -> str:
    """Shorten a posted reply to one line, cut after a word."""
    flat = " ".join(reply.split())
    return flat if len(flat) <= SUMMARY else f"{flat[: SUMMARY + 1].rpartition(' ')[0] or flat[:SUMMARY]} …"


class HintSource(Fact):
    """Where something was said, and who could read it there."""

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
    """Files that its draft cites and that code has checked."""
    replied: str = ""
    """The beginning of the reply that the bot has posted there; empty without one."""

    @property
    def line(self) -> str:
        """The hint in a model's prompt."""
        cited = f", cites {', '.join(self.cites)}" if self.cites else ""
        about = f"{self.question_type} about {self.project}, {self.status}, confidence {self.confidence}"
        said = f"; the reply posted there: {self.replied}" if self.replied else ""
        return f"- {self.thread_id}: {about}{cited}{said}"
