"""The voice of the chat agent: what it says is posted in its thread once, whatever breaks in between.

Each thing said has a nonce of its turn's; after a doubt the thread is read for it before anything is posted again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from blocks.chat_reply import answers, own_lines
from blocks.inserts import Readers
from blocks.text import context, section
from bot.chat.ephemeral import TRIES, EphemeralAnswers
from bot.decide.addressing.addressee import was_chosen
from bot.errors import Refused, RetryLater, TriageError, Uncertain
from bot.models.talk import Unsent, channel_of, is_direct, root_of
from bot.runtime.retry import patiently
from bot.surfaces.notices import NOTICE
from bot.triage.ground_truth import ANSWER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.wording import ChatWording
    from bot.models.message import Message
    from bot.models.talk import TalkTurn
    from bot.ports.outbound import Clock
    from bot.ports.outbox import Outbox
    from bot.ports.slack import Chat

Done = TypeVar("Done")

log = logging.getLogger(__name__)

_LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class PostedMessage:
    """The last message of an answer, as it stands in its thread."""

    ts: str
    nonce: str
    message: dict[str, Any]


@dataclass(kw_only=True)
class Voice:
    """Posts. `url` is the workspace's address; `silenced` says why nothing may be said in a thread now, if so."""

    chat: Chat
    clock: Clock
    url: str
    silenced: Callable[[str], str | None]
    wording: ChatWording
    publishes: Callable[[str], bool]
    """Whether rows of code's own on what was done may stand in this channel, for all to read."""
    outbox: Outbox | None = None
    """Keeps what is to be posted later. Set by whoever keeps conversations."""
    settling_seconds: float = 5.0
    """How long a request may still be on its way inside Slack before the thread is read for it."""

    def may_publish(self, turn: TalkTurn) -> bool:
        """Return whether the channel of a turn may read what was done; never one that people of another company
        read."""
        return not turn.in_shared_channel and self.publishes(turn.message.chat_id)

    @property
    def _alone(self) -> EphemeralAnswers:
        return EphemeralAnswers(chat=self.chat, clock=self.clock, url=self.url, silenced=self.silenced)

    async def say(
        self, turn: TalkTurn, text: str, *, number: int = 0, before: str = "", after: str = "", notice: str = ""
    ) -> PostedMessage | None:
        """Answer a turn in the model's words, the `number`th time; `None` where Slack takes them later.

        `before` is code's own line above them, `after` below, `notice` a small one at the end. Raises `Refused`, and
        where the disk does not keep what is to be posted later, what Slack said.
        """
        foot = f"{notice} {taken_as(turn)}".strip()
        messages = answers(text, await self._readers(turn, text), before=before, after=after, footer=foot)
        return await self._messages(turn, messages, number)

    async def report(
        self, turn: TalkTurn, mrkdwn: str, *, number: int = 0, look_first: bool = False
    ) -> PostedMessage | None:
        """Answer a turn in code's own words, whose variable parts are escaped. As `say`."""
        messages = own_lines(mrkdwn, footer=taken_as(turn))
        return await self._messages(turn, messages, number, look_first=look_first)

    async def show(
        self, turn: TalkTurn, text: str, *, number: int = 0, before: str = "", after: str = "", notice: str = ""
    ) -> bool:
        """Answer a turn so that nobody else sees it, and remember that; says whether it stands there by now.

        The rest is as in `say`.
        """
        foot = f"{notice} {_shown_alone(turn)}".lstrip()
        messages = answers(text, await self._readers(turn, text), before=before, after=after, footer=foot)
        said = "\n".join(filter(None, (before, text, after)))
        return await self._alone.show(turn, messages, said=said, number=number, outbox=self.outbox)

    async def show_report(self, turn: TalkTurn, mrkdwn: str, *, number: int = 0) -> bool:
        """The same in code's own words."""
        messages = own_lines(mrkdwn, footer=_shown_alone(turn))
        (said,) = await self.wording.words((mrkdwn,), turn.asker)
        return await self._alone.show(turn, messages, said=said, number=number, outbox=self.outbox)

    def is_on_record(self, turn: TalkTurn) -> bool:
        """Return whether an answer of a turn was shown to its asker alone, or is to be posted yet."""
        return self.outbox is not None and self.outbox.has(turn.message.home, turn.turn_id)

    def post_later(self, turn: TalkTurn) -> None:
        """Post what is on record of a turn and not known to stand there."""
        if self.outbox:
            self.outbox.later(turn.message.home)

    async def withdraw(self, turn: TalkTurn) -> None:
        """Drop what its asker alone was to read of a turn that they have called off."""
        if self.outbox:
            await self.outbox.withdraw(turn.message.home, turn.turn_id)

    async def note(self, turn: TalkTurn, said: str) -> None:
        """Have the conversation's history say that a command waits for a press."""
        try:
            if self.outbox:
                await self.outbox.noted(turn.message.home, said)
        except TriageError as problem:
            log.warning("turn %s: its history does not say what waits: %s", turn.turn_id, problem)

    async def amend(self, turn: TalkTurn, posted: PostedMessage, mrkdwn: str) -> None:
        """Add code's own words to an answer that stands there. Raises as `Chat.update` does."""
        blocks = [*posted.message["blocks"]]
        at = len(blocks) - 1 if blocks and blocks[-1]["type"] == "context" else len(blocks)
        blocks[at:at] = [section(mrkdwn)]
        text = f"{posted.message['text']}\n{mrkdwn}"
        metadata = _metadata(turn.turn_id, posted.nonce)
        where = {"channel": turn.message.chat_id, "ts": posted.ts}
        await self._patiently(lambda: self.chat.update(text=text, blocks=blocks, metadata=metadata, **where))

    async def deliver(self, conversation: str, unsent: Unsent) -> None:
        """Post what was kept, unless it stands there. Raises `RetryLater`, `Uncertain` and `Refused`."""
        if unsent.user:
            await self._alone.deliver(conversation, unsent)
            return
        where: dict[str, Any] = {"channel": channel_of(conversation), "thread_ts": root_of(conversation)}
        found = await self.chat.find_in_thread(event_type=ANSWER, nonce=unsent.nonce, **where)
        if found is not None:
            return
        if why := self.silenced(conversation):
            raise Refused(why, code="silenced")
        metadata = _metadata(unsent.turn_id, unsent.nonce)
        await self.chat.post(text=unsent.text, blocks=[*unsent.blocks], metadata=metadata, **where)

    async def tell(self, message: Message, text: str, *, in_thread: bool = True) -> None:
        """A line of the bot's own that is no answer: only the person sees it, in a direct message it stays.

        It is mrkdwn whose variable parts are escaped. One that does not arrive is in the log.
        """
        is_below = in_thread and (is_direct(message.chat_id) or message.thread_id is not None)
        await self.tell_in(message.chat_id, root_of(message.home) if is_below else None, message.sender.id, text)

    async def tell_in(self, channel: str, thread_ts: str | None, user: str, text: str) -> None:
        """The same to somebody in a thread, or in the channel itself."""
        where: dict[str, Any] = {"channel": channel, "thread_ts": thread_ts}
        try:
            if is_direct(channel):
                metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
                blocks = [context(text)]
                await self._patiently(lambda: self.chat.post(text=text, blocks=blocks, metadata=metadata, **where))
            else:
                await self._patiently(lambda: self.chat.notice(user=user, text=text, **where))
        except TriageError as problem:
            log.warning("%s was not told: %s", user, problem)

    async def _readers(self, turn: TalkTurn, text: str) -> Readers:
        return Readers(
            url=self.url,
            now=self.clock.now(),
            given=self.wording.given(turn.asker),
            names=await self.wording.known(text, turn.asker),
            zone=await self.wording.clock.of(turn.message.sender.id),
        )

    async def _messages(
        self, turn: TalkTurn, messages: list[dict[str, Any]], number: int, *, look_first: bool = False
    ) -> PostedMessage | None:
        """Post the messages of one answer in order; from the first failure on, what is left lies on disk."""
        nonces = [f"{turn.nonce}-{number}{f'-{part}' if part else ''}" for part in range(len(messages))]
        left = [(shown, nonce) for shown, nonce in zip(messages, nonces, strict=True)]
        posted, is_kept = None, False
        for at, (shown, nonce) in enumerate(left):
            try:
                found = await self._find(turn, nonce) if look_first else None
                ts = found if found is not None else await self._send(turn, shown, nonce)
            except (RetryLater, Uncertain) as problem:
                is_kept = is_kept or await self._keep(turn, left[at:])
                try:
                    ts = await self._post_again(turn, shown, nonce, problem)
                except (RetryLater, Uncertain):
                    if not (is_kept and self.outbox):
                        raise
                    self.outbox.later(turn.message.home)
                    return None
            if is_kept and self.outbox:
                await self.outbox.sent(turn.message.home, nonce)
            posted = PostedMessage(ts, nonce, shown)
        return posted

    async def _keep(self, turn: TalkTurn, left: list[tuple[dict[str, Any], str]]) -> bool:
        """Have the disk keep what is not posted yet; says whether it does."""
        now = self.clock.now()
        kept = [Unsent(turn_id=turn.turn_id, nonce=nonce, kept_at=now, **shown) for shown, nonce in left]
        return self.outbox is not None and await self.outbox.keep(turn.message.home, kept)

    async def _post_again(self, turn: TalkTurn, shown: dict[str, Any], nonce: str, problem: TriageError) -> str:
        """Try so often again; what may have landed is looked for first."""
        if isinstance(problem, Uncertain):
            log.warning("turn %s: the answer is in doubt: %s", turn.turn_id, problem)
            await self.clock.sleep(self.settling_seconds)
            if (found := await self._patiently(lambda: self._find(turn, nonce))) is not None:
                return found
        elif isinstance(problem, RetryLater):
            await self.clock.sleep(problem.after)
        return await self._patiently(lambda: self._send(turn, shown, nonce))

    async def _send(self, turn: TalkTurn, shown: dict[str, Any], nonce: str) -> str:
        if why := self.silenced(turn.message.home):
            raise Refused(why, code="silenced")
        where: dict[str, Any] = {"channel": turn.message.chat_id, "thread_ts": turn.root_ts}
        return await self.chat.post(metadata=_metadata(turn.turn_id, nonce), **where, **shown)

    async def _find(self, turn: TalkTurn, nonce: str) -> str | None:
        return await self.chat.find_in_thread(
            channel=turn.message.chat_id, thread_ts=turn.root_ts, event_type=ANSWER, nonce=nonce
        )

    async def _patiently(self, call: Callable[[], Awaitable[Done]]) -> Done:
        """Make a call that had no effect outside again, ever more slowly; then `RetryLater` after all."""
        return await patiently(self.clock, call, longest=_LONGEST_WAIT, tries=TRIES)


def taken_as(turn: TalkTurn) -> str:
    """Which door a turn took, and why; empty where there was no choice."""
    return f"Taken as said to Triage itself: {turn.door}." if was_chosen(turn.door) else ""


def _shown_alone(turn: TalkTurn) -> str:
    is_repeat = "since it may repeat what people wrote elsewhere"
    why = is_repeat if turn.is_direct else "since nobody has approved it for the channel"
    return f"{taken_as(turn)} Shown to you alone, {why}.".lstrip()


def _metadata(turn_id: str, nonce: str) -> dict[str, Any]:
    return {"event_type": ANSWER, "event_payload": {"turn": turn_id, "nonce": nonce}}
