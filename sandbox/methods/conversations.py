"""Methods conversations.* that read conversations and their messages."""

from sandbox import conversation_shapes, seed, shapes
from sandbox.arguments import Arguments
from sandbox.conversation import Conversation, Window
from sandbox.methods import Method
from sandbox.methods.paging import paginate
from sandbox.models import Json, Message, Refused
from sandbox.workspace import Workspace

KINDS = {"channel": "public_channel", "group": "private_channel", "im": "im"}


class Conversations:
    """Reading of conversations, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace) -> None:
        self._workspace = workspace

    def methods(self) -> dict[str, Method]:
        return {
            "conversations.list": self.channels,
            "conversations.info": self.info,
            "conversations.members": self.members,
            "conversations.open": self.open_direct,
            "conversations.history": self.history,
            "conversations.replies": self.replies,
        }

    def channels(self, arguments: Arguments) -> Json:
        types = (arguments.text("types") or "public_channel").split(",")
        wanted = {name.strip() for name in types}
        if not wanted <= {*KINDS.values(), "mpim"}:
            raise Refused("invalid_types")
        without_archived = arguments.flag("exclude_archived")
        channels = [
            self._shape(each)
            for each in self._workspace.conversations.values()
            if KINDS[each.kind] in wanted
            and (each.kind == "channel" or seed.BOT_USER in each.members)
            and not (each.is_im and self._workspace.is_stranger(each.members[0]))
            and not (without_archived and each.is_archived)
        ]
        page, cursor = paginate(channels, arguments, default=100)
        return {"channels": page, "response_metadata": {"next_cursor": cursor}}

    def info(self, arguments: Arguments) -> Json:
        conversation = self._visible(arguments)
        shape = conversation_shapes.describe(conversation, self._workspace.roster)
        if arguments.flag("include_num_members"):
            shape["num_members"] = len(conversation.members)
        # Slack's answer here lacks what only its lists carry.
        return {"channel": {key: value for key, value in shape.items() if key not in ("is_user_deleted", "priority")}}

    def members(self, arguments: Arguments) -> Json:
        active = [user for user in self._visible(arguments).members if not self._workspace.person(user).is_deactivated]
        page, cursor = paginate(active, arguments, default=100)
        return {"members": page, "response_metadata": {"next_cursor": cursor}}

    def open_direct(self, arguments: Arguments) -> Json:
        conversation = self._direct(arguments)
        was_open, conversation.is_open = conversation.is_open, True
        channel: Json = {"id": conversation.id}
        if arguments.flag("return_im"):
            shape = self._shape(conversation)
            channel = {key: value for key, value in shape.items() if key != "is_user_deleted"}
        answer: Json = {"channel": channel}
        return answer | {"no_op": True, "already_open": True} if was_open else answer

    def history(self, arguments: Arguments) -> Json:
        conversation = self._conversation(arguments)
        window = _window(arguments, default=100)
        page, cursor = window.newest_first(conversation.roots)
        messages = [conversation.messages[ts] for ts in page]
        answer: Json = {
            "messages": self._shapes(conversation, messages, arguments),
            "has_more": bool(cursor),
            "pin_count": 0,
            "channel_actions_ts": None,
            "channel_actions_count": 0,
        }
        return answer | {"response_metadata": {"next_cursor": cursor}} if cursor else answer

    def replies(self, arguments: Arguments) -> Json:
        """Return a thread's root and its replies, oldest first; the ts of a reply returns only that reply."""
        conversation = self._conversation(arguments)
        ts = arguments.required("ts")
        first = conversation.messages.get(ts)
        if first is None:
            raise Refused("thread_not_found")
        window = _window(arguments, default=1000)
        page, cursor = window.oldest_first(conversation.threads.get(ts, []))
        messages = [conversation.messages[reply] for reply in page]
        if not window.cursor:
            messages.insert(0, first)
        replies = self._shapes(conversation, messages, arguments)
        for shape in replies:
            for key in ("client_msg_id", "root"):
                shape.pop(key, None)  # Slack leaves them out here
        answer: Json = {"messages": replies, "has_more": bool(cursor)}
        return answer | {"response_metadata": {"next_cursor": cursor}} if cursor else answer

    def _shape(self, conversation: Conversation) -> Json:
        return conversation_shapes.conversation(conversation, self._workspace.roster)

    def _conversation(self, arguments: Arguments) -> Conversation:
        return self._workspace.conversation(arguments.required("channel"), member=seed.BOT_USER)

    def _visible(self, arguments: Arguments) -> Conversation:
        return self._workspace.visible(arguments.required("channel"), to=seed.BOT_USER)

    def _direct(self, arguments: Arguments) -> Conversation:
        if arguments.text("channel"):
            return self._conversation(arguments)
        users = arguments.required("users").split(",")
        if len(users) > 1:
            raise Refused("invalid_arguments", "[ERROR] this workspace has no group messages [json-pointer:/users]")
        person = self._workspace.person(users[0].strip())
        if person.is_bot:
            raise Refused("cannot_dm_bot")
        if person.is_deactivated:
            raise Refused("user_disabled")
        if self._workspace.is_stranger(person.id):
            raise Refused("user_not_visible")
        return self._workspace.conversations[seed.direct_channel(person.id)]

    def _shapes(self, conversation: Conversation, messages: list[Message], arguments: Arguments) -> list[Json]:
        metadata = arguments.flag("include_all_metadata")
        return [shapes.message(message, conversation, metadata=metadata) for message in messages]


def _window(arguments: Arguments, *, default: int) -> Window:
    return Window(
        limit=arguments.count("limit", default, maximum=999),
        oldest=arguments.text("oldest"),
        latest=arguments.text("latest"),
        inclusive=arguments.flag("inclusive"),
        cursor=arguments.text("cursor"),
    )
