"""A command that waits for its asker's press, and what they press and type.

`intake/record` reads presses and dialogs from Slack's payloads; `commands/confirmations` keeps what waits, and
`commands/confirmation_buttons` acts.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints, ValidationError

from bot.models.fact import Fact
from bot.models.interaction import Asker
from bot.models.message import SlackId, Ts

ConfirmationId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,64}$")]

CONFIRM, CANCEL = "command_confirm", "command_cancel"
"""The buttons; the dialog goes by the first name too."""

TYPED = "typed"
"""The `block_id` of the dialog's one input."""


class ButtonsPlace(Fact):
    """The message with the buttons, in the direct message of whoever asked; `ts` is `None` until Slack has said it."""

    channel: SlackId
    thread_ts: Ts | None = None
    ts: Ts | None = None


class Confirmation(Fact):
    """What was asked, by whom, and until when a press does it."""

    confirmation_id: ConfirmationId
    command: str
    """Its name in the catalogue."""
    given: dict[str, Any]
    """Its input; empty once it is settled."""
    asker: Asker
    said: str
    """What would happen, as mrkdwn, without secrets; empty once it is settled, too."""
    typed_again: str | None
    """What must be typed, for one that nothing takes back."""
    until: datetime
    state: Literal["open", "taken", "cancelled", "replaced", "expired"] = "open"
    """`replaced` is one whose order was given again."""
    buttons: ButtonsPlace | None = None
    """Where its buttons stand, or may stand; `None` once they have given way."""


class Confirmed(Fact):
    """Who settles which command."""

    interaction_id: str
    """The same for every delivery of one press or dialog."""
    team_id: SlackId
    user_id: SlackId
    confirmation_id: ConfirmationId


class ConfirmationPress(Confirmed):
    """A button was pressed."""

    action: Literal["command_confirm", "command_cancel"]
    channel_id: SlackId
    trigger_id: str
    """Opens one dialog, within three seconds."""


class ConfirmationDialog(Confirmed):
    """The dialog behind the button was submitted."""

    action: Literal["command_confirm"]
    typed: str


def read_confirmation_press(body: dict[str, Any]) -> ConfirmationPress | None:
    """The press in a `block_actions` payload; `None` when it is on another button."""
    try:
        pressed = body["actions"][0]
        return ConfirmationPress(
            interaction_id=f"{body['user']['id']}-{pressed['action_id']}-{pressed['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            channel_id=body["channel"]["id"],
            action=pressed["action_id"],
            confirmation_id=pressed["value"],
            trigger_id=body["trigger_id"],
        )
    except (KeyError, IndexError, TypeError, ValidationError):
        return None


def read_confirmation_dialog(body: dict[str, Any]) -> ConfirmationDialog | None:
    """The dialog in a `view_submission` payload; `None` when it is another one."""
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
    """Where the message with the pressed button can be changed."""
    url = body.get("response_url")
    return url if isinstance(url, str) else None
