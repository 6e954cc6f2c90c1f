"""Press on Slack's own Stop button, which appears in a thread while the agent's session works.

According to Slack's page on `agent_session_stopped`, the app must end its work, say so, and set the session's status.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.installation import installed_team
from bot.models.interaction import Requester
from bot.models.message import SlackId, thread_id
from bot.models.thread_id import ThreadId

STOPPED = "agent_session_stopped"


class StopPress(Fact):
    """One press."""

    interaction_id: str
    """Identical for every delivery of it."""
    team_id: SlackId
    """The workspace of the user who pressed."""
    user_id: SlackId
    channel_id: SlackId
    thread_ts: str
    conversation: ThreadId
    """The id of the thread."""

    @property
    def asker(self) -> Requester:
        """Return the user who pressed, for permissions."""
        return Requester(
            text="",
            interaction_id=self.interaction_id,
            team_id=self.team_id,
            user_id=self.user_id,
            channel_id=self.channel_id,
            thread_id=self.conversation,
            via="chat",
        )


def read_stop_press(body: dict[str, Any], *, team: str = "") -> StopPress | None:
    """Parse a press on Stop; `None` for every other body. `team` is the workspace that has the app."""
    try:
        event = body["event"]
        if event["type"] != STOPPED:
            return None
        return StopPress(
            interaction_id=body["event_id"],
            team_id=body["team_id"],
            user_id=event["user"],
            channel_id=event["channel"],
            thread_ts=event["thread_ts"],
            conversation=thread_id(team or installed_team(body), event["channel"], event["thread_ts"]),
        )
    except (KeyError, TypeError, ValidationError):
        return None
