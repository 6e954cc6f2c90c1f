"""The workspace that has the app, in whichever way a payload says it; and whose words it carries."""

from __future__ import annotations

from typing import Any

import pytest

from bot.intake.record import read
from bot.models.installation import installed_team, is_shared_externally, team_of_author
from bot.models.message import Message

OURS, THEIRS = "T0SANDBOX", "T0PARTNER"
HAS_APP: dict[str, Any] = {"authorizations": [{"team_id": OURS, "is_bot": True}]}


@pytest.mark.parametrize(
    ("body", "team"),
    [
        ({"team_id": OURS}, OURS),
        ({"team_id": THEIRS} | HAS_APP, OURS),
        ({"team_id": THEIRS, "context_team_id": OURS}, OURS),
        ({"team_id": THEIRS, "context_team_id": OURS, "authorizations": [{"team_id": None}]}, OURS),
        ({"team_id": OURS, "authorizations": []}, OURS),
        ({"team_id": OURS, "authorizations": "none"}, OURS),
        ({}, None),
    ],
)
def test_the_workspace_that_has_the_app_is_not_that_of_the_author(body: dict[str, Any], team: str | None) -> None:
    """`authorizations` count before what says where the event came from."""
    assert installed_team(body) == team


@pytest.mark.parametrize(
    ("event", "team"),
    [
        ({"team": THEIRS, "user_team": THEIRS, "source_team": THEIRS}, THEIRS),
        ({"team": OURS, "user_team": "E0PARTNER"}, "E0PARTNER"),
        ({"team": OURS}, OURS),
        ({"source_team": THEIRS}, THEIRS),
        ({"team": 7}, ""),
        ({}, ""),
    ],
)
def test_the_team_of_an_author_is_what_the_message_says(event: dict[str, Any], team: str) -> None:
    """In a mention `team` may be the app's."""
    assert team_of_author(event) == team


def body(author: str, text: str, *, root: str | None = None, **more: Any) -> dict[str, Any]:
    """A message of the shared channel by somebody of one team."""
    ts = "100.000001" if root is None else "101.000001"
    event = {"type": "message", "user": "U0RITA", "team": author, "channel": "C0SHARED", "ts": ts, "text": text}
    event |= {"thread_ts": root} if root else {}
    wrapper = {"type": "event_callback", "team_id": author, "is_ext_shared_channel": True}
    return {**wrapper, **HAS_APP, "event": event, **more}


def test_what_both_sides_say_stands_in_one_thread() -> None:
    """Whoever opened it."""
    for asks, adds in ((OURS, THEIRS), (THEIRS, OURS)):
        question = read(body(asks, "where is it?"), chat_names={}).payload
        follow_up = read(body(adds, "in version 2?", root="100.000001"), chat_names={}).payload
        assert isinstance(question, Message)
        assert isinstance(follow_up, Message)
        assert question.home == follow_up.home == f"{OURS}-C0SHARED-100.000001"
        assert (question.in_shared_channel, question.sender_team) == (True, asks)


def test_the_token_s_own_workspace_counts_before_what_a_payload_says() -> None:
    """A shortcut names the workspace of whoever takes it, and says nothing of the one that has the app."""
    taken = {
        "type": "message_action",
        "callback_id": "missed_this",
        "action_ts": "102.0",
        "user": {"id": "U0SIA"},
        "team": {"id": "T0SISTER"},
        "channel": {"id": "C0ORG"},
        "message": {"ts": "100.000001", "user": "U0ANA", "text": "where is it?"},
    }
    shortcut = read(taken, chat_names={}, team=OURS).payload
    assert shortcut is not None
    assert getattr(shortcut, "message").home == f"{OURS}-C0ORG-100.000001"  # noqa: B009  # of a union


@pytest.mark.parametrize(("said", "shared"), [(True, True), (False, False), (None, False), ("yes", False)])
def test_only_slack_s_own_word_makes_a_channel_shared(said: Any, shared: bool) -> None:
    """True, and nothing else."""
    assert is_shared_externally({"is_ext_shared_channel": said}) is shared
