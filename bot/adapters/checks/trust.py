"""Certificates that this machine trusts, or those of the file that `SSL_CERT_FILE` names."""

from __future__ import annotations

import os
import ssl

from bot.adapters.checks.outcome import describe_os_error

VARIABLE = "SSL_CERT_FILE"


class NoTrust(Exception):
    """Certificates that cannot be loaded; the text says why."""


def load_certificates() -> ssl.SSLContext:
    """Load the certificates. Raises `NoTrust` for a file that OpenSSL would pass over in silence."""
    if fault := find_trust_fault(os.environ.get(VARIABLE)):
        raise NoTrust(fault)
    return ssl.create_default_context()


def find_trust_fault(place: str | None) -> str:
    """Return the fault of the file that the variable names; empty if it has none, or the variable is not set."""
    if place is None:
        return ""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=place)
    except ssl.SSLError:
        reason = "it holds no certificate in PEM form"
    except OSError as problem:
        reason = describe_os_error(problem)
    else:
        return ""
    return f"the variable {VARIABLE} names a file that cannot be used ({reason}): {place}"
