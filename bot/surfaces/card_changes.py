"""Card changes: each by the fastest way available, and none without an effect.

A press on a card brings a `response_url`, through which that message can be changed immediately; without one, or once
it is used up, the card is updated through the rate limiter.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.errors import Crowded, TriageError
from bot.surfaces.response_urls import ResponseUrls

if TYPE_CHECKING:
    from bot.models.interaction import CardPress
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class CardChanges:
    """Updater of existing cards, which remembers the content of each that this process rendered."""

    chat: Chat
    clock: Clock
    _contents: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """By a card's nonce its ts and a digest of its content."""
    _addresses: ResponseUrls = field(init=False)

    def __post_init__(self) -> None:
        """Start without any address."""
        self._addresses = ResponseUrls(clock=self.clock)

    def remember_response_url(self, press: CardPress) -> None:
        """Remember the `response_url` of a press on a card; the card is rendered again in any case."""
        self._addresses.remember((press.thread_id, press.message_ts), press.response_url)
        self._contents = {nonce: content for nonce, content in self._contents.items() if content[0] != press.message_ts}

    async def change(
        self, thread: Thread, channel: str, ts: str, metadata: dict[str, Any], picture: dict[str, Any]
    ) -> None:
        """Make the card at `ts` show `picture`; a card that already shows it is skipped, unless somebody wants to see
        it.

        Raises the same errors as `Chat.update`.
        """
        nonce = thread.card.nonce
        if self._contents.get(nonce) == (ts, _digest(picture)) and not thread.card.wanted:
            return
        if not await self._change_by_url((thread.thread_id, ts), metadata, picture):
            await self.chat.update(channel=channel, ts=ts, metadata=metadata, **picture)
        self.remember_content(nonce, ts, picture)

    def remember_content(self, nonce: str, ts: str, picture: dict[str, Any]) -> None:
        """Remember a card's content."""
        self._contents[nonce] = (ts, _digest(picture))

    def forget(self, nonce: str) -> None:
        """Forget this card."""
        self._contents.pop(nonce, None)

    async def _change_by_url(self, key: tuple[str, str], metadata: dict[str, Any], picture: dict[str, Any]) -> bool:
        """Change a card through its `response_url`; return whether Slack accepted it."""
        if (url := self._addresses.use(key)) is None:
            return False
        try:
            await self.chat.respond(url=url, metadata=metadata, **picture)
        except Crowded:  # nothing was sent: the next change may use it
            self._addresses.give_back(key)
            return False
        except TriageError as problem:
            log.info("card %s: its response_url does not work: %s", key[1], problem)
            self._addresses.forget(key)
            return False
        return True


def _digest(picture: dict[str, Any]) -> bytes:
    """Return a digest of a card's content."""
    return hashlib.sha256(json.dumps(picture, sort_keys=True).encode("utf-8", "replace")).digest()
