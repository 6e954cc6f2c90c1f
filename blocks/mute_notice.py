"""Notice to an operator that somebody has muted the thread of an incident or alert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.incident import title_incident
from blocks.queue import question_link
from blocks.text import escape, shorten_line

if TYPE_CHECKING:
    from bot.models.thread import Thread


def build_mute_notice(thread: Thread, user: str, url: str) -> str:
    """Build a line that names who muted the thread, and what goes on; `url` is the workspace's address."""
    if thread.incident:
        title = f"{'' if thread.incident.is_over else 'now '}{title_incident(thread.incident)}"
    else:
        title = thread.alert.alert.title if thread.alert else ""
    what = f"<{question_link(thread, url)}|this thread> ({escape(shorten_line(title, 150))})"
    goes_on = "The outage goes on: its card and runbooks stay with you. " if thread.is_about_outage else ""
    return (
        f"<@{user}> muted {what}. {goes_on}Triage writes nothing more there, and reads nothing there, until it is "
        "mentioned in it; a later outage gets its card all the same. `!triage unmute` there lifts it."
    )
