"""What Slack says of the page that a person looks at, by table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.viewed_page import read_page_viewed, read_viewed_channel
from tests.tables import each_row

CHANNEL = {"type": "slack#/types/channel_id", "value": "C0HELP", "team_id": "T0"}
CANVAS = {"type": "slack#/types/canvas_id", "value": "F0CANVAS"}
LIST = {"type": "slack#/types/list_id", "value": "F0LIST"}
MESSAGE = {"type": "slack#/types/message_context", "value": {"message_ts": "1.000001", "channel_id": "C0PORTAL"}}
ANA = {"user": "U0ANA", "channel": "D0ANA"}
BY = {"authorizations": [{"user_id": "U0BOT", "is_bot": True}, {"user_id": "U0ANA", "is_bot": False}]}


@each_row(
    ("context", "channel"),
    [
        ({"entities": [CHANNEL]}, "C0HELP"),
        ({"entities": [MESSAGE, CHANNEL]}, "C0PORTAL"),
        ({"entities": [CANVAS, LIST, CHANNEL]}, "C0HELP"),
        ({"entities": [CANVAS]}, ""),
        ({"entities": []}, ""),
        ({}, ""),
    ],
)
@each_row(("named", "around"), [(ANA, {}), ({}, BY), (ANA, BY)])
def test_a_page_is_read_from_either_shape(
    context: dict[str, Any], channel: str, named: dict[str, str], around: dict[str, Any]
) -> None:
    """The first entity with a channel counts; an empty context is no page."""
    found = read_page_viewed({"event": {"type": "app_context_changed", "context": context, **named}, **around})
    assert found is not None
    assert (found.user_id, found.channel_id) == ("U0ANA", channel)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"event": None},
        {"event": {"type": "message", "context": {}, **ANA}},
        {"event": {"type": "app_context_changed", **ANA}},
        {"event": {"type": "app_context_changed", "context": {"entities": ["C0HELP"]}, **ANA}},
        {"event": {"type": "app_context_changed", "context": {"entities": [CHANNEL]}}},
        {"event": {"type": "app_context_changed", "context": {}}, "authorizations": [{"user_id": "B", "is_bot": True}]},
    ],
)
def test_what_says_of_nobody_or_of_no_context_is_nothing(body: dict[str, Any]) -> None:
    """Whatever its shape."""
    assert read_page_viewed(body) is None


@pytest.mark.parametrize(
    ("event", "channel"),
    [
        ({}, None),
        ({"app_context": {"entities": [CHANNEL]}}, "C0HELP"),
        ({"app_context": {}}, ""),
        ({"app_context": "C0HELP"}, None),
        ({"assistant_thread": {"context": {"channel_id": "C0HELP"}}}, "C0HELP"),
        ({"assistant_thread": {"context": {}}}, ""),
        ({"assistant_thread": {"action_token": "1"}}, None),
    ],
)
def test_a_message_may_say_what_its_author_looks_at(event: dict[str, Any], channel: str | None) -> None:
    """One that does not say it takes nothing back."""
    assert read_viewed_channel(event) == channel
