"""Loaded secrets in the forms in which a text may hold them."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

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


def secret_values(environment: Mapping[str, str], also: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the values of variables with secret names, and of those named in `also`.

    A short plain word, a number or a path is skipped unless it is named: `DB_PASSWORD=postgres` would remove the word
    postgres from every answer.
    """
    named = {environment[name] for name in also if name in environment}
    sounding = {value for name, value in environment.items() if _NAMES.search(name) and not _PLAIN.fullmatch(value)}
    return tuple(sorted(value for value in named | sounding if len(value) >= SHORTEST))


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
