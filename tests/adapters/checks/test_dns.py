"""Checks of names, against a name server on loopback."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import pytest

from bot.models.check_target import DnsTarget
from tests.adapters.checks.crew import make_check, open_checks
from tests.adapters.checks.name_server import NameServer, serve_names

RECORDS = {
    ("shop.example", "A"): ["192.0.2.1", "192.0.2.2"],
    ("shop.example", "AAAA"): ["2001:db8::1"],
    ("www.shop.example", "CNAME"): ["shop.example."],
    ("shop.example", "MX"): ["10 Mail.shop.example."],
    ("shop.example", "NS"): ["ns1.shop.example."],
    ("shop.example", "TXT"): ['"v=spf1 " "-all"'],
    ("_sip._tcp.shop.example", "SRV"): ["10 5 5060 sip.shop.example."],
}
CODES = {"gone.example": "NXDOMAIN", "closed.example": "REFUSED", "broken.example": "SERVFAIL"}


@pytest.fixture
async def names() -> AsyncIterator[tuple[str, NameServer]]:
    """The name server."""
    async with serve_names(RECORDS, codes=CODES, silent=["slow.example"]) as server:
        yield server


@pytest.mark.parametrize(
    ("name", "record", "expected"),
    [
        ("shop.example", "A", ()),
        ("shop.example.", "A", ("192.0.2.2",)),
        ("shop.example", "AAAA", ("2001:DB8::1",)),
        ("www.shop.example", "CNAME", ("shop.example",)),
        ("shop.example", "MX", ("10 mail.shop.example",)),
        ("shop.example", "NS", ("ns1.shop.example.",)),
        ("shop.example", "TXT", ("v=spf1 -all",)),
        ("_sip._tcp.shop.example", "SRV", ("10 5 5060 sip.shop.example",)),
    ],
)
async def test_a_name_with_its_values_is_healthy(
    names: tuple[str, NameServer], name: str, record: str, expected: tuple[str, ...]
) -> None:
    """Every kind of record, with or without the last dot, in any case."""
    result = await make_check(DnsTarget(name=name, record=record, expected=expected, server=names[0]))
    assert (result.check_type, result.status, result.error) == ("dns", "healthy", "")


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (DnsTarget(name="gone.example"), "the name gone.example does not exist"),
        (DnsTarget(name="shop.example", record="CNAME"), "shop.example has no CNAME record"),
        (DnsTarget(name="closed.example"), "the name server answers REFUSED"),
        (DnsTarget(name="broken.example"), "the name server answers SERVFAIL"),
        (DnsTarget(name="slow.example"), "no answer within 0.3 s"),
        (DnsTarget(name=f"{'x' * 70}.example"), f'"{"x" * 59}…" is not a valid name'),
        (
            DnsTarget(name="shop.example", expected=("192.0.2.9", "192.0.2.1")),
            'expected "192.0.2.9" for A of shop.example, got "192.0.2.1", "192.0.2.2"',
        ),
    ],
    ids=lambda value: value.name[:20] if isinstance(value, DnsTarget) else None,
)
async def test_a_wrong_answer_is_down(names: tuple[str, NameServer], target: DnsTarget, error: str) -> None:
    """The reason is a plain clause, without the address of the name server."""
    result = await make_check(target.evolve(server=names[0]), timeout_s=0.3)
    assert (result.status, result.error) == ("down", error)


async def test_an_answer_that_is_not_dns(names: tuple[str, NameServer]) -> None:
    """A server that answers with anything else counts as one that does not answer."""
    result = await make_check(DnsTarget(name="garbage.example", server=names[0]), timeout_s=0.3)
    assert result.status == "down"
    assert result.error in ("the name server gives an answer that is not DNS", "no answer within 0.3 s")


async def test_no_name_server_there() -> None:
    """A closed port is no answer, in time."""
    with socket.socket(type=socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = await make_check(DnsTarget(name="shop.example", server=f"127.0.0.1:{port}"), timeout_s=0.3)
    assert result.status == "down"
    assert result.error in ("the name server cannot be reached: connection refused", "no answer within 0.3 s")


@pytest.mark.parametrize("server", ["ns.example.com", "127.0.0.1:x", "127.0.0.1:99999", ""])
async def test_an_odd_server_raises_nothing(server: str) -> None:
    """An address that is none is told by the result."""
    result = await make_check(DnsTarget(name="nobody.invalid", server=server), timeout_s=0.3)
    assert result.status == "down"
    assert "failed by itself" not in result.error
    assert "itself failed" not in result.error


async def test_nothing_is_remembered(names: tuple[str, NameServer]) -> None:
    """Each check asks again, whatever the time to live."""
    address, server = names
    async with open_checks(DnsTarget(name="shop.example", server=address)) as checks:
        for _ in range(3):
            await checks.check("shop")
    assert server.questions == ["shop.example"] * 3
