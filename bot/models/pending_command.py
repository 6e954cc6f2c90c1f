"""Command that waits for a confirmation, with the presses and dialogs that confirm it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints, ValidationError

from bot.models.button_press import read_button_press
from bot.models.fact import Fact
from bot.models.interaction import Asker
from bot.models.message import SlackId, Ts

ConfirmationId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,64}$")]

CONFIRM, CANCEL = "command_confirm", "command_cancel"
"""The buttons' ids; the dialog uses the first one too."""

TYPED = "typed"
"""The `block_id` of the dialog's one input."""


class ButtonsPlace(Fact):
    """The message with the buttons, in the requester's direct message; `ts` is `None` until Slack returns it."""

    channel: SlackId
    thread_ts: Ts | None = None
    ts: Ts | None = None


class Confirmation(Fact):
    """A pending command, its requester, and the time until which it can be confirmed."""

    confirmation_id: ConfirmationId
    command: str
    """Its name in the catalogue."""
    given: dict[str, Any]
    """Its input; empty once it is done or dropped. While a command that resumes is under way, it has its input."""
    asker: Asker
    said: str
    """The effect of the command, as mrkdwn, without secrets; empty once it is done or dropped."""
    typed_again: str | None
    """The text to type, for a command that cannot be undone."""
    until: datetime
    state: Literal["open", "taken", "cancelled", "replaced", "expired"] = "open"
    """`replaced`: the same order was given again."""
    taken_by: str | None = None
    """The interaction that confirmed it; `None` before."""
    buttons: ButtonsPlace | None = None
    """The place of its buttons, if posted; `None` once they are removed."""

    @property
    def is_under_way(self) -> bool:
        """Return whether it was begun and has not ended: a process that starts goes on with it."""
        return self.state == "taken" and bool(self.given)


class Confirmed(Fact):
    """A reaction of a user to a pending command."""

    interaction_id: str
    """Identical for every delivery of one press or dialog."""
    team_id: SlackId
    user_id: SlackId
    confirmation_id: ConfirmationId


class ConfirmationPress(Confirmed):
    """A press on Confirm or Cancel."""

    action: Literal["command_confirm", "command_cancel"]
    channel_id: SlackId
    trigger_id: str
    """Slack's trigger, which opens one dialog within three seconds."""


class ConfirmationDialog(Confirmed):
    """A submission of the dialog behind the button."""

    action: Literal["command_confirm"]
    typed: str


def read_confirmation_press(body: dict[str, Any]) -> ConfirmationPress | None:
    """Parse a press in a `block_actions` payload; `None` for other buttons."""
    try:
        pressed = body["actions"][0]
        return ConfirmationPress(
            **read_button_press(body),
            confirmation_id=pressed["value"],
            trigger_id=body["trigger_id"],
        )
    except (KeyError, IndexError, TypeError, ValidationError):
        return None


def read_confirmation_dialog(body: dict[str, Any]) -> ConfirmationDialog | None:
    """Parse a dialog in a `view_submission` payload; `None` for other dialogs."""
    try:
        view = body["view"]
        typed = next(iter(view["state"]["values"][TYPED].values()))["value"] or ""
        digest = hashlib.sha256(typed.encode("utf-8", "replace")).hexdigest()[:16]
        return ConfirmationDialog(
            interaction_id=f"{body['user']['id']}-{view['id']}-{digest}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            action=view["callback_id"],
            confirmation_id=view["private_metadata"],
            typed=typed,
        )
    except (KeyError, TypeError, AttributeError, StopIteration, ValidationError):
        return None


def read_address(body: dict[str, Any]) -> str | None:
    """Return the `response_url` through which the message with the pressed button can be changed."""
    url = body.get("response_url")
    return url if isinstance(url, str) else None
