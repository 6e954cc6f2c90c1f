"""App Home: the events of opening it, the presses on it, and its view model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.installation import installed_team
from bot.models.message import SlackId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from bot.models.cost import Cost
    from bot.models.service_state import ServiceState
    from bot.models.system_event import SystemEvent
    from bot.models.thread import Thread


_OWN_BUTTONS = ("home_", "queue_", "show_card")
"""Prefixes of the `action_id` of the Home's own buttons."""


class HomeOpened(Fact):
    """A user opened the Home."""

    team_id: SlackId
    user_id: SlackId


class MessagesOpened(Fact):
    """A user opened the direct messages with the bot."""

    team_id: SlackId
    user_id: SlackId
    channel_id: SlackId


class HomePress(Fact):
    """A press on a button of the Home other than those of a question's card."""

    interaction_id: str
    """Identical for every delivery of one press."""
    team_id: SlackId
    user_id: SlackId
    action: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """The figures of one day."""

    drafts: int
    """Drafts made for the day's questions."""
    approved: int
    bounced: int
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeView:
    """View model of an operator's Home. It lists the oldest threads; the numbers count all. `running` has none of
    those in `escalated`.

    `held_reasons` are the reasons why investigations wait, by thread.
    """

    at: datetime
    url: str
    """The workspace's address."""
    state: str
    """`running`, `paused` or `stopped`."""
    since: datetime | None
    connected: bool
    waiting: Sequence[dict[str, Any]]
    """Blocks for the questions that wait for a decision."""
    waiting_in_all: int
    running: tuple[Thread, ...]
    running_in_all: int
    escalated: tuple[Thread, ...] = ()
    escalated_in_all: int = 0
    events: Sequence[SystemEvent] = ()
    """Events of the supervisor of the last day, the most important first."""
    services: Sequence[ServiceState] = ()
    """Every service whose health is checked; the first ones, which are listed, are without secrets."""
    held_reasons: Mapping[str, str] = field(default_factory=dict)
    held_count: int
    """Number of questions that wait for `resume`."""
    in_line: int
    """Number of questions that wait for their turn."""
    today: Today | None
    """`None` if it could not be counted."""
    zone: str
    """The time zone that defines the day."""
    may_control: bool
    """True if this person may pause and resume."""
    message: str = ""
    """The result of the last press, as mrkdwn."""
    problems: Sequence[str] = ()
    """Missing Slack permissions and the remedy for each, as mrkdwn."""


def read_home_opened(body: dict[str, Any]) -> HomeOpened | None:
    """Parse an `app_home_opened` event of the Home tab; `None` for every other body."""
    try:
        event = body["event"]
        if (event["type"], event["tab"]) != ("app_home_opened", "home"):
            return None
        return HomeOpened(team_id=installed_team(body), user_id=event["user"])
    except (KeyError, TypeError, ValidationError):
        return None


def read_messages_opened(body: dict[str, Any]) -> MessagesOpened | None:
    """Parse an `app_home_opened` event of the Messages tab; `None` for every other body."""
    try:
        event = body["event"]
        if (event["type"], event["tab"]) != ("app_home_opened", "messages"):
            return None
        return MessagesOpened(team_id=installed_team(body), user_id=event["user"], channel_id=event["channel"])
    except (KeyError, TypeError, ValidationError):
        return None


def read_home_press(body: dict[str, Any]) -> HomePress | None:
    """Parse a press on the Home in a `block_actions` payload; `None` for other places and for a card's buttons."""
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
