"""Notifications of PostgreSQL (`LISTEN`), over a connection that is opened again when it breaks."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

log = logging.getLogger(__name__)

AT_LEAST_EVERY = 1.0
"""Seconds after which an empty notification is yielded if none came: one may be lost with its connection."""


async def listen(address: str, channel: str, *, at_least_every: float = AT_LEAST_EVERY) -> AsyncIterator[str]:
    """Yield the payloads of a channel's notifications, and an empty one at each connection and when none came."""
    while True:
        try:
            connection = await psycopg.AsyncConnection.connect(
                address, autocommit=True, connect_timeout=3, application_name=f"triage {channel}", tcp_user_timeout=5000
            )
        except psycopg.Error as problem:
            log.warning("%s cannot be listened to: %s", channel, type(problem).__name__)
            await asyncio.sleep(0.5)
            continue
        try:
            await connection.execute(f'listen "{channel}"'.encode())
            yield ""
            while True:
                count = 0
                async for each in connection.notifies(timeout=at_least_every, stop_after=1):
                    count += 1
                    yield each.payload
                if not count:
                    await connection.execute("select 1")  # a cut connection is told by nothing else
                    yield ""
        except psycopg.Error as problem:
            log.warning("%s: the connection broke: %s", channel, type(problem).__name__)
        finally:
            await connection.close()
