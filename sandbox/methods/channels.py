"""Methods conversations.* that create, join, leave and change channels."""

from sandbox import conversation_shapes, seed
from sandbox.arguments import Arguments
from sandbox.conversation import Conversation
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.rooms import Rooms
from sandbox.workspace import Workspace


class Channels:
    """Channel operations, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, rooms: Rooms) -> None:
        self._workspace = workspace
        self._rooms = rooms

    def methods(self) -> dict[str, Method]:
        return {
            "conversations.create": self.create,
            "conversations.join": self.join,
            "conversations.leave": self.leave,
            "conversations.invite": self.invite,
            "conversations.kick": self.kick,
            "conversations.archive": self.archive,
            "conversations.unarchive": self.unarchive,
            "conversations.rename": self.rename,
            "conversations.setTopic": self.set_topic,
            "conversations.setPurpose": self.set_purpose,
            "conversations.mark": self.mark,
        }

    def create(self, arguments: Arguments) -> Json:
        name = arguments.text("name") or ""
        room = self._rooms.create(name, user=seed.BOT_USER, is_private=arguments.flag("is_private"))
        return {"channel": self._shape(room)}

    def join(self, arguments: Arguments) -> Json:
        room = self._visible(arguments)
        if self._rooms.join(room, user=seed.BOT_USER):
            return {"channel": self._shape(room)}
        warning = "already_in_channel"
        return {"channel": self._shape(room), "warning": warning, "response_metadata": {"warnings": [warning]}}

    def leave(self, arguments: Arguments) -> Json:
        """Leave a channel; no error if the bot is not in it."""
        return {} if self._rooms.leave(self._visible(arguments), user=seed.BOT_USER) else {"not_in_channel": True}

    def invite(self, arguments: Arguments) -> Json:
        room = self._conversation(arguments)
        users = [user.strip() for user in (arguments.text("users") or "").split(",") if user.strip()]
        if not users:
            raise Refused("no_user")
        faults = [fault for user in users if (fault := self._fault_of_invitation(room, user))]
        wrong = [fault["user"] for fault in faults]
        if faults and (len(faults) == len(users) or not arguments.flag("force")):
            raise Refused(faults[0]["error"], details={"errors": faults})
        for user in (user for user in users if user not in wrong):
            self._rooms.invite(room, user=user, inviter=seed.BOT_USER)
        return {"channel": self._shape(room)} | ({"errors": faults} if faults else {})

    def _fault_of_invitation(self, room: Conversation, user: str) -> Json | None:
        try:
            self._rooms.check_invitation(room, user=self._workspace.person(user).id, inviter=seed.BOT_USER)
        except Refused as refused:
            return {"user": user, "ok": False, "error": refused.error}
        return None

    def kick(self, arguments: Arguments) -> Json:
        room, user = self._conversation(arguments), self._workspace.person(arguments.required("user"))
        self._rooms.kick(room, user=user.id, by=seed.BOT_USER)
        return {}

    def archive(self, arguments: Arguments) -> Json:
        self._rooms.archive(self._conversation(arguments), user=seed.BOT_USER)
        return {}

    def unarchive(self, arguments: Arguments) -> Json:
        self._rooms.unarchive(self._conversation(arguments), user=seed.BOT_USER)
        return {}

    def rename(self, arguments: Arguments) -> Json:
        room = self._conversation(arguments)
        self._rooms.rename(room, arguments.text("name") or "", user=seed.BOT_USER)
        return {"channel": self._shape(room)}

    def set_topic(self, arguments: Arguments) -> Json:
        return self._describe("topic", arguments)

    def set_purpose(self, arguments: Arguments) -> Json:
        return self._describe("purpose", arguments)

    def mark(self, arguments: Arguments) -> Json:
        """Set the bot's read cursor: checked, but without effect."""
        self._conversation(arguments).message(arguments.required("ts"))
        return {}

    def _describe(self, what: str, arguments: Arguments) -> Json:
        room = self._conversation(arguments)
        if what not in arguments.values:
            raise Refused("invalid_arguments", f"[ERROR] missing required field: {what}")
        self._rooms.describe(room, what, arguments.text(what) or "", user=seed.BOT_USER)
        return {"channel": self._shape(room)}

    def _shape(self, room: Conversation) -> Json:
        return conversation_shapes.conversation(room, self._workspace.roster)

    def _visible(self, arguments: Arguments) -> Conversation:
        return self._workspace.visible(arguments.required("channel"), to=seed.BOT_USER)

    def _conversation(self, arguments: Arguments) -> Conversation:
        return self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER)
