"""The state of the workspace and everything that may be said and done in it, by the bot and by people alike.

Each operation checks, changes one conversation and tells the listeners (record, events, viewers) what happened, all
in one go: nothing here awaits, so no two operations ever overlap. Channels are made and joined in `rooms`.
"""

import uuid
from collections.abc import Callable
from dataclasses import replace

from sandbox import emoji, markup, origin, seed
from sandbox.conversation import Conversation
from sandbox.ephemerals import Ephemerals
from sandbox.founding import Founding
from sandbox.models import LINES, Change, Deleted, Edited, Json, Message, Posted, Reacted, Refused, micros
from sandbox.places import Places

LONGEST_TEXT = 40_000
"""Characters of a message: what an app writes beyond them is cut off, a person is not let write them."""

Clock = Callable[[], float]


class Workspace(Places):
    """One team and those it shares channels with: people, conversations, what each person alone can see."""

    def __init__(self, *, clock: Clock, founding: Founding | None = None) -> None:
        super().__init__(founding or Founding.of())
        self.clock = clock
        self.ephemerals = Ephemerals()
        self.away: set[str] = set()
        self.listeners: list[Callable[[Change], None]] = []
        """Told of each change to a conversation."""
        self.viewers: list[Callable[[], None]] = []
        """Told that somebody sees something new."""
        self._last_micros = 0

    def next_ts(self) -> str:
        """The time now, unique and rising."""
        self._last_micros = max(int(self.clock() * 1_000_000), self._last_micros + 1)
        return f"{self._last_micros // 1_000_000}.{self._last_micros % 1_000_000:06d}"

    def restore(self, message: Message) -> None:
        """Put a message back as it was recorded; nobody is told."""
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
        """Say something. `broadcast` shows a reply in its channel too; `as_webhook` leaves a bot's user out.

        `is_about_me` is what somebody does, as by `/me`.

        Who was `invited` by a response_url need not be a member.
        """
        conversation = self._invited(channel) if invited else self._open_conversation(channel, user)
        if conversation.is_im and any(self.person(member).is_deactivated for member in conversation.members):
            raise Refused("user_disabled")
        stored = self._stored(text, user)
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
            origin=origin.of(person, self.roster.teams),
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
        """A line that Slack itself writes into a channel, as when somebody joins; `details` are its further keys.

        `is_root` begins a thread.
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
        """Change one's own message. New text without blocks becomes the whole message, and marks it as edited."""
        conversation = self._open_conversation(channel, user)
        before = conversation.message(ts)
        if before.user != user or before.subtype in LINES:
            raise Refused("cant_update_message")
        stored = before.text if text is None else self._stored(text, user)
        shown = blocks if blocks is not None else before.blocks
        if text is not None and not blocks:
            shown = _blocks_of(stored)
        attached = before.attachments if attachments is None else attachments
        after = replace(before, text=stored, blocks=shown, metadata=metadata or before.metadata, attachments=attached)
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
        """Put something below anybody's message, as an unfurled link is."""
        conversation = self._open_conversation(channel, seed.BOT_USER)
        before = conversation.message(ts)
        after = replace(before, attachments=[*(before.attachments or []), *attachments])
        conversation.put(after)
        self.tell(Edited(before, after))

    def delete(self, channel: str, ts: str, *, user: str) -> None:
        """Delete one's own message. Where replies hang on it, Slack leaves a tombstone until the last one is gone."""
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
        """Show a message of the bot to one person. Slack says ok even when nothing is shown.

        Nothing is shown to a person who is away, nor in a thread that has no replies yet.
        """
        conversation = self._invited(channel) if invited else self._open_conversation(channel, seed.BOT_USER)
        if user not in conversation.members or self.person(user).is_deactivated:
            raise Refused("user_not_in_channel")
        stored = self._stored(text, seed.BOT_USER)
        shown = blocks or _blocks_of(stored)
        message = Message(conversation.id, self.next_ts(), seed.BOT_USER, stored, shown, thread_ts)
        is_active = thread_ts is None or thread_ts in conversation.threads
        if user not in self.away and is_active:
            self.ephemerals.show(user, message)
            self.refresh()
        return message

    def tell(self, change: Change) -> None:
        """Something has happened in a conversation."""
        for listener in self.listeners:
            listener(change)
        self.refresh()

    def refresh(self) -> None:
        """Something that people see has changed."""
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

    def _invited(self, channel: str) -> Conversation:
        """Where a response_url leads; the channel may be gone by then."""
        found = self.conversations.get(channel)
        if found is None:
            raise Refused("channel_not_found")
        return found

    def _root(self, conversation: Conversation, thread_ts: str) -> Message:
        root = conversation.messages.get(thread_ts)
        if root is None or root.is_reply:
            raise Refused("thread_not_found")
        return root

    def _stored(self, text: str, user: str) -> str:
        if self.person(user).is_bot:
            return markup.cleaned(text[:LONGEST_TEXT])
        if len(text) > LONGEST_TEXT:
            raise Refused("msg_too_long")
        return self.typed(text)

    def typed(self, text: str) -> str:
        """What a person typed, as Slack stores it."""
        return markup.typed(text, people=self.roster.names, rooms=self.rooms(), groups=seed.USERGROUPS)


def _blocks_of(stored: str) -> list[Json]:
    return [markup.rich_text(stored)] if stored else []
