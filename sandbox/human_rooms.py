"""People's actions on channels, as JSON over HTTP: create, join, leave, rename, archive and delete."""

from sandbox.administration import Act
from sandbox.body import Body
from sandbox.conversation import Conversation
from sandbox.models import Json
from sandbox.rooms import Rooms
from sandbox.workspace import Workspace


class HumanRooms:
    """Actions on channels under /human; all but joining require membership."""

    def __init__(self, workspace: Workspace, rooms: Rooms) -> None:
        self._workspace = workspace
        self._rooms = rooms

    def acts(self) -> dict[str, Act]:
        return {
            "channel": self._channel,
            "join": self._join,
            "invite": self._invite,
            "leave": self._leave,
            "kick": self._kick,
            "rename": self._rename,
            "topic": self._topic,
            "archive": self._archive,
            "unarchive": self._unarchive,
            "delete_channel": self._delete,
        }

    async def _channel(self, body: Body) -> Json:
        """Create a channel, with its creator as the first member."""
        private = body.flag("is_private", default=False)
        room = self._rooms.create(body.text("name"), user=body.user, is_private=private)
        return {"ok": True, "channel": room.id}

    async def _join(self, body: Body) -> Json:
        user = body.user
        self._rooms.join(self._workspace.visible(body.text("channel"), to=user), user=user)
        return {"ok": True}

    async def _invite(self, body: Body) -> Json:
        """Invite `who`, such as the app's bot, to a channel of the person."""
        user = body.user
        self._rooms.invite(self._conversation_of(body), user=self._workspace.person(body.text("who")).id, inviter=user)
        return {"ok": True}

    async def _leave(self, body: Body) -> Json:
        self._rooms.leave(self._conversation_of(body), user=body.user)
        return {"ok": True}

    async def _kick(self, body: Body) -> Json:
        """Remove `who` from a channel of the person."""
        self._rooms.kick(self._conversation_of(body), user=self._workspace.person(body.text("who")).id, by=body.user)
        return {"ok": True}

    async def _rename(self, body: Body) -> Json:
        self._rooms.rename(self._conversation_of(body), body.text("name"), user=body.user)
        return {"ok": True}

    async def _topic(self, body: Body) -> Json:
        self._rooms.describe(self._conversation_of(body), "topic", body.text("text"), user=body.user)
        return {"ok": True}

    async def _archive(self, body: Body) -> Json:
        self._rooms.archive(self._conversation_of(body), user=body.user)
        return {"ok": True}

    async def _unarchive(self, body: Body) -> Json:
        self._rooms.unarchive(self._conversation_of(body), user=body.user)
        return {"ok": True}

    async def _delete(self, body: Body) -> Json:
        self._rooms.delete(self._conversation_of(body), user=body.user)
        return {"ok": True}

    def _conversation_of(self, body: Body) -> Conversation:
        return self._workspace.conversation(body.text("channel"), member=body.user)
