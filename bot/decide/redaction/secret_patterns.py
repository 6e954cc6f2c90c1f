"""Token families, recognised by their form: mostly a prefix that its issuer chose for detecting leaks.

`secret_patterns.txt` lists them; families that are recognised by their context are defined here. A form without a
prefix (a bare hex or UUID key, a password in a sentence) is not a family: it would match commit hashes and other code.
`decide/redaction/assigned_secrets` recognises such values by their name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.redaction.given_values import is_filler
from bot.decide.redaction.pattern_language import BEFORE, beginnings, pattern
from bot.decide.redaction.value_shape import is_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.decide.redaction.spans import Span

_MUCH = 30_000
"""Text length in characters from which one pass for all whole forms is cheaper than one for each."""
_SHORT = 3
"""Minimum length in characters of a beginning that is searched for."""


@dataclass(frozen=True, slots=True)
class Family:
    """Token family. The first group of the re2 pattern is the secret, or else the whole match."""

    name: str
    pattern: str
    begins: tuple[str, ...] = ()
    """Patterns of which each token contains one; empty if the family is always tried."""
    is_random: bool = False
    """True if the secret must look random, since ordinary words fit the form."""
    checksum: str = "-"
    source: str = "-"


_ANY_KEY = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"

RULES = (
    # The body may follow diff signs or line numbers; without an end marker, everything that looks like it is included.
    Family(
        "a private key",
        rf"(-----BEGIN {_ANY_KEY}(?:[A-Za-z0-9+/=\s\\\"',:.>|()-]*?-----END {_ANY_KEY}|(?:[A-Za-z0-9+/=\s\\]|\n-)*))",
        ("PRIVATE KEY",),
    ),
    Family(
        "a private key in base64",
        r"(LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFURS|QUklWQVRF|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVEUg|FTkNSWVBURUQgUFJJVkFURS"
        r"|EU0EgUFJJVkFURS|QR1AgUFJJVkFURS)[A-Za-z0-9+/=\s]{20,})",
        ("LS0tLS1CRUdJTi",),
    ),
    Family(
        "an AWS secret key",
        r"(?i)aws.{0,20}?(?:secret|key|pwd|pass|token).{0,20}?[=:>]\s*[\"']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)",
        ("(?i)aws",),
    ),
    Family("an Azure storage key", r"(?i)AccountKey\s?=\s?([A-Za-z0-9+/]{60,}={0,2})", ("(?i)accountkey",)),
    Family(
        "a shared access signature",
        r"(?i)(?:SharedAccessKey\s?=\s?|[?&](?:amp;)?sig=)([A-Za-z0-9%+/_-]{30,}={0,2})",
        ("(?i)sharedaccesskey", "(?i)[?&;]sig="),
    ),
    Family("a key in a connection string", r"(?i)\bId=[^;\s]{4,80};Secret=([A-Za-z0-9+/=]{20,})", ("(?i);secret=",)),
    Family(
        "an npm registry token",
        r"(?:^|[:\s\"'])_(?:authToken|auth|password)\s*=\s*\"?([A-Za-z0-9+/=_-]{16,})",
        ("_auth", "_pass"),
        is_random=True,
    ),
    Family(
        "a JSON web token",
        r"((?:eyJ|ewogIC|ewoid)[A-Za-z0-9_-]{8,}={0,2}\.(?:eyJ|ewo)[A-Za-z0-9_-]{8,}={0,2}(?:\.[A-Za-z0-9_-]*)?)",
        ("eyJ", "ewo"),
    ),
    Family("a JSON web token in base64", r"(ZXlK[A-Za-z0-9+/_-]{60,}={0,2})", ("ZXlK[A-Za-z0-9]{4}",), is_random=True),
    Family(
        "a Facebook app token",
        rf"{BEFORE}([0-9]{{15,16}}(?:\||%7C|%)[0-9A-Za-z_-]{{27,40}})(?:[^0-9A-Za-z_-]|$)",
        (r"[0-9]{6}(?:\||%)[0-9A-Za-z_-]{4}",),
    ),
    Family(
        "an authorization header",
        r"(?i)authorization[\"']?\s*[:=,]\s*[\"']?(?:bearer|basic|token|apikey|api-token)\s+([A-Za-z0-9._~+/=-]{12,})",
        ("(?i)authorization",),
        is_random=True,
    ),
    Family("a bearer token", r"\b[Bb]earer\s+([A-Za-z0-9_-]*[0-9][A-Za-z0-9._~+/=-]{19,})", ("earer",)),
    Family(
        "a password in an address",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@\"'<>]*:([^\s/@\"'<>${}*%]{3,}|[^\s/@\"'<>${}*]{8,})@",
        ("://",),
    ),
)


def _rows() -> Iterator[Family]:
    text = (resources.files("bot.decide.redaction") / "secret_patterns.txt").read_text("utf-8")
    for row in text.splitlines():
        if row and not row.startswith("#"):
            name, form, look, checksum, source = row.split(" | ")
            begins = beginnings(form)
            usable_beginnings = begins if min(map(len, begins)) >= _SHORT else ()
            yield Family(name, pattern(form), usable_beginnings, look == "random", checksum, source)


FAMILIES = (*RULES, *_rows())
"""All families; private keys first, since others could be part of one."""

_CROSSED = re.compile(r"(?i)x{5}|\.{3}|\*{4}|^your|^change_?me|^\[redacted|example")
"""Placeholders for secrets in documents."""
_WORDS = re.compile(r"^(?:[a-z]{2,}[-_:.])+")
"""Words at the start of a token."""
_PLAIN = 8
"""Maximum length of a word that is not a password: foo, bar, postgres."""

_COMPILED = tuple(re2.compile(family.pattern.encode()) for family in FAMILIES)


class _Beginnings:
    """Preselection of families for a text: one pass for all with a fixed beginning."""

    def __init__(self) -> None:
        self._texts = re2.Set.SearchSet()
        self._of: list[int] = []
        always = []
        for number, family in enumerate(FAMILIES):
            for text in family.begins:
                self._texts.Add(text)
                self._of.append(number)
            if not family.begins:
                always.append(number)
        self._texts.Compile()
        self._always = tuple(always)
        self._any = re2.compile("|".join(FAMILIES[number].pattern for number in always).encode())

    def worth_trying(self, text: bytes) -> list[int]:
        """Return the numbers of the families to try, in order."""
        numbers = {self._of[number] for number in self._texts.Match(text) or ()}
        if self._any.search(text):
            numbers.update(self._always)
        return sorted(numbers)


_BEGINNINGS = _Beginnings()


@lru_cache(maxsize=8)
def _build_whole_set(numbers: tuple[int, ...]) -> Any:
    """Build a set of the whole forms of some families, for a search in one pass."""
    wholes = re2.Set.SearchSet()
    for number in numbers:
        wholes.Add(FAMILIES[number].pattern)
    wholes.Compile()
    return wholes


def _worth_trying(text: bytes) -> list[int]:
    """Return the families with a whole form in a text; for a short text, with a beginning."""
    numbers = _BEGINNINGS.worth_trying(text)
    if len(text) < _MUCH:
        return numbers
    return sorted(numbers[place] for place in _build_whole_set(tuple(numbers)).Match(text) or ())


def tokens(text: bytes) -> Iterator[Span]:
    """Yield the tokens in a text: start and end of the secret, and the name of the family."""
    for number in _worth_trying(text):
        family = FAMILIES[number]
        for match in _COMPILED[number].finditer(text):
            group = _secret_group(match)
            secret = match.group(group).decode("ascii", "replace")
            if (
                (number and _CROSSED.search(secret))  # a multi-line key is not an example
                or (number < len(RULES) and _is_plain(secret))
                or (family.is_random and not is_random(_WORDS.sub("", secret)))
            ):
                continue
            yield match.start(group), match.end(group), family.name


def _is_plain(secret: str) -> bool:
    """Return whether a text in the place of a secret is an ordinary word, as in documents and tests."""
    return (secret.isalpha() and len(secret) <= _PLAIN) or is_filler(secret)


def _secret_group(match: Any) -> int:
    return 1 if match.re.groups and match.group(1) is not None else 0
