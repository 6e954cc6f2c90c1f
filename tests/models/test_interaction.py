"""Slash commands as Slack delivers them, and as they were typed."""

from __future__ import annotations

import pytest

from bot.models.interaction import LONGEST_INPUT, TypedCommand, read_command, read_dialog
from tests.builders import CHANNEL, TEAM


@pytest.mark.parametrize(
    ("delivered", "typed"),
    [
        ("create_project shop <https://github.com/a/b>", "create_project shop https://github.com/a/b"),
        ("create_project shop <https://github.com/a/b|github.com/a/b>", "create_project shop https://github.com/a/b"),
        (
            "thread <https://a.slack.com/p1?thread_ts=1.2&amp;cid=C1>",
            "thread https://a.slack.com/p1?thread_ts=1.2&cid=C1",
        ),
        ('write_note "R&amp;D" a &lt; b &amp;lt; c', 'write_note "R&D" a < b &lt; c'),
        ("mode <#C0HELP|help> live", "mode <#C0HELP|help> live"),
        ("append_note Who <@U0ANA|ana> <mailto:ana@a.org|ana@a.org>", "append_note Who <@U0ANA|ana> ana@a.org"),
        ("search_files a <b> c", "search_files a <b> c"),
    ],
)
def test_a_command_is_read_as_it_was_typed(delivered: str, typed: str) -> None:
    """Slack wraps links and escapes signs; channels and people stay as it names them."""
    body = {"trigger_id": "1.2", "user_id": "U0ADMIN", "team_id": TEAM, "channel_id": CHANNEL, "text": delivered}
    read = read_command(body)
    assert isinstance(read, TypedCommand)
    assert read.text == typed


@pytest.mark.parametrize(("root", "thread"), [("1.000001", f"{TEAM}-{CHANNEL}-1.000001"), ("", None), (None, None)])
def test_a_command_has_the_thread_that_slack_tells(root: str | None, thread: str | None) -> None:
    """Most commands have none."""
    body = {"trigger_id": "1.2", "user_id": "U0ADMIN", "team_id": TEAM, "channel_id": CHANNEL, "text": "mute"}
    read = read_command(body if root is None else body | {"thread_ts": root})
    assert isinstance(read, TypedCommand)
    assert read.thread_id == thread


@pytest.mark.parametrize("more", [0, 1])
def test_a_dialog_holds_no_more_than_slack_lets_one_type(more: int) -> None:
    """A longer one is nobody's, so that no part of it is worked on."""
    fields = {"text": {"text": {"value": "a" * (LONGEST_INPUT + more)}}}
    named = f"{TEAM}-{CHANNEL}-1.000001/1 abc"
    view = {"id": "V1", "callback_id": "edit", "private_metadata": named, "state": {"values": fields}}
    read = read_dialog({"team": {"id": TEAM}, "user": {"id": "U0OPS"}, "view": view})
    assert (read is None) == bool(more)
