"""Name server on loopback, over UDP, with the records of a test."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence


class NameServer(asyncio.DatagramProtocol):
    """Server of some records; a name in `codes` is answered with that code, one in `silent` not at all."""

    def __init__(
        self, records: Mapping[tuple[str, str], Sequence[str]], codes: Mapping[str, str], silent: Sequence[str]
    ) -> None:
        self._records, self._codes, self._silent = records, codes, silent
        self.questions: list[str] = []
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the socket."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer a query."""
        query = dns.message.from_wire(data)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True), question.rdtype.name
        self.questions.append(name)
        if name in self._silent or self._transport is None:
            return
        if name == "garbage.example":
            self._transport.sendto(data[:2] + b"\x84\x00\xff\xff", addr)
            return
        response = dns.message.make_response(query)
        response.flags |= dns.flags.RA
        response.set_rcode(dns.rcode.from_text(self._codes.get(name, "NOERROR")))
        if values := self._records.get((name, kind)):
            response.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", kind, values))
        self._transport.sendto(response.to_wire(), addr)


@asynccontextmanager
async def serve_names(
    records: Mapping[tuple[str, str], Sequence[str]], *, codes: Mapping[str, str], silent: Sequence[str] = ()
) -> AsyncIterator[tuple[str, NameServer]]:
    """A server until the end of the block, after its address."""
    server = NameServer(records, codes, silent)
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: server, local_addr=("127.0.0.1", 0)
    )
    try:
        yield f"127.0.0.1:{transport.get_extra_info('sockname')[1]}", server
    finally:
        transport.close()
        await asyncio.sleep(0)
