"""Assistant chats (`assistant_view`), the channel that a person views beside the app, and Slack's Stop button."""

from sandbox import seed
from sandbox.administration import Act
from sandbox.assistance import STOPPED, Assistance
from sandbox.body import Body
from sandbox.manifest import Manifest
from sandbox.models import Json, Refused
from sandbox.publisher import Publisher
from sandbox.workspace import Workspace


class AssistantThreads:
    """Actions under /human that open a chat, change the viewed channel or stop the app, if the manifest allows them."""

    def __init__(
        self, *, workspace: Workspace, assistance: Assistance, publisher: Publisher, manifest: Manifest | None
    ) -> None:
        self._workspace = workspace
        self._assistance = assistance
        self._publisher = publisher
        self._manifest = manifest

    def acts(self) -> dict[str, Act]:
        return {"assistant": self._start, "context": self._look, "stop": self._stop}

    async def _start(self, body: Body) -> Json:
        """Open a new chat with the app; `channel` is the one that the person viewed."""
        user = body.user
        self._refuse_without("assistant_view")
        room = self._workspace.conversation(seed.direct_channel(user), member=user)
        context = self._context(body, user)
        root = self._workspace.note(
            room.id, "New Assistant Thread", user=seed.BOT_USER, subtype="assistant_app_thread", is_root=True
        )
        self._tell("assistant_thread_started", user, root.ts, context)
        return {"ok": True, "channel": room.id, "thread_ts": root.ts}

    async def _look(self, body: Body) -> Json:
        """View another channel while the app is open: in a chat (`thread_ts`), or in its messages."""
        user, thread_ts = body.user, body.optional("thread_ts")
        context = self._context(body, user)
        if thread_ts is not None:
            self._refuse_without("assistant_view")
            self._tell("assistant_thread_context_changed", user, thread_ts, context)
            return {"ok": True}
        self._refuse_without("agent_view")
        entity = {"type": "slack#/types/channel_id", "value": context.get("channel_id"), "team_id": seed.TEAM_ID}
        room = seed.direct_channel(user)
        event: Json = {
            "user": user,
            "channel": room,
            "context": {"entities": [entity]} if context else {},
            "event_ts": self._workspace.next_ts(),
        }
        self._publisher.send("app_context_changed", event, room, by=user)
        return {"ok": True}

    async def _stop(self, body: Body) -> Json:
        """Press Slack's Stop in a thread whose session is `processing`; only the app changes that status."""
        user, room = body.user, self._workspace.visible(body.text("channel"), to=body.user)
        thread_ts = body.text("thread_ts")
        if not self._assistance.can_be_stopped(room.id, thread_ts):
            raise Refused("stop_not_found")
        event: Json = {
            "user": user,
            "channel": room.id,
            "thread_ts": thread_ts,
            "streaming_message_ts": [],
            "event_ts": self._workspace.next_ts(),
        }
        self._publisher.send(STOPPED, event, room.id, by=user)
        return {"ok": True}

    def _tell(self, kind: str, user: str, thread_ts: str, context: Json) -> None:
        room = seed.direct_channel(user)
        thread = {"user_id": user, "context": context, "channel_id": room, "thread_ts": thread_ts}
        event = {"assistant_thread": thread, "event_ts": self._workspace.next_ts()}
        self._publisher.send(kind, event, room, by=user)

    def _context(self, body: Body, user: str) -> Json:
        channel = body.optional("channel")
        if channel is None:
            return {}
        room = self._workspace.visible(channel, to=user)
        enterprise = self._workspace.roster.home.enterprise_id or None
        return {"channel_id": room.id, "team_id": seed.TEAM_ID, "enterprise_id": enterprise}

    def _refuse_without(self, view: str) -> None:
        if self._manifest is not None and view not in self._manifest.views:
            raise Refused("no_such_view", f"[ERROR] the manifest has no features.{view}")
