"""Metadata of messages: what the bot's own are found again by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Set


async def with_nonce(
    messages: AsyncIterator[dict[str, Any]], event_type: str, nonce: str, key: str = "nonce"
) -> str | None:
    """Find the `ts` of the first message of the bot with this nonce, be it under `key`."""
    async for message in messages:
        payload = (message.get("metadata") or {}).get("event_payload") or {}
        if is_own(message, {event_type}) and nonce in (payload.get(key), payload.get("nonce")):
            return str(message["ts"])
    return None


def is_own(message: dict[str, Any], types: Set[str]) -> bool:
    """Return whether a message is one of the bot's, of these types."""
    return bool(message.get("bot_id")) and (message.get("metadata") or {}).get("event_type") in types
