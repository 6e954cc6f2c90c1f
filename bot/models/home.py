"""The App Home: that somebody opened it, what they press there, and what it shows.

`intake/record` reads the first two from Slack's payloads; `chat/app_home` makes the last of what is known, and
`blocks/home` draws it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.installation import installed_team
from bot.models.message import SlackId

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.models.thread import Thread


_OWN_BUTTONS = ("home_", "queue_", "show_card")
"""What the `action_id` of a button begins with that is the Home's own."""


class HomeOpened(Fact):
    """Somebody looks at the Home."""

    team_id: SlackId
    user_id: SlackId


class MessagesOpened(Fact):
    """Somebody looks at their direct messages with the bot."""

    team_id: SlackId
    user_id: SlackId
    channel_id: SlackId


class HomePress(Fact):
    """A button of the Home was pressed that is not one of a question's card."""

    interaction_id: str
    """The same for every delivery of one press."""
    team_id: SlackId
    user_id: SlackId
    action: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What a day has come to."""

    drafts: int
    """Drafts made for the day's questions."""
    approved: int
    bounced: int
    cost_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePicture:
    """What the Home shows an operator. The threads are the oldest ones; the numbers count all.

    `why_held` says of a thread why its investigation waits.
    """

    at: datetime
    url: str
    """The workspace's address."""
    state: str
    """`running`, `paused` or `stopped`."""
    since: datetime | None
    connected: bool
    waiting: Sequence[dict[str, Any]]
    """What waits for a decision, as blocks."""
    waiting_in_all: int
    running: tuple[Thread, ...]
    running_in_all: int
    why_held: Callable[[Thread], str | None] = lambda _: None
    held: int
    """Questions that wait for `resume`."""
    in_line: int
    """Questions that wait for their turn."""
    today: Today | None
    """`None` where it could not be counted."""
    zone: str
    """The time zone in which the day began."""
    may_control: bool
    """True if this person may pause and resume."""
    said: str = ""
    """What came of the button that was pressed last, as mrkdwn."""
    problems: Sequence[str] = ()
    """What Slack keeps from the bot, with what to do about it, as mrkdwn."""


def read_home_opened(body: dict[str, Any]) -> HomeOpened | None:
    """That somebody opened the Home, in an `app_home_opened` event; `None` for every other body."""
    try:
        event = body["event"]
        if (event["type"], event["tab"]) != ("app_home_opened", "home"):
            return None
        return HomeOpened(team_id=installed_team(body), user_id=event["user"])
    except (KeyError, TypeError, ValidationError):
        return None


def read_messages_opened(body: dict[str, Any]) -> MessagesOpened | None:
    """That somebody opened the Messages tab, in an `app_home_opened` event; `None` for every other body."""
    try:
        event = body["event"]
        if (event["type"], event["tab"]) != ("app_home_opened", "messages"):
            return None
        return MessagesOpened(team_id=installed_team(body), user_id=event["user"], channel_id=event["channel"])
    except (KeyError, TypeError, ValidationError):
        return None


def read_home_press(body: dict[str, Any]) -> HomePress | None:
    """The press in a `block_actions` payload of the Home; `None` for one of any other place, or of a card's button."""
    try:
        if body["view"]["type"] != "home":
            return None
        action = body["actions"][0]
        if not action["action_id"].startswith(_OWN_BUTTONS):
            return None
        return HomePress(
            interaction_id=f"{body['user']['id']}-{action['action_id']}-{action['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            action=action["action_id"],
            value=action.get("value") or "",
        )
    except (KeyError, IndexError, TypeError, ValidationError):
        return None
