"""Message metadata, by which the bot's own messages are found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Set


async def with_nonce(
    messages: AsyncIterator[dict[str, Any]], event_type: str, nonce: str, key: str = "nonce"
) -> str | None:
    """Return the `ts` of the bot's first message with this nonce, under `key` or `nonce`."""
    async for message in messages:
        payload = (message.get("metadata") or {}).get("event_payload") or {}
        if is_own(message, {event_type}) and nonce in (payload.get(key), payload.get("nonce")):
            return str(message["ts"])
    return None


def is_own(message: dict[str, Any], types: Set[str]) -> bool:
    """Return whether this is a message of the bot, of one of these types."""
    return bool(message.get("bot_id")) and (message.get("metadata") or {}).get("event_type") in types
