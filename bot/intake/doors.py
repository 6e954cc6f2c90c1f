"""The doors: what people say to the bot itself goes to triage or to the chat agent, as `decide/doors` has it.

Called by `intake/watcher` with what mentions the bot or stands in a direct message. Without a mention nothing in a
channel changes; what goes to the chat agent opens no question, joins none, and makes no draft stale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bot.decide.doors import Door, DoorWords, Role, Signals, door
from bot.models.message import without_mention
from bot.models.talk import is_direct

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.decide.classifier import Classifier
    from bot.desks import Conversations, Mutes, Threads
    from bot.models.message import Message
    from bot.models.thread import Mode
    from bot.ports import Clock, Journal

CHAT = "chat"
"""What `door` says in the journal of a message that is the chat agent's."""


class Take(Protocol):
    """How triage takes a message in (`intake/taking`)."""

    async def __call__(
        self, message: Message, mode: Mode, *, replayed: bool = False, known: dict[str, Any] | None = None
    ) -> bool:
        """Says whether it changed anything."""


@dataclass(frozen=True, kw_only=True)
class Doors:
    """`role_of` knows people by the settings; `is_member` asks Slack. `classified` is the journal of judgements.

    `takes_notes` says whether a message is for the notes of a project.
    """

    words: DoorWords
    classifier: Callable[[], Classifier]
    threads: Threads
    conversations: Conversations
    mutes: Mutes
    classified: Journal
    clock: Clock
    role_of: Callable[[str], Role]
    is_member: Callable[[Message], Awaitable[bool]]
    takes_notes: Callable[[Message], bool]

    def calls(self, message: Message) -> bool:
        """Whether a person says this to the bot: by a mention, or in a direct message."""
        if message.sender.type != "user":
            return False
        return is_direct(message.chat_id) or self.classifier().bot_id in message.mentions

    async def pass_on(
        self,
        message: Message,
        mode: Mode | None,
        take: Take,
        *,
        edited: bool = False,
        replayed: bool = False,
        known: dict[str, Any] | None = None,
    ) -> bool:
        """Hand what is said to the bot to whom it is for; says whether that changed anything.

        `mode` is the channel's, `None` where none is watched; `take` hands to triage. `known` is the message's record
        where it was judged before.
        """
        if mode == "silent":
            return await take(message, mode, replayed=replayed, known=known)
        if self.conversations.has_taken(message):
            return False
        if known is None and await self.mutes.hears(message):
            return True
        if known is None and not edited and await self._called_off(message):
            return True
        if known is not None and known.get("door") != CHAT:
            return await self.ask(message, mode, take, replayed=replayed, known=known)
        found = await self._found(message, watched=mode is not None)
        if found.to == "triage":
            return await self.ask(message, mode, take, replayed=replayed, known=known)
        if found.to == "nobody" or edited:  # what is edited into an order was never given
            return False
        return await self._to_chat(message, found, is_new=known is None and mode is not None)

    async def _called_off(self, message: Message) -> bool:
        """Whether it ended a turn of its sender's, which is looked for before anybody asks what else it may mean."""
        said = without_mention(message.content, self.classifier().bot_id)
        return self.words.calls_off(said) and await self.conversations.call_off(message)

    async def ask(
        self,
        message: Message,
        mode: Mode | None,
        take: Take,
        *,
        replayed: bool = False,
        known: dict[str, Any] | None = None,
    ) -> bool:
        """Have triage answer what is said to the bot; says whether that changed anything.

        What begins a question in a direct message counts as one, whatever the rules take it for.
        """
        direct, was_open = is_direct(message.chat_id), self.threads.is_open(message.home)
        if direct:
            mode = "live"
            if not was_open:
                message = message.evolve(mentions=tuple(dict.fromkeys((*message.mentions, self.classifier().bot_id))))
        if mode is None:
            return False
        changed = await take(message, mode, replayed=replayed, known=known)
        if mode == "live" and not (was_open or replayed) and self.threads.is_open(message.home):
            self.conversations.question_taken(message)
        return changed

    async def _to_chat(self, message: Message, found: Door, *, is_new: bool) -> bool:
        mentioned = self.classifier().bot_id in message.mentions
        if not await self.mutes.lets_in(message.home, mentioned=mentioned, at=message.create_time):
            return False
        if is_new:
            await self.classified.append(self._record(message, found))
        return await self.conversations.hear(message, found.why)

    async def _found(self, message: Message, *, watched: bool) -> Door:
        direct = is_direct(message.chat_id)
        rules = self.classifier()
        said = without_mention(message.content, rules.bot_id)
        judged = rules.judge(without_mention(message.rules_text, rules.bot_id))
        found = door(
            said,
            words=self.words,
            where="direct" if direct else "watched" if watched else "unwatched",
            mentioned=rules.bot_id in message.mentions,
            role=self.role_of(message.sender.id),
            around=Signals(
                asks=judged.classification == "actionable",
                is_ack=judged.is_ack,
                open_question=self.threads.is_open(message.home)
                or (direct and self.threads.concerns(message.home, message.sender.id)),
                conversation=self.conversations.goes_on_in(message.home),
                notes=self.takes_notes(message),
            ),
        )
        if direct and found.to == "triage" and not await self.is_member(message):
            return Door("chat", "a direct message")  # where they are told that it is for members
        return found

    def _record(self, message: Message, found: Door) -> dict[str, Any]:
        """The judgement of a message that is no question: said to the bot itself."""
        judged = self.classifier().classify(message, thread_is_open=False, at=self.clock.now())
        return {
            **message.model_dump(mode="json"),
            **judged.model_dump(mode="json"),
            "classification": "ambient",
            "door": CHAT,
            "door_why": found.why,
        }
