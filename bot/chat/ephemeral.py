"""Ephemeral answers of the chat agent: visible to the asker only, and shown at most once.

No thread contains such a message, so it cannot be looked up: it is recorded before Slack is asked to show it, and the
record is removed afterwards. Answers that Slack did not accept, that are uncertain, or that a crash cut off, go to the
asker's direct message, which is searched before posting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.queue import message_link
from blocks.text import context, name_channel
from bot.errors import Refused, RetryLater, Uncertain
from bot.models.conversation_record import EphemeralAnswer, UnsentMessage, channel_of, is_direct, message_of, root_of
from bot.runtime.retry import call_with_retries
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from bot.models.conversation_record import TurnRecord
    from bot.ports.outbound import Clock
    from bot.ports.outbox import Outbox
    from bot.ports.slack import Chat
    from bot.triage.controls import Controls

MAX_TRIES = 5
"""Number of attempts per message while Slack accepts nothing."""
_LONGEST_WAIT = 30.0


@dataclass(frozen=True, kw_only=True)
class EphemeralAnswers:
    """Sender of ephemeral answers. `url` is the workspace's address."""

    chat: Chat
    clock: Clock
    url: str
    controls: Controls

    async def show(
        self, turn: TurnRecord, messages: list[dict[str, Any]], *, text: str, number: int, outbox: Outbox | None
    ) -> bool:
        """Show the messages of one answer, the `number`th of its turn; return whether all are shown.

        `text` is the answer's text for the next turn's history. Raises `Refused`; and if the disk saves nothing,
        Slack's error.
        """
        home = turn.message.home
        if why := self.controls.why_silent(home):
            raise Refused(why, code="silenced")
        nonce, now = f"{turn.nonce}-alone-{number}", self.clock.now()
        common = {"turn_id": turn.turn_id, "user": turn.message.sender.id}
        left = [
            UnsentMessage(nonce=f"{nonce}-{part}", kept_at=now, **common, **each) for part, each in enumerate(messages)
        ]
        record = EphemeralAnswer(nonce=nonce, ts=f"{now.timestamp():.6f}", said=text, **common)
        is_kept = outbox is not None and await outbox.save_ephemeral(home, left, record)
        root = turn.root_ts if turn.message.thread_id is not None else None
        where: dict[str, Any] = {"channel": turn.message.chat_id, "user": turn.message.sender.id, "thread_ts": root}
        for at, content in enumerate(messages):
            try:
                await call_with_retries(
                    self.clock,
                    lambda content=content: self.chat.post_ephemeral(**where, **content),  # type: ignore[misc]  # bound now
                    longest=_LONGEST_WAIT,
                    tries=MAX_TRIES,
                )
            except (RetryLater, Uncertain):
                if not (is_kept and outbox):
                    raise
                await outbox.mark_sent(home, *(unsent.nonce for unsent in left[:at]))
                outbox.post_later(home)
                return False
            except Refused:
                if outbox:
                    await outbox.withdraw(home, turn.turn_id)
                raise
        if outbox:
            await outbox.mark_sent(home, *(unsent.nonce for unsent in left))
        return True

    async def deliver(self, conversation: str, unsent: UnsentMessage) -> None:
        """Post an answer that may not have been shown to the asker's direct message, unless it is there.

        Raises `RetryLater`, `Uncertain` and `Refused`.
        """
        if not unsent.of_order and (why := self.controls.why_silent(conversation)):
            raise Refused(why, code="silenced")
        channel, asked_ts = channel_of(conversation), message_of(unsent.turn_id)
        named: dict[str, str] = {"event_type": NOTICE, "nonce": unsent.nonce}
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": unsent.nonce}}
        if is_direct(channel):
            root = root_of(conversation)
            if await self.chat.find_in_thread(channel=channel, thread_ts=root, **named) is None:
                blocks = [*unsent.blocks]
                await self.chat.post(
                    channel=channel, thread_ts=root, text=unsent.text, blocks=blocks, metadata=metadata
                )
            return
        dm = await self.chat.open_dm(unsent.user)
        if await self.chat.find_in_channel(channel=dm, oldest=asked_ts, **named) is None:
            link = f"<{message_link(self.url, channel, asked_ts)}|what you asked> in {name_channel(channel)}"
            why = "since it may not have been shown there; if it was, this is the same"
            blocks = [context(f"To {link}, {why}:"), *unsent.blocks]
            await self.chat.post(channel=dm, thread_ts=None, text=unsent.text, blocks=blocks, metadata=metadata)
