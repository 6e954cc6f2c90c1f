"""Changes of cards that stand: each in the quickest way there is, and none that changes nothing.

A press on a card brings an address by which Slack lets that message be changed at once (`response_url`); without one,
and once it is used up, the card is updated in its turn.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.errors import Crowded, TriageError
from bot.surfaces.response_urls import Addresses

if TYPE_CHECKING:
    from bot.models.interaction import CardPress
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class CardChanges:
    """Changes cards; knows of each what it shows since this process drew it."""

    chat: Chat
    clock: Clock
    _shown: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """By a card's nonce its ts and a digest of what stands there."""
    _addresses: Addresses = field(init=False)

    def __post_init__(self) -> None:
        """Begin without any address."""
        self._addresses = Addresses(clock=self.clock)

    def pressed(self, press: CardPress) -> None:
        """Remember where the card that somebody has pressed can be changed; it is drawn again in any case."""
        self._addresses.remember((press.thread_id, press.message_ts), press.response_url)
        self._shown = {nonce: stands for nonce, stands in self._shown.items() if stands[0] != press.message_ts}

    async def change(
        self, thread: Thread, channel: str, ts: str, metadata: dict[str, Any], picture: dict[str, Any]
    ) -> None:
        """Have the card at `ts` show `picture`; nothing is sent where it does, unless somebody wants to see it.

        Raises as `Chat.update` does.
        """
        nonce = thread.card.nonce
        if self._shown.get(nonce) == (ts, _digest(picture)) and not thread.card.wanted:
            return
        if not await self._answered((thread.thread_id, ts), metadata, picture):
            await self.chat.update(channel=channel, ts=ts, metadata=metadata, **picture)
        self.stands(nonce, ts, picture)

    def stands(self, nonce: str, ts: str, picture: dict[str, Any]) -> None:
        """Take note that a card shows this."""
        self._shown[nonce] = (ts, _digest(picture))

    def forget(self, nonce: str) -> None:
        """Know nothing of this card any more."""
        self._shown.pop(nonce, None)

    async def _answered(self, key: tuple[str, str], metadata: dict[str, Any], picture: dict[str, Any]) -> bool:
        """Change a card by the address of the press on it; says whether Slack took it."""
        if (url := self._addresses.use(key)) is None:
            return False
        try:
            await self.chat.respond(url=url, metadata=metadata, **picture)
        except Crowded:  # nothing was sent: the next change may have room for it
            self._addresses.give_back(key)
            return False
        except TriageError as problem:
            log.info("card %s: the address of its press is of no use: %s", key[1], problem)
            self._addresses.forget(key)
            return False
        return True


def _digest(picture: dict[str, Any]) -> bytes:
    """Short for all that a card shows."""
    return hashlib.sha256(json.dumps(picture, sort_keys=True).encode("utf-8", "replace")).digest()
