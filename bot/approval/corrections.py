"""Corrections: a person says that a message was missed, or that a question is none for this team.

Both write a label for `triage retrain`; the first also has the message investigated, as if it had been taken for worth
attention. Labels teach, so they are for those who answer: operators, admins and the team.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.errors import TriageError
from bot.models.interaction import is_spoken
from bot.models.label import question_of
from bot.models.message import Message, normalise
from bot.models.status_words import state_words
from bot.models.thread_event import MessageAdded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.approval.labels import Labels
    from bot.models.reaction import Reacted
    from bot.models.shortcut import Shortcut
    from bot.models.status import Mode
    from bot.models.thread import Thread
    from bot.ports.inbound import Threads
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.slack import Chat, History
    from bot.triage.controls import Controls
    from bot.triage.externals import Externals
    from bot.triage.membership import Membership

log = logging.getLogger(__name__)

MISSED: Final = "missed_this"
"""`callback_id` of the shortcut on a message, and what the audit calls the reaction too."""

_NOT_YOURS = (
    "Only those who answer teach Triage what it missed: operators, admins and `classifier.team_members`. "
    "Nothing was changed; ask again and mention the bot, and it takes your question up."
)
_BROKE = "This did not work; the log says why. Nothing was begun."


@dataclass(frozen=True, kw_only=True)
class Corrections:
    """`controls` knows modes and mutes, `names` what people call the watched channels; `emoji` are the reactions."""

    labels: Labels
    threads: Threads
    store: Store
    audit: Journal
    chat: Chat
    history: History
    members: Membership
    controls: Controls
    clock: Clock
    new_id: Callable[[], str]
    names: Mapping[str, str]
    operator: Callable[[str, str], str]
    """Who gets the cards of a channel."""
    emoji: frozenset[str]
    teachers: Callable[[], frozenset[str]]
    """The user ids of those whose word is learned from."""
    externals: Externals | None = None
    """Who knows people of another company; nobody in a test that needs none."""

    async def taken(self, shortcut: Shortcut, *, replayed: bool = False) -> None:
        """Act on a shortcut. A replayed one bothers nobody."""
        message = shortcut.message
        try:
            said = await self._refused(shortcut.user_id, shortcut.team_id) or await self._missed(
                message, by=shortcut.user_id, interaction_id=shortcut.interaction_id
            )
        except Exception:  # it must not be acted on later either, when nobody expects it
            log.exception("the shortcut %s on %s broke", shortcut.action, shortcut.channel_id)
            said = _BROKE
        record = shortcut.model_dump(mode="json", exclude={"message"})
        await self._audited(record, message, said, replayed=replayed)
        if not replayed:
            await self._whisper(shortcut.channel_id, shortcut.user_id, message, said)

    async def reacted(self, reacted: Reacted) -> None:
        """Act on the emoji that says the same (`Reactions`). Anybody may use it; of others it says nothing."""
        if reacted.name not in self.emoji or reacted.user_id not in self.teachers():
            return
        message = None
        try:
            message = await self._read(reacted)
            said = await self._refused(reacted.user_id, reacted.team_id) or await self._weighed(reacted, message)
        except TriageError as problem:
            log.warning("the message %s of %s could not be read: %s", reacted.message_id, reacted.chat_id, problem)
            said = "Slack does not show this message at the moment. Nothing was changed; put the emoji there again."
        except Exception:  # as above
            log.exception("the reaction to %s in %s broke", reacted.message_id, reacted.chat_id)
            said = _BROKE
        record = {**reacted.model_dump(mode="json"), "kind": "reaction", "action": MISSED}
        await self._audited(record, message, said, replayed=False)
        await self._whisper(reacted.chat_id, reacted.user_id, message, said)

    async def not_for_us(self, thread: Thread, *, by: str, interaction_id: str) -> None:
        """Write that the question of a dismissed thread is none for this team."""
        asked = question_of(thread)
        if asked:
            await self.labels.say(asked, "ambient", by=by, why="not_for_us", interaction_id=interaction_id)

    async def _weighed(self, reacted: Reacted, message: Message | None) -> str:
        """What comes of the emoji, put there or taken away; what it began is not ended by taking it away."""
        by, interaction_id = reacted.user_id, reacted.interaction_id
        if reacted.added or message is None:
            return await self._missed(message, by=by, interaction_id=interaction_id)
        if not await self.labels.take_back(message, by=by, why=MISSED, interaction_id=interaction_id):
            return "Nothing was noted of this message that you could take back."
        return "Taken back: nothing is learned from it. What it has begun goes on; Dismiss on its card ends it."

    async def _refused(self, user: str, team: str) -> str | None:
        """Why this person's word is not learned from."""
        if not self.members.may_come_from(team) or user not in self.teachers():
            return _NOT_YOURS
        try:
            return None if await self.members.includes(user) else _NOT_YOURS
        except TriageError:
            return "Slack does not say who you are at the moment. Nothing was changed; please try again."

    async def _missed(self, message: Message | None, *, by: str, interaction_id: str) -> str:
        """Note that a message is worth attention, and begin with it; the answer is what came of it."""
        if message is None:
            return "Nobody has said this, or it is gone. Nothing was changed."
        mode = self.controls.modes.get(message.chat_id)
        if mode is None:
            return f"<#{message.chat_id}> is not watched. Nothing was changed."
        if message.sender.type == "bot":
            return "A program said this; `classifier.alert_bots` names those that are listened to. Nothing was changed."
        if is_spoken(message):
            return "This is a command to Triage and no question. Nothing was changed."
        await self.labels.say(message, "actionable", by=by, why=MISSED, interaction_id=interaction_id)
        return f"Noted: this was worth attention. {await self._begun(message, mode)}"

    async def _begun(self, message: Message, mode: Mode) -> str:
        """Hand the message to its thread, as far as its channel's mode and a mute let it."""
        if mode == "silent":
            return "Its channel is silent, so nothing is investigated."
        if message.home in self.controls.muted:
            return "Its thread is muted, so nothing is investigated."
        if (home := self.threads.home_of(message.chat_id, message.message_id)) and home != message.home:
            return "It joined the question that its author asked with it."
        was_open = self.threads.is_open(message.home)
        happening = MessageAdded(
            at=self.clock.now(),
            fresh=self.new_id(),
            message=message,
            mode=mode,
            operator=self.operator(message.chat_id, message.sender.id),
            mentioned=True,
            external=await self.externals.of_read_message(message) if self.externals else None,
        )
        if await self.threads.add(message.home, happening):
            begins = "Its investigation begins" + (
                "." if self.controls.state == "running" else " with `/triage resume`."
            )
            return "It joins the question of its thread." if was_open else begins
        thread = await self.store.load(message.home)
        status = state_words(thread) if thread else "not known"
        return f"It was taken up already; its thread is {status}."

    async def _read(self, reacted: Reacted) -> Message | None:
        """The message as it stands in Slack now."""
        found = await self.history.message(channel=reacted.chat_id, ts=reacted.message_id)
        event = {**(found or {}), "type": "message", "channel": reacted.chat_id}
        said = normalise({"team_id": self.members.team_id, "event": event}, chat_names=self.names)
        return said if isinstance(said, Message) else None

    async def _audited(self, record: dict[str, Any], message: Message | None, result: str, *, replayed: bool) -> None:
        home = {"thread_id": message.home} if message else {}
        at = self.clock.now().isoformat()
        await self.audit.append({**record, **home, "at": at, "result": result, "replayed": replayed})

    async def _whisper(self, channel: str, user: str, message: Message | None, said: str) -> None:
        root = message.thread_id.rpartition("-")[2] if message and message.thread_id else None
        try:
            await self.chat.notice(channel=channel, user=user, text=said, thread_ts=root)
        except TriageError as problem:
            log.warning("%s was not told: %s", user, problem)
