"""Reply poster of the chat agent: posts each reply in its thread exactly once, across failures.

Each message has a nonce of its turn; after an uncertain post the thread is searched for it before another attempt.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from blocks.chat_reply import answers, own_lines
from blocks.inserts import Readers
from blocks.text import context, section
from bot.chat.ephemeral import MAX_TRIES, EphemeralAnswers
from bot.decide.addressing.addressee import was_chosen
from bot.errors import Refused, RetryLater, TriageError, Uncertain
from bot.models.conversation_record import UnsentMessage, channel_of, is_direct, root_of
from bot.runtime.retry import call_with_retries
from bot.surfaces.notices import NOTICE
from bot.triage.ground_truth import ANSWER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.wording import ChatWording
    from bot.models.conversation_record import TurnRecord
    from bot.models.message import Message
    from bot.ports.outbound import Clock
    from bot.ports.outbox import Outbox
    from bot.ports.slack import Chat
    from bot.triage.controls import Controls

Result = TypeVar("Result")

log = logging.getLogger(__name__)

_LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class PostedMessage:
    """Last posted message of an answer."""

    ts: str
    nonce: str
    message: dict[str, Any]


@dataclass(kw_only=True)
class ReplyPoster:
    """Poster of replies. `url` is the workspace's address."""

    chat: Chat
    clock: Clock
    url: str
    controls: Controls
    wording: ChatWording
    outbox: Outbox | None = None
    """Outbox of messages to post later; set while conversations are wired."""
    search_delay_seconds: float = 5.0
    """Seconds for which a request may still be in flight inside Slack before the thread is searched."""

    def may_publish(self, turn: TurnRecord) -> bool:
        """Return whether the turn's channel may read what was done; never if people of another company read it."""
        return not turn.in_shared_channel and self.controls.may_publish(turn.message.chat_id)

    @property
    def _ephemeral(self) -> EphemeralAnswers:
        return EphemeralAnswers(chat=self.chat, clock=self.clock, url=self.url, controls=self.controls)

    async def post_answer(
        self, turn: TurnRecord, text: str, *, number: int = 0, before: str = "", after: str = "", notice: str = ""
    ) -> PostedMessage | None:
        """Post the model's answer to a turn, the `number`th; return `None` if Slack accepts it only later.

        `before` is code's line above it, `after` the one below, `notice` a small one at the end. Raises `Refused`; and
        if the disk does not save an unposted message, Slack's error.
        """
        foot = f"{notice} {format_addressee_note(turn)}".strip()
        messages = answers(text, await self._readers(turn, text), before=before, after=after, footer=foot)
        return await self._post_messages(turn, messages, number)

    async def post_report(
        self, turn: TurnRecord, mrkdwn: str, *, number: int = 0, look_first: bool = False
    ) -> PostedMessage | None:
        """Post an answer written by code, with variable parts escaped. As `post_answer`."""
        messages = own_lines(mrkdwn, footer=format_addressee_note(turn))
        return await self._post_messages(turn, messages, number, look_first=look_first)

    async def show_answer(
        self, turn: TurnRecord, text: str, *, number: int = 0, before: str = "", after: str = "", notice: str = ""
    ) -> bool:
        """Show an answer to its asker alone, and record it; return whether it is shown by now.

        The rest is as in `post_answer`.
        """
        foot = f"{notice} {_format_private_note(turn)}".lstrip()
        messages = answers(text, await self._readers(turn, text), before=before, after=after, footer=foot)
        text_shown = "\n".join(filter(None, (before, text, after)))
        return await self._ephemeral.show(turn, messages, text=text_shown, number=number, outbox=self.outbox)

    async def show_report(self, turn: TurnRecord, mrkdwn: str, *, number: int = 0) -> bool:
        """Show an answer written by code to its asker alone."""
        messages = own_lines(mrkdwn, footer=_format_private_note(turn))
        (text,) = await self.wording.convert((mrkdwn,), turn.asker)
        return await self._ephemeral.show(turn, messages, text=text, number=number, outbox=self.outbox)

    def is_on_record(self, turn: TurnRecord) -> bool:
        """Return whether an answer of a turn was shown to its asker alone, or is still to be posted."""
        return self.outbox is not None and self.outbox.has_answer(turn.message.home, turn.turn_id)

    def post_later(self, turn: TurnRecord) -> None:
        """Post the recorded messages of a turn that are not known to be posted."""
        if self.outbox:
            self.outbox.post_later(turn.message.home)

    async def withdraw(self, turn: TurnRecord) -> None:
        """Drop the unshown messages for the asker of a cancelled turn."""
        if self.outbox:
            await self.outbox.withdraw(turn.message.home, turn.turn_id)

    async def note_waiting(self, turn: TurnRecord, text: str) -> None:
        """Record in the conversation's history that a command needs a confirmation."""
        try:
            if self.outbox:
                await self.outbox.save_outcome(turn.message.home, text)
        except TriageError as problem:
            log.warning("turn %s: its history does not say what waits: %s", turn.turn_id, problem)

    async def append_to_answer(self, turn: TurnRecord, posted: PostedMessage, mrkdwn: str) -> None:
        """Append code's lines to a posted answer. Raises as `Chat.update` does."""
        blocks = [*posted.message["blocks"]]
        at = len(blocks) - 1 if blocks and blocks[-1]["type"] == "context" else len(blocks)
        blocks[at:at] = [section(mrkdwn)]
        text = f"{posted.message['text']}\n{mrkdwn}"
        metadata = _metadata(turn.turn_id, posted.nonce)
        where = {"channel": turn.message.chat_id, "ts": posted.ts}
        await self._retry(lambda: self.chat.update(text=text, blocks=blocks, metadata=metadata, **where))

    async def deliver(self, conversation: str, unsent: UnsentMessage) -> None:
        """Post a saved message, unless it is posted. Raises `RetryLater`, `Uncertain` and `Refused`."""
        if unsent.user:
            await self._ephemeral.deliver(conversation, unsent)
            return
        where: dict[str, Any] = {"channel": channel_of(conversation), "thread_ts": root_of(conversation)}
        existing_ts = await self.chat.find_in_thread(event_type=ANSWER, nonce=unsent.nonce, **where)
        if existing_ts is not None:
            return
        if why := self.controls.why_silent(conversation):
            raise Refused(why, code="silenced")
        metadata = _metadata(unsent.turn_id, unsent.nonce)
        await self.chat.post(text=unsent.text, blocks=[*unsent.blocks], metadata=metadata, **where)

    async def notify(self, message: Message, text: str, *, in_thread: bool = True) -> None:
        """Send a notice that is not an answer: ephemeral, or posted in a direct message.

        It is mrkdwn with variable parts escaped. A failure is only logged.
        """
        is_below = in_thread and (is_direct(message.chat_id) or message.thread_id is not None)
        await self.notify_in(message.chat_id, root_of(message.home) if is_below else None, message.sender.id, text)

    async def notify_in(self, channel: str, thread_ts: str | None, user: str, text: str) -> None:
        """Send such a notice to a user in a thread, or in the channel itself."""
        where: dict[str, Any] = {"channel": channel, "thread_ts": thread_ts}
        try:
            if is_direct(channel):
                metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
                blocks = [context(text)]
                await self._retry(lambda: self.chat.post(text=text, blocks=blocks, metadata=metadata, **where))
            else:
                await self._retry(lambda: self.chat.post_ephemeral(user=user, text=text, **where))
        except TriageError as problem:
            log.warning("%s was not told: %s", user, problem)

    async def _readers(self, turn: TurnRecord, text: str) -> Readers:
        return Readers(
            url=self.url,
            now=self.clock.now(),
            mentions=self.wording.get_mentionable(turn.asker),
            names=await self.wording.find_names(text, turn.asker),
            zone=await self.wording.clock.time_zone_of(turn.message.sender.id),
        )

    async def _post_messages(
        self, turn: TurnRecord, messages: list[dict[str, Any]], number: int, *, look_first: bool = False
    ) -> PostedMessage | None:
        """Post the messages of one answer in order; from the first failure on, the rest is saved to disk."""
        nonces = [f"{turn.nonce}-{number}{f'-{part}' if part else ''}" for part in range(len(messages))]
        left = [(content, nonce) for content, nonce in zip(messages, nonces, strict=True)]
        posted, is_kept = None, False
        for at, (content, nonce) in enumerate(left):
            try:
                existing_ts = await self._find(turn, nonce) if look_first else None
                ts = existing_ts if existing_ts is not None else await self._send(turn, content, nonce)
            except (RetryLater, Uncertain) as problem:
                is_kept = is_kept or await self._save_unsent(turn, left[at:])
                try:
                    ts = await self._post_again(turn, content, nonce, problem)
                except (RetryLater, Uncertain):
                    if not (is_kept and self.outbox):
                        raise
                    self.outbox.post_later(turn.message.home)
                    return None
            if is_kept and self.outbox:
                await self.outbox.mark_sent(turn.message.home, nonce)
            posted = PostedMessage(ts, nonce, content)
        return posted

    async def _save_unsent(self, turn: TurnRecord, left: list[tuple[dict[str, Any], str]]) -> bool:
        """Save the messages that are not posted yet; return whether the disk accepted them."""
        now = self.clock.now()
        unsent = [UnsentMessage(turn_id=turn.turn_id, nonce=nonce, kept_at=now, **content) for content, nonce in left]
        return self.outbox is not None and await self.outbox.save(turn.message.home, unsent)

    async def _post_again(self, turn: TurnRecord, content: dict[str, Any], nonce: str, problem: TriageError) -> str:
        """Retry a post; after an uncertain one, search the thread first."""
        if isinstance(problem, Uncertain):
            log.warning("turn %s: the answer is in doubt: %s", turn.turn_id, problem)
            await self.clock.sleep(self.search_delay_seconds)
            if (existing_ts := await self._retry(lambda: self._find(turn, nonce))) is not None:
                return existing_ts
        elif isinstance(problem, RetryLater):
            await self.clock.sleep(problem.after)
        return await self._retry(lambda: self._send(turn, content, nonce))

    async def _send(self, turn: TurnRecord, content: dict[str, Any], nonce: str) -> str:
        if why := self.controls.why_silent(turn.message.home):
            raise Refused(why, code="silenced")
        where: dict[str, Any] = {"channel": turn.message.chat_id, "thread_ts": turn.root_ts}
        return await self.chat.post(metadata=_metadata(turn.turn_id, nonce), **where, **content)

    async def _find(self, turn: TurnRecord, nonce: str) -> str | None:
        return await self.chat.find_in_thread(
            channel=turn.message.chat_id, thread_ts=turn.root_ts, event_type=ANSWER, nonce=nonce
        )

    async def _retry(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """Retry while the call raises `RetryLater`, which means that nothing was sent; other errors pass."""
        return await call_with_retries(self.clock, call, longest=_LONGEST_WAIT, tries=MAX_TRIES)


def format_addressee_note(turn: TurnRecord) -> str:
    """Explain why a message was taken as addressed to the bot; empty if there was no choice."""
    return f"Taken as addressed to Triage itself: {turn.door}." if was_chosen(turn.door) else ""


def _format_private_note(turn: TurnRecord) -> str:
    is_repeat = "since it may repeat what people wrote elsewhere"
    why = is_repeat if turn.is_direct else "since nobody has approved it for the channel"
    return f"{format_addressee_note(turn)} Shown to you alone, {why}.".lstrip()


def _metadata(turn_id: str, nonce: str) -> dict[str, Any]:
    return {"event_type": ANSWER, "event_payload": {"turn": turn_id, "nonce": nonce}}
