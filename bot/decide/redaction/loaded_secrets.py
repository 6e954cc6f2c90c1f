"""Loaded secrets in the forms in which a text may hold them."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, unquote

import re2

from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bot.decide.redaction.spans import Span

    Looked = tuple[list[Span], tuple[str, ...]]


SHORTEST = 8
"""Minimum length of a value in characters: shorter ones occur in ordinary words."""


_NAMES = re2.compile(
    r"(?i)TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|APP(?:LICATION)?_KEY|ACCESS_?KEY|PRIVATE_?KEY|SIGNING_?KEY"
    r"|ENCRYPTION_?KEY|WEBHOOK|DSN$|DATABASE_URL|CONNECTION_STRING"
)


_PLAIN = re2.compile(r"[A-Za-z]{0,15}|[0-9]{0,11}|/[^\s:]*|true|false")


_LOGIN = re2.compile(r"(?i)[a-z][a-z0-9+.-]*://([^:/?#@,\s]*):([^\s]+)")
"""Address with the name of a user, or of a server before its port, and the rest."""
_PORT = re2.compile(r"[0-9]{1,5}(?:[/?#].*)?")
_PARAMETER = re2.compile(r"(?i)[?&](?:ssl)?(?:password|passwd|pwd|passphrase)=([^&#\s]+)")
_KEYWORD = re2.compile(r"(?i)(?:^|[\s;])(?:ssl)?(?:password|passwd|pwd)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([^\s;']+))")
"""Password in a connection string of keywords, as `host=db password=…`."""


def secret_values(environment: Mapping[str, str], also: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the values of variables with secret names, and of those named in `also`; of all variables the passwords in
    their addresses.

    A short plain word, a number or a path is skipped unless it is named: `DB_PASSWORD=postgres` would remove the word
    postgres from every answer.
    """
    named = {environment[name] for name in also if name in environment}
    named |= {password for value in named for password in find_passwords(value)}
    sounding = {value for name, value in environment.items() if _NAMES.search(name)}
    sounding |= {password for value in environment.values() for password in find_passwords(value)}
    values = named | {value for value in sounding if not _PLAIN.fullmatch(value)}
    return tuple(sorted(value for value in values if len(value) >= SHORTEST))


def find_passwords(value: str) -> set[str]:
    """Return the passwords in an address or a connection string, as written and decoded.

    One that repeats the name of the user is none.
    """
    written: set[str] = set()
    for user, rest in (match.groups() for match in _LOGIN.finditer(value)):
        authority = re2.split(r"[/?#]", rest)[0]
        passwords = {rest[: max(0, end)] for end in (rest.find("@"), authority.rfind("@"))}  # clients differ on others
        written |= {each for each in passwords if unquote(each) != unquote(user) and not _PORT.fullmatch(each)}
    written |= {match[1] for match in _PARAMETER.finditer(value)}
    for match in _KEYWORD.finditer(value):
        written.add(match[2] or re2.sub(r"\\(.)", r"\1", match[1] or ""))
    return {form for password in written for form in (password, unquote(password)) if form}


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, including keys, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def _forms(secret: str) -> Iterator[str]:
    """Yield a value in its machine-readable spellings: verbatim and escaped."""
    yield from (secret, clean(secret), html.escape(secret), html.escape(secret, quote=False))
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    for encoded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield from (encoded, encoded.replace("%", "%25"))
        yield _lower_escapes(encoded)


def _lower_escapes(encoded: str) -> str:
    pieces = encoded.split("%")
    return "%".join([pieces[0], *(piece[:2].lower() + piece[2:] for piece in pieces[1:])])
