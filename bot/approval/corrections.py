"""Corrections: people's reports of a missed question, or of a question that is not for this team.

Both write a label for `triage retrain`; a missed question is also investigated. Labels train the classifier, so only
operators, admins and team members may set them.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.approval.answers import RECORDED, TAKEN_BACK
from bot.errors import TriageError
from bot.models.interaction import is_command_message
from bot.models.label import question_of
from bot.models.message import Message, normalise
from bot.models.status_words import state_words
from bot.models.thread_event import MessageAdded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.approval.labels import Labels
    from bot.intake.team import Team
    from bot.models.classification import Class
    from bot.models.reaction import Reaction
    from bot.models.shortcut import Shortcut
    from bot.models.status import Mode
    from bot.models.thread import Thread
    from bot.ports.inbound import Threads
    from bot.ports.outbound import Journal, Store
    from bot.ports.slack import Chat, History
    from bot.triage.controls import Controls
    from bot.triage.externals import Externals
    from bot.triage.operators import Operators

log = logging.getLogger(__name__)

MISSED: Final = "missed_this"
"""`callback_id` of the message shortcut, and the action of the reaction in the audit."""

_NOT_YOURS = (
    "Only operators, admins and `classifier.team_members` can report what Triage missed. "
    "Nothing was changed; to ask a question yourself, mention the bot."
)
_BROKE = "This did not work; the log says why. Nothing was started."


@dataclass(frozen=True, kw_only=True)
class Corrections:
    """Handler of the shortcut and the reactions. `names` maps watched channels to names; `emoji` are the reactions'
    names."""

    labels: Labels
    threads: Threads
    store: Store
    audit: Journal
    chat: Chat
    history: History
    controls: Controls
    names: Mapping[str, str]
    operators: Operators
    team: Team
    emoji: frozenset[str]
    externals: Externals | None = None
    """Lookup of external people; `None` in tests that need none."""

    def _teachers(self) -> frozenset[str]:
        """Return the people whose corrections are learned from."""
        return self.operators.staff() | self.team.members

    async def handle_shortcut(self, shortcut: Shortcut, *, replayed: bool = False) -> None:
        """Act on a shortcut. A replayed one notifies nobody."""
        message = shortcut.message
        try:
            answer = await self.find_refusal(shortcut.user_id, shortcut.team_id) or await self._record_missed(
                message, by=shortcut.user_id, interaction_id=shortcut.interaction_id
            )
        except Exception:  # a replay must not act on it later
            log.exception("the shortcut %s on %s failed", shortcut.action, shortcut.channel_id)
            answer = _BROKE
        record = shortcut.model_dump(mode="json", exclude={"message"})
        await self._write_audit(record, message, answer, replayed=replayed)
        if not replayed:
            await self._notify(shortcut.channel_id, shortcut.user_id, message, answer)

    async def handle_reaction(self, reaction: Reaction) -> None:
        """Act on a reaction with one of the emoji (`ReactionsPort`); ignored from users whose labels do not count."""
        if reaction.name not in self.emoji or reaction.user_id not in self._teachers():
            return
        message = None
        try:
            message = await self.read_message(reaction.chat_id, reaction.message_id)
            answer = await self.find_refusal(reaction.user_id, reaction.team_id) or await self._apply_reaction(
                reaction, message
            )
        except TriageError as problem:
            log.warning("the message %s of %s could not be read: %s", reaction.message_id, reaction.chat_id, problem)
            answer = "Slack does not show this message right now. Nothing was changed; please add the emoji again."
        except Exception:  # as above
            log.exception("the reaction to %s in %s failed", reaction.message_id, reaction.chat_id)
            answer = _BROKE
        record = {**reaction.model_dump(mode="json"), "kind": "reaction", "action": MISSED}
        await self._write_audit(record, message, answer, replayed=False)
        await self._notify(reaction.chat_id, reaction.user_id, message, answer)

    async def not_for_us(self, thread: Thread, *, by: str, interaction_id: str) -> None:
        """Label the question of a dismissed thread as not for this team."""
        question = question_of(thread)
        if question:
            await self.labels.say(question, "ambient", by=by, why="not_for_us", interaction_id=interaction_id)

    async def report_missed(self, chat_id: str, message_id: str, *, by: str, interaction_id: str) -> str:
        """Label a message as missed, and start its investigation; return the text to show to the user."""
        message = await self.read_message(chat_id, message_id)
        return await self._record_missed(message, by=by, interaction_id=interaction_id)

    async def report_fine(self, chat_id: str, message_id: str, label: Class, *, by: str, interaction_id: str) -> None:
        """Label a message as rightly left alone; nothing happens if it is gone."""
        if message := await self.read_message(chat_id, message_id):
            await self.labels.say(message, label, by=by, why="sampled", interaction_id=interaction_id)

    async def _apply_reaction(self, reaction: Reaction, message: Message | None) -> str:
        """Apply a reaction that was added or removed; removing one does not end an investigation that it started."""
        by, interaction_id = reaction.user_id, reaction.interaction_id
        if reaction.added or message is None:
            return await self._record_missed(message, by=by, interaction_id=interaction_id)
        if not await self.labels.take_back(message, by=by, why=MISSED, interaction_id=interaction_id):
            return "You have not reported this message as missed, so there is nothing to take back."
        return f"{TAKEN_BACK} Triage learns nothing from it. Its investigation continues; Dismiss on its card ends it."

    async def find_refusal(self, user: str, team: str) -> str | None:
        """Return why this user's label does not count, `None` if it does."""
        if not self.operators.members.may_come_from(team) or user not in self._teachers():
            return _NOT_YOURS
        try:
            return None if await self.operators.members.is_member(user) else _NOT_YOURS
        except TriageError:
            return "Slack cannot confirm who you are right now. Nothing was changed; please try again."

    async def _record_missed(self, message: Message | None, *, by: str, interaction_id: str) -> str:
        """Label a message as actionable and start its investigation; return the text to show to the user."""
        if message is None:
            return "This message was not written by a person, or it was deleted. Nothing was changed."
        mode = self.controls.modes.get(message.chat_id)
        if mode is None:
            return f"<#{message.chat_id}> is not watched. Nothing was changed."
        if message.sender.type == "bot":
            return "A bot wrote this; Triage reads only the bots in `classifier.alert_bots`. Nothing was changed."
        if is_command_message(message):
            return "This is a command to Triage, not a question. Nothing was changed."
        await self.labels.say(message, "actionable", by=by, why=MISSED, interaction_id=interaction_id)
        return f"{RECORDED} Triage missed this message. {await self._start_thread(message, mode)}"

    async def _start_thread(self, message: Message, mode: Mode) -> str:
        """Add the message to its thread, unless its channel is silent or its thread muted; return the text to show."""
        if mode == "silent":
            return "Its channel is silent, so nothing is investigated."
        if message.home in self.controls.muted:
            return "Its thread is muted, so nothing is investigated."
        if (home := self.threads.find_thread(message.chat_id, message.message_id)) and home != message.home:
            return "It is already part of another question by its author."
        was_open = self.threads.is_open(message.home)
        event = MessageAdded(
            at=self.labels.clock.now(),
            fresh=self.labels.clock.new_id(),
            message=message,
            mode=mode,
            operator=self.operators.first_operator(message.chat_id, message.sender.id),
            mentioned=True,
            external=await self.externals.find_external_in_history(message) if self.externals else None,
        )
        if await self.threads.add(message.home, event):
            begins = "Its investigation starts" + (
                "." if self.controls.state == "running" else " after `/triage resume`."
            )
            return "It was added to the question of its thread." if was_open else begins
        thread = await self.store.load(message.home)
        status = state_words(thread) if thread else "not known"
        return f"It was already investigated; its thread is {status}."

    async def read_message(self, chat_id: str, message_id: str) -> Message | None:
        """Read the message as Slack has it now; `None` if it is gone or not by a person or bot."""
        payload = await self.history.message(channel=chat_id, ts=message_id)
        event = {**(payload or {}), "type": "message", "channel": chat_id}
        message = normalise({"team_id": self.operators.members.team_id, "event": event}, chat_names=self.names)
        return message if isinstance(message, Message) else None

    async def _write_audit(
        self, record: dict[str, Any], message: Message | None, result: str, *, replayed: bool
    ) -> None:
        home = {"thread_id": message.home} if message else {}
        at = self.labels.clock.now().isoformat()
        await self.audit.append({**record, **home, "at": at, "result": result, "replayed": replayed})

    async def _notify(self, channel: str, user: str, message: Message | None, text: str) -> None:
        root = message.thread_id.rpartition("-")[2] if message and message.thread_id else None
        try:
            await self.chat.post_ephemeral(channel=channel, user=user, text=text, thread_ts=root)
        except TriageError as problem:
            log.warning("%s was not told: %s", user, problem)
