"""Options of several commands."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace

import pytest

from bot.cli.options import http_address, ip_of_machine, listen_address
from bot.errors import Misconfigured


@pytest.mark.parametrize(
    ("text", "address", "is_loopback"),
    [
        ("9090", "127.0.0.1:9090", True),
        ("0", "127.0.0.1:0", True),
        ("127.0.0.2:9090", "127.0.0.2:9090", True),
        ("0.0.0.0:9090", "0.0.0.0:9090", False),
        ("[::1]:9090", "[::1]:9090", True),
        ("[::]:9090", "[::]:9090", False),
    ],
)
def test_an_address_to_listen_on(text: str, address: str, *, is_loopback: bool) -> None:
    """A port alone is one of this machine only."""
    parsed = listen_address(text)
    assert (str(parsed), parsed.is_loopback) == (address, is_loopback)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "port from 0"),
        ("x", "port from 0"),
        ("-1", "port from 0"),
        ("70000", "port from 0"),
        ("10.0.0.1:", "port from 0"),
        ("10.0.0.1:x", "port from 0"),
        (":9090", "IP address"),
        ("example.com:9090", "IP address"),
        ("http://10.0.0.1:9090", "IP address"),
        ("::1:9090", "in brackets"),
        ("[10.0.0.1]:9090", "in brackets"),
    ],
)
def test_what_is_no_address(text: str, complaint: str) -> None:
    """It is refused with what is expected."""
    with pytest.raises(ArgumentTypeError, match=complaint):
        listen_address(text)


@pytest.mark.parametrize(
    ("http", "bind", "address"),
    [(None, None, "None"), (3000, None, "127.0.0.1:3000"), (3000, "10.0.0.7", "10.0.0.7:3000"), (0, "::1", "[::1]:0")],
)
def test_where_slack_requests_are_taken(http: int | None, bind: str | None, address: str) -> None:
    """On this machine only, unless an address is given."""
    assert str(http_address(Namespace(http=http, bind=bind and ip_of_machine(bind)))) == address


def test_an_address_without_a_port_is_refused() -> None:
    """Socket Mode listens nowhere, and a name or a port is no address."""
    with pytest.raises(Misconfigured, match="only --http listens"):
        http_address(Namespace(http=None, bind="10.0.0.7"))
    for text in ("example.com", "10.0.0.1:80", "[::1]", ""):
        with pytest.raises(ArgumentTypeError, match="without a port"):
            ip_of_machine(text)
