"""Workspace: its state, and all operations on messages by the bot and by people.

Each operation checks, changes one conversation and tells the listeners (record, events, viewers), without awaiting, so
that no two operations overlap. Operations on channels are in `rooms`.
"""

import uuid
from collections.abc import Callable
from dataclasses import replace

from sandbox import emoji, markup, origin, seed
from sandbox.conversation import Conversation
from sandbox.ephemerals import Ephemerals
from sandbox.founding import InitialWorkspace
from sandbox.models import LINES, Change, Deleted, Edited, Json, Message, Posted, Reacted, Refused, micros
from sandbox.places import Places

LONGEST_TEXT = 40_000
"""Maximum of characters of a message: an app's text is truncated, a person's longer text is refused."""

Clock = Callable[[], float]


class Workspace(Places):
    """State of a team and those that it shares channels with: people, conversations, ephemeral messages."""

    def __init__(self, *, clock: Clock, founding: InitialWorkspace | None = None, notice: str = "") -> None:
        super().__init__(founding or InitialWorkspace.build())
        self.clock = clock
        self.ephemerals = Ephemerals()
        self.away: set[str] = set()
        self.notice = notice
        """Line that the page shows below its name."""
        self.listeners: list[Callable[[Change], None]] = []
        """Callbacks for each change."""
        self.viewers: list[Callable[[], None]] = []
        """Callbacks for each change of what people see."""
        self._last_micros = 0

    def next_ts(self) -> str:
        """Return the current time as a ts, unique and rising."""
        self._last_micros = max(int(self.clock() * 1_000_000), self._last_micros + 1)
        return f"{self._last_micros // 1_000_000}.{self._last_micros % 1_000_000:06d}"

    def restore(self, message: Message) -> None:
        """Restore a recorded message, without telling the listeners."""
        self.conversations[message.channel].put(message)
        self._last_micros = max(self._last_micros, micros(message.ts))

    def post(
        self,
        channel: str,
        text: str,
        *,
        user: str,
        blocks: list[Json] | None = None,
        thread_ts: str | None = None,
        metadata: Json | None = None,
        broadcast: bool = False,
        as_webhook: bool = False,
        invited: bool = False,
        attachments: list[Json] | None = None,
        files: list[Json] | None = None,
        is_about_me: bool = False,
    ) -> Message:
        """Post a message. `broadcast` shows a reply in its channel too; `as_webhook` leaves a bot's user out.

        `is_about_me` posts like `/me`. With `invited`, for a response_url, the author need not be a member.
        """
        conversation = self._channel_of_url(channel) if invited else self._open_conversation(channel, user)
        if conversation.is_im and any(self.person(member).is_deactivated for member in conversation.members):
            raise Refused("user_disabled")
        stored = self._store_text(text, user)
        if thread_ts is not None:
            self._root(conversation, thread_ts)
        person = self.person(user)
        subtype = "bot_message" if as_webhook else "file_share" if files else "me_message" if is_about_me else None
        message = Message(
            channel=conversation.id,
            ts=self.next_ts(),
            user=user,
            text=stored,
            blocks=blocks or _blocks_of(stored),
            thread_ts=thread_ts,
            subtype="thread_broadcast" if broadcast and thread_ts else subtype,
            client_msg_id=None if person.is_bot else str(uuid.uuid4()),
            metadata=metadata,
            username=person.name if as_webhook else None,
            attachments=attachments,
            files=files,
            team=person.team,
            origin=origin.origin_of(person, self.roster.teams),
        )
        conversation.put(message)
        self.tell(Posted(message))
        return message

    def note(
        self,
        channel: str,
        text: str,
        *,
        user: str,
        subtype: str,
        inviter: str | None = None,
        is_root: bool = False,
        details: Json | None = None,
    ) -> Message:
        """Post a message by Slack itself, as when somebody joins; `details` are its further keys.

        `is_root` starts a thread.
        """
        conversation = self.conversations[channel]
        team = self.person(user).team
        ts = self.next_ts()
        message = Message(
            channel,
            ts,
            user,
            text,
            blocks=[],
            thread_ts=ts if is_root else None,
            subtype=subtype,
            inviter=inviter,
            details=details,
            team=team,
        )
        conversation.put(message)
        self.tell(Posted(message))
        return message

    def edit(
        self,
        channel: str,
        ts: str,
        *,
        user: str,
        text: str | None = None,
        blocks: list[Json] | None = None,
        metadata: Json | None = None,
        broadcast: bool = False,
        attachments: list[Json] | None = None,
    ) -> Message:
        """Edit the user's own message. New text without blocks replaces the blocks, and marks it as edited."""
        conversation = self._open_conversation(channel, user)
        before = conversation.message(ts)
        if before.user != user or before.subtype in LINES:
            raise Refused("cant_update_message")
        stored = before.text if text is None else self._store_text(text, user)
        new_blocks = blocks if blocks is not None else before.blocks
        if text is not None and not blocks:
            new_blocks = _blocks_of(stored)
        attached = before.attachments if attachments is None else attachments
        after = replace(
            before, text=stored, blocks=new_blocks, metadata=metadata or before.metadata, attachments=attached
        )
        if broadcast and before.is_reply and not before.subtype:
            after = replace(after, subtype="thread_broadcast")
        if stored != before.text and not blocks:
            editor = self.person(user).bot_id or user
            after = replace(after, edited={"user": editor, "ts": self.next_ts()})
        if after.is_broadcast != before.is_broadcast:
            conversation.remove(ts)
        conversation.put(after)
        self.tell(Edited(before, after))
        return after

    def attach(self, channel: str, ts: str, attachments: list[Json]) -> None:
        """Add attachments to any message, as for an unfurled link."""
        conversation = self._open_conversation(channel, seed.BOT_USER)
        before = conversation.message(ts)
        after = replace(before, attachments=[*(before.attachments or []), *attachments])
        conversation.put(after)
        self.tell(Edited(before, after))

    def delete(self, channel: str, ts: str, *, user: str) -> None:
        """Delete the user's own message. If it has replies, a tombstone stays until the last one is deleted."""
        conversation = self.conversation(channel, member=user)
        message = conversation.message(ts)
        if message.user != user:
            raise Refused("cant_delete_message")
        if conversation.threads.get(ts):
            self._bury(conversation, message)
            return
        conversation.remove(ts)
        self.tell(Deleted(message))
        root = conversation.messages.get(message.thread_ts or "")
        if root is not None and root.subtype == "tombstone" and root.ts not in conversation.threads:
            conversation.remove(root.ts)
            self.tell(Deleted(root))

    def react(self, channel: str, ts: str, name: str, *, user: str, remove: bool = False) -> None:
        conversation = self._open_conversation(channel, user)
        message, name = conversation.message(ts), emoji.checked_name(name)
        change = emoji.without_reaction if remove else emoji.with_reaction
        after = change(message, name, user=user)
        conversation.put(after)
        self.tell(Reacted(after, user, name, added=not remove))

    def whisper(
        self,
        channel: str,
        text: str,
        *,
        user: str,
        blocks: list[Json] | None = None,
        thread_ts: str | None = None,
        invited: bool = False,
    ) -> Message:
        """Show an ephemeral message of the bot to one person. Slack answers ok even if nothing is shown.

        Nothing is shown to a person who is away, nor in a thread without replies.
        """
        conversation = self._channel_of_url(channel) if invited else self._open_conversation(channel, seed.BOT_USER)
        if user not in conversation.members or self.person(user).is_deactivated:
            raise Refused("user_not_in_channel")
        stored = self._store_text(text, seed.BOT_USER)
        new_blocks = blocks or _blocks_of(stored)
        message = Message(conversation.id, self.next_ts(), seed.BOT_USER, stored, new_blocks, thread_ts)
        is_active = thread_ts is None or thread_ts in conversation.threads
        if user not in self.away and is_active:
            self.ephemerals.show(user, message)
            self.refresh()
        return message

    def tell(self, change: Change) -> None:
        """Tell the listeners about a change."""
        for listener in self.listeners:
            listener(change)
        self.refresh()

    def refresh(self) -> None:
        """Tell the viewers that something visible has changed."""
        for viewer in self.viewers:
            viewer()

    def _bury(self, conversation: Conversation, message: Message) -> None:
        tombstone = Message(
            channel=message.channel,
            ts=message.ts,
            user=seed.SLACKBOT,
            text="This message was deleted.",
            blocks=[],
            thread_ts=message.ts,
            subtype="tombstone",
        )
        conversation.put(tombstone)
        self.tell(Edited(message, tombstone))

    def _open_conversation(self, channel: str, user: str) -> Conversation:
        conversation = self.conversation(channel, member=user)
        if conversation.is_archived:
            raise Refused("is_archived")
        return conversation

    def _channel_of_url(self, channel: str) -> Conversation:
        """Return the channel of a response_url, which may be deleted by now."""
        room = self.conversations.get(channel)
        if room is None:
            raise Refused("channel_not_found")
        return room

    def _root(self, conversation: Conversation, thread_ts: str) -> Message:
        root = conversation.messages.get(thread_ts)
        if root is None or root.is_reply:
            raise Refused("thread_not_found")
        return root

    def _store_text(self, text: str, user: str) -> str:
        if self.person(user).is_bot:
            return markup.escape_app_text(text[:LONGEST_TEXT])
        if len(text) > LONGEST_TEXT:
            raise Refused("msg_too_long")
        return self.typed(text)

    def typed(self, text: str) -> str:
        """Return typed text as Slack stores it."""
        return markup.escape_typed_text(text, people=self.roster.names, rooms=self.rooms(), groups=seed.USERGROUPS)


def _blocks_of(stored: str) -> list[Json]:
    return [markup.rich_text(stored)] if stored else []
