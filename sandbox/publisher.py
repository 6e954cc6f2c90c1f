"""The last step of every event: whether the app hears of it, and the wrapper around it."""

from collections.abc import Callable

from sandbox import seed
from sandbox.manifest import Manifest
from sandbox.models import Json
from sandbox.workspace import Workspace
from sandbox.wrapper import wrapped


class Publisher:
    """Hands each event's whole payload to `publish`.

    With a manifest only what it subscribes to is sent. An app hears of nothing in a channel that its bot is not in.
    """

    def __init__(self, workspace: Workspace, *, manifest: Manifest | None, publish: Callable[[Json], None]) -> None:
        self._workspace = workspace
        self._manifest = manifest
        self._publish = publish

    def send(self, kind: str, event: Json, channel: str | None, *, by: str | None = None) -> None:
        """`channel` is where it happened, None for what the whole team hears of; `by` is who acted."""
        if channel is not None and seed.BOT_USER not in self._workspace.conversations[channel].members:
            return
        if self._manifest and not self._manifest.hears(_subscription(kind, event)):
            return
        room = self._workspace.conversations.get(channel or "")
        roster = self._workspace.roster
        actor = roster.people.get(by or "")
        self._publish(wrapped({**event, "type": kind}, room, actor, roster, now=self._workspace.clock()))


def _subscription(kind: str, event: Json) -> str:
    """What the manifest calls it: messages are subscribed to by the kind of their conversation."""
    if kind != "message":
        return kind
    return {"im": "message.im", "group": "message.groups"}.get(event["channel_type"], "message.channels")
