"""Metadata of messages: what the bot's own are found again by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def with_nonce(
    messages: AsyncIterator[dict[str, Any]], event_type: str, nonce: str, key: str = "nonce"
) -> str | None:
    """Find the `ts` of the first message of the bot with this nonce, be it under `key`."""
    async for message in messages:
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        if (
            message.get("bot_id")
            and metadata.get("event_type") == event_type
            and nonce in (payload.get(key), payload.get("nonce"))
        ):
            return str(message["ts"])
    return None
