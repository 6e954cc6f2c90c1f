"""Redaction: secrets taken out of a text before a model, a card, a post or the log may have it. Pure, on re2.

Two kinds are known: the values that this process holds (as they are, and in base64, URL and hex), and tokens of the
families in `decide/token_families`. Made once by `app` or `triage run` and handed to whoever lets text out.
"""

from __future__ import annotations

import base64
import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import re2

from bot.decide.token_families import FAMILIES, PLACEHOLDERS
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

REDACTED = "[redacted]"
LOADED = "a loaded secret"
"""What `kinds` calls the value of a secret that this process holds."""
SHORTEST = 8
"""Characters that a value must have to be looked for: a shorter one stands in ordinary words."""

_NAMES = re2.compile(
    r"(?i)TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|APP(?:LICATION)?_KEY|ACCESS_?KEY|PRIVATE_?KEY|SIGNING_?KEY"
    r"|ENCRYPTION_?KEY|WEBHOOK|DSN$|DATABASE_URL|CONNECTION_STRING"
)
_PLAIN = re2.compile(r"[A-Za-z]{0,15}|[0-9]{0,11}|/[^\s:]*|true|false")
_ALL = re2.compile("|".join(f"(?:{family.pattern})" for family in FAMILIES))
_QUIET = re2.Options()
_QUIET.log_errors = False
_EACH = tuple((family.name, re2.compile(family.pattern)) for family in FAMILIES)


class Redactor:
    """Knows some secrets by value and all families by form. `secrets` shorter than `SHORTEST` are not looked for."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: frozenset[str] = frozenset()
        self._values: Any = None
        self.learn(*secrets)

    def learn(self, *secrets: str) -> None:
        """Know these from now on, too."""
        self._forms |= {form for said in secrets if len(said.strip()) >= SHORTEST for form in _forms(said.strip())}
        longest_first = sorted(self._forms, key=lambda form: (-len(form), form))
        values = "|".join(re2.escape(form) for form in longest_first)
        self._values = re2.compile(values, _QUIET) if longest_first else None

    def redact(self, text: str) -> str:
        """`text` with `[redacted]` for each secret; the number of lines stays the same.

        A text in which nothing is found is returned as it is; in any other one invisible characters go too.
        """
        seen = done = clean(text)
        if self._values is not None:
            done = self._values.sub(_replaced, done)
        if _ALL.search(done):
            for _, pattern in _EACH:
                done = pattern.sub(_replaced, done)
        return text if done == seen else done

    def kinds(self, text: str) -> tuple[str, ...]:
        """The kinds of secrets in `text`, each once; empty when there is none."""
        seen = clean(text)
        found = [LOADED] if self._values is not None and self._values.search(seen) else []
        if _ALL.search(seen):
            found += [name for name, pattern in _EACH if any(_is_secret(match) for match in pattern.finditer(seen))]
        return tuple(found)

    def value(self, value: Any) -> Any:
        """A JSON value with every string in it redacted, keys too; the same object when nothing was found."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict | list | tuple) and not self.kinds("\n".join(strings(value))):
            return value
        return self._inside(value)

    def _inside(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self.value(key): self._inside(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._inside(inner) for inner in value)
        return self.redact(value) if isinstance(value, str) else value


def secret_values(environment: Mapping[str, str], also: Iterable[str] = ()) -> tuple[str, ...]:
    """Values of variables whose names sound like a secret, and of those named in `also`.

    A value that is a short plain word, a number or a path is left out, unless it is named: `DB_PASSWORD=postgres` would
    take the word postgres out of every answer.
    """
    named = {environment[name] for name in also if name in environment}
    sounding = {value for name, value in environment.items() if _NAMES.search(name) and not _PLAIN.fullmatch(value)}
    return tuple(sorted(value for value in named | sounding if len(value) >= SHORTEST))


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys included, in order."""
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
    """A value as it may stand in a text: itself, escaped, in hex, and in base64 wherever it starts in the encoded."""
    raw = secret.encode()
    yield from (secret, clean(secret), html.escape(secret), html.escape(secret, quote=False))
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    for encoded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield from (encoded, encoded.replace("%", "%25"))
        yield _lower_escapes(encoded)
    yield from (raw.hex(), raw.hex().upper())
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + raw).decode()
        # The first and the last characters also hold bits of what stands beside the secret.
        skipped, kept = (0, 2, 3)[before], len(encoded.rstrip("=")) - bool((before + len(raw)) % 3)
        middle = encoded[skipped:kept]
        yield from (middle, middle.replace("+", "-").replace("/", "_"))


def _lower_escapes(encoded: str) -> str:
    pieces = encoded.split("%")
    return "%".join([pieces[0], *(piece[:2].lower() + piece[2:] for piece in pieces[1:])])


def _is_secret(match: Any) -> bool:
    """Whether the part of a match that would be secret is one, and no example's placeholder."""
    return (match.groups() or ("",))[0] not in PLACEHOLDERS


def _replaced(match: Any) -> str:
    """The match without its secret part, which is its first group, or else the whole; line breaks stay."""
    if not _is_secret(match):
        return str(match.group(0))
    whole: str = match.group(0)
    if not match.groups():
        return REDACTED + "\n" * whole.count("\n")
    first, last = match.start(1) - match.start(), match.end(1) - match.start()
    return f"{whole[:first]}{REDACTED}{whole[last:]}"
