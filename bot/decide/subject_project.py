"""Project of a question in a direct message whose text names none. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.models.viewed_page import SubjectProject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.viewed_page import Page


def subject_project(
    text: str, *, projects: Sequence[str], chosen: str | None, looked_at: Page | None
) -> SubjectProject | None:
    """Return the project chosen by command, else that of the viewed channel; `None` where the text names one.

    `chosen` is the active project of the conversation.
    """
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in projects):
        return None
    if chosen:
        why = "set_active_project"
        return SubjectProject(project=chosen, why=why, told=f"which you chose with `{why}`")
    if looked_at is None or looked_at.project is None:
        return None
    name = looked_at.channel
    return SubjectProject(
        project=looked_at.project, why=f"#{name}, which the asker looked at", told=f"#{name}, which you are looking at"
    )
