"""Check of a name: one look-up, of which nothing is remembered."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

import dns.asyncbackend
import dns.asyncresolver
import dns.exception
import dns.name
import dns.rdatatype
import dns.resolver

from bot.adapters.checks.outcome import HEALTHY, Outcome, describe_os_error, down, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dns.rdata import Rdata

    from bot.models.check_target import DnsTarget

_BACKEND = dns.asyncbackend.get_backend("asyncio")  # else looked for by the first look-up, within its time
_PORT = 53
_MOST_SHOWN = 4
"""Maximum number of values that an error shows."""


async def probe_dns(target: DnsTarget, *, timeout_s: float) -> Outcome:
    """Look the name up, and compare its values with those that are expected."""
    try:
        resolver = _build_resolver(target.server)
        answer = await resolver.resolve(target.name, target.record, search=False, lifetime=timeout_s, backend=_BACKEND)
    except (dns.exception.DNSException, OSError, ValueError) as problem:
        return down(_describe(problem, target, timeout_s))
    values = sorted(_format(value) for value in answer)
    missing = [value for value in target.expected if _plain(value) not in map(_plain, values)]
    if missing:
        return down(f"expected {_list(missing)} for {target.record} of {target.name}, got {_list(values)}")
    return HEALTHY


def _build_resolver(server: str) -> dns.asyncresolver.Resolver:
    """Build a resolver that asks this server, or those of the machine as they are set now."""
    if not server:
        return dns.asyncresolver.Resolver()
    resolver = dns.asyncresolver.Resolver(configure=False)
    address, port = _split(server)
    resolver.nameservers, resolver.port = [address], port
    return resolver


def _split(server: str) -> tuple[str, int]:
    """Split `ip`, `ip:port` or `[ipv6]:port`. Raises `ValueError`."""
    try:
        return str(ipaddress.ip_address(server.strip("[]"))), _PORT
    except ValueError:
        host, _, port = server.rpartition(":")
    if not 0 < int(port) < 65_536:
        raise ValueError(port)
    return str(ipaddress.ip_address(host.strip("[]"))), int(port)


def _format(value: Rdata) -> str:
    """Format a value as people write it: without quotes and without the last dot."""
    if value.rdtype == dns.rdatatype.TXT:
        strings: Iterable[bytes] = getattr(value, "strings", ())
        return b"".join(strings).decode("utf-8", errors="replace")
    return str(value.to_text()).rstrip(".")


def _plain(value: str) -> str:
    return value.rstrip(".").casefold()


def _list(values: list[str]) -> str:
    rest = f" and {len(values) - _MOST_SHOWN} more" if len(values) > _MOST_SHOWN else ""
    return ", ".join(map(quote, values[:_MOST_SHOWN])) + rest


def _describe(problem: Exception, target: DnsTarget, timeout_s: float) -> str:
    match problem:
        case dns.resolver.NXDOMAIN():
            return f"the name {target.name} does not exist"
        case dns.resolver.NoAnswer():
            return f"{target.name} has no {target.record} record"
        case dns.resolver.LifetimeTimeout():
            return _describe_tries(problem) or f"no answer within {timeout_s:g} s"
        case dns.resolver.NoNameservers():
            return _describe_tries(problem) or "no name server gives an answer"
        case dns.resolver.NoResolverConfiguration():
            return "this machine has no name server"
        case dns.exception.SyntaxError() | dns.name.LabelTooLong() | dns.name.EmptyLabel() | dns.name.NameTooLong():
            return f"{quote(target.name)} is not a valid name"
        case ValueError():
            return f"{quote(target.server)} is not an address of a name server"
        case OSError():
            return f"the name server cannot be reached: {describe_os_error(problem)}"
        case _:
            return f"the look-up failed: {type(problem).__name__}"


def _describe_tries(problem: dns.resolver.LifetimeTimeout | dns.resolver.NoNameservers) -> str:
    """Describe the last answer that was none, such as SERVFAIL; empty if only time passed."""
    reasons = [error[3] for error in problem.kwargs.get("errors", ())]
    for reason in reversed(reasons):
        match reason:
            case dns.exception.Timeout():
                continue
            case OSError():
                return f"the name server cannot be reached: {describe_os_error(reason)}"
            case Exception():
                return "the name server gives an answer that is not DNS"
            case _:
                return f"the name server answers {reason}"
    return ""
