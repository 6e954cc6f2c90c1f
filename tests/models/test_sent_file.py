"""Which files are text, which are opened, and what is said of those that were not read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.sent_file import LARGEST, MOST_READ, SentFile, sent_file, why_unread
from bot.models.thread_message import ThreadMessage

URL = "https://files.slack.com/files-pri/T0-F0/a"


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ({"mimetype": "text/plain", "url_private": URL}, ""),
        ({"mimetype": "application/json", "filetype": "json", "url_private": URL}, ""),
        ({"filetype": "diff", "size": LARGEST, "url_private": URL}, ""),
        ({"filetype": "yaml", "size": LARGEST + 1, "url_private": URL}, "it is larger than 100 KB"),
        ({"filetype": "python"}, "Slack gives no address for it"),
        ({"file_access": "check_file_info"}, "it is not text"),
        ({"mimetype": "image/png", "filetype": "png", "url_private": URL}, None),
    ],
)
def test_a_file_is_opened_by_what_slack_says_of_it(shape: dict[str, Any], problem: str | None) -> None:
    """What is no text is no such file at all; one that was only named must be asked for first."""
    file = sent_file({"id": "F0A", "name": "a", **shape}, "a")
    assert (None if file is None else why_unread(file)) == problem


@pytest.mark.parametrize(
    ("changes", "unread"),
    [
        ({}, ("b.png", "a.log")),
        ({"text": "all"}, ("b.png",)),
        ({"text": "much", "is_cut": True}, ("b.png", f"a.log, but for its first {MOST_READ:,} characters")),
        ({"problem": "it is not text"}, ("b.png", "a.log (it is not text)")),
    ],
)
def test_people_are_told_what_nobody_has_read(changes: dict[str, Any], unread: tuple[str, ...]) -> None:
    """With the reason, where somebody has tried."""
    file = SentFile(id="F0A", name="a.log", called="a.log").evolve(**changes)
    names = ("b.png", "a.log")
    message = ThreadMessage(
        message_id="1.0", sender_id="U0ANA", content="", by_bot=False, asks="", round=1, unread=names, files=(file,)
    )
    assert message.still_unread == unread
