"""The project that a question in a direct message is about, where its words name none. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectProject:
    """A project and why it was taken, for the asker (`told`) and on the card (`why`)."""

    project: str
    why: str
    told: str


def subject_project(
    text: str, *, projects: Sequence[str], chosen: str | None, looked_at: tuple[str, str] | None
) -> SubjectProject | None:
    """What they name goes first, then what they chose by command, then the channel that they look at.

    `chosen` is the active project of the conversation, `looked_at` a channel's name and its project.
    """
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in projects):
        return None
    if chosen:
        why = "set_active_project"
        return SubjectProject(project=chosen, why=why, told=f"which you chose with `{why}`")
    if looked_at is None:
        return None
    channel, project = looked_at
    return SubjectProject(
        project=project, why=f"#{channel}, which the asker looked at", told=f"#{channel}, which you are looking at"
    )
