"""Hints: what one open question may tell the agents of another one. Closed fields only, never a word that was said.

Made by `triage/hints`, which lets one through only where `decide/flows` permits it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from bot.models.fact import Fact

Visibility = Literal["public", "private", "direct", "shared"]
"""Who reads a channel: everyone of the workspace; those invited; the people of a direct message; outsiders too."""

PlainPath = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._/-]{1,120}$")]


class Label(Fact):
    """Where something was said, and who could read it there."""

    team_id: str
    chat_id: str
    visibility: Visibility


class Hint(Fact):
    """One open question, as the agents of another one see it."""

    thread_id: str
    question_type: str
    status: str
    project: str
    confidence: Literal["high", "medium", "low"]
    cites: tuple[PlainPath, ...]
    """Files that its draft cites and that code has checked."""

    @property
    def line(self) -> str:
        """The hint in a model's prompt."""
        cited = f", cites {', '.join(self.cites)}" if self.cites else ""
        about = f"{self.question_type} about {self.project}, {self.status}, confidence {self.confidence}"
        return f"- {self.thread_id}: {about}{cited}"
