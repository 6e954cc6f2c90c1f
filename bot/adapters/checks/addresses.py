"""Resolution of host names in separate threads: a name server that hangs must not delay what other threads do."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_THREADS = 16


class Addresses:
    """Look-up of addresses as the machine does it, which includes its file of hosts. Nothing is remembered."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def find(self, host: str, port: int, family: int = 0) -> list[tuple[Any, ...]]:
        """Return the addresses of a host, as `socket.getaddrinfo` does. Raises `socket.gaierror`."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="address")

        def look_up() -> list[tuple[Any, ...]]:
            return [*socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)]

        return await asyncio.get_running_loop().run_in_executor(self._threads, look_up)

    def close(self) -> None:
        """End the threads, without waiting for what hangs."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
