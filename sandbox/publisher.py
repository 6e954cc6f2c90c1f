"""Publisher: the last step of every event, which filters and wraps it."""

from collections.abc import Callable

from sandbox import seed
from sandbox.manifest import Manifest
from sandbox.models import Json
from sandbox.workspace import Workspace
from sandbox.wrapper import wrap_event


class Publisher:
    """Filter and wrapper of events; `publish` gets the whole payload.

    With a manifest only subscribed events are sent. An app gets no events of a channel that its bot is not in.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        manifest: Manifest | None,
        is_installed: Callable[[], bool],
        publish: Callable[[Json], None],
    ) -> None:
        self._workspace = workspace
        self._manifest = manifest
        self._is_installed = is_installed
        self._publish = publish

    def send(
        self,
        kind: str,
        event: Json,
        channel: str | None,
        *,
        by: str | None = None,
        was_member: bool = False,
        is_last: bool = False,
    ) -> None:
        """Send an event if the app may get it. `channel` is None for events of the whole team; `by` is the actor.

        `was_member` is for a channel that the bot has just left, `is_last` for the end of the installation.
        """
        room = self._workspace.conversations.get(channel or "")
        if room is not None and not was_member and seed.BOT_USER not in room.members:
            return
        is_private = room is not None and room.is_private
        if self._manifest and not self._manifest.hears(_subscription(kind, event), is_private=is_private):
            return
        if not (self._is_installed() or is_last):
            return
        roster = self._workspace.roster
        actor = roster.people.get(by or "")
        self._publish(wrap_event({**event, "type": kind}, room, actor, roster, now=self._workspace.clock()))


def _subscription(kind: str, event: Json) -> str:
    """Return the event's name in a manifest; messages have one for each kind of conversation."""
    if kind != "message":
        return kind
    return {"im": "message.im", "group": "message.groups"}.get(event["channel_type"], "message.channels")
