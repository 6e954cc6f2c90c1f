"""Redactor: removes secrets from a text before it reaches a model, a card, a post or the log. Pure, on re2.

Three kinds are recognised: loaded secrets, also in encoded form (`decide/redaction/disguises`), tokens of the families
in `decide/redaction/secret_patterns`, and values assigned to a secret's name (`decide/redaction/assigned_secrets`).
Values of the last two kinds are remembered, so that a draft that repeats one elsewhere is held back.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.redaction.assigned_secrets import ASSIGNED, find_assigned, is_secret_field
from bot.decide.redaction.disguises import Disguises
from bot.decide.redaction.loaded_secrets import SHORTEST, _forms
from bot.decide.redaction.secret_patterns import FAMILIES, tokens
from bot.decide.redaction.spans import replace_spans
from bot.models.visible import clean, latin, strip_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bot.decide.redaction.spans import Span

    Looked = tuple[list[Span], tuple[str, ...]]

REDACTED = "[redacted]"
LOADED = "a loaded secret"
"""Kind of a loaded secret."""
REPEATED = "a value that code or settings assign to a secret's name"
"""Kind of a remembered value without a name next to it."""
MOST_SEEN = 4_000
"""Maximum number of remembered values; the oldest are dropped."""
MOST_HARMLESS, LONGEST_HARMLESS = 1_000, 4_000
"""Maximum number and length of cached texts without a secret: cards are rendered repeatedly."""
MOST_NOTICED = 10_000
"""Maximum number of digests of noticed texts."""
_LONG, _LONGEST = 400, 40_000
"""Length range in characters of texts whose spans are cached, since most are searched repeatedly."""
_FEW = 50
"""Number of remembered values up to which each is searched for directly."""
_MOST_LOOKED_AT = 400_000
"""Maximum total length of those texts in characters."""

_QUIET = re2.Options()
_QUIET.log_errors = False
_WIDE = re2.compile("[\uff01-\uff5e\u2460-\u24ff\u0370-\u04ff\U0001d400-\U0001d7ff]".encode())
_RANK = {name: rank for rank, name in enumerate((LOADED, *(family.name for family in FAMILIES), ASSIGNED, REPEATED))}


class Redactor:
    """Redactor of some secrets by value and of all families by form. `secrets` shorter than `SHORTEST` are ignored."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: frozenset[str] = frozenset()
        self._values: Any = None
        self._foreign: tuple[str, ...] = ()
        self._disguises: Disguises | None = None
        self._remembered: dict[str, None] = {}
        self._harmless: set[str] = set()
        self._noticed: set[bytes] = set()
        self._looked_at: OrderedDict[str, Looked] = OrderedDict()
        self._held = 0
        self._lock = Lock()  # for the caches: long texts are searched in threads
        self.learn(*secrets)

    def learn(self, *secrets: str) -> None:
        """Add secrets."""
        valid = (secret.encode("utf-8", "replace").decode().strip() for secret in secrets)  # as `clean` does
        all_secrets = self._secrets | {secret for secret in valid if len(secret) >= SHORTEST}
        if all_secrets == self._secrets:
            return
        forms = {form for secret in all_secrets for form in _forms(secret) if form}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        values = "|".join(re2.escape(form) for form in longest_first if form.isascii())
        self._values = re2.compile(values.encode(), _QUIET)
        self._foreign = tuple(form for form in longest_first if not form.isascii())
        self._disguises = Disguises(all_secrets)
        self._secrets = all_secrets
        self._noticed = set()
        self._harmless = set()  # after the values: a thread that searched for the old ones adds to the old set
        with self._lock:
            self._looked_at.clear()
            self._held = 0

    def notice(self, text: str) -> None:
        """Remember the tokens, assigned values and positional secrets in a text.

        A text is searched only once while all values are remembered: the same files are cited repeatedly.
        """
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._noticed:
            return
        noticed = self._noticed
        self.spans(clean(text))
        if len(noticed) >= MOST_NOTICED:
            noticed.clear()
        noticed.add(digest)

    def redact(self, text: str, *, repeated: bool = False, remember: bool = True) -> str:
        """Replace each secret in `text` by `[redacted]`; the number of lines stays the same.

        A text without secrets is returned unchanged; in any other one invisible characters are removed too. With
        `repeated` remembered values are also replaced. Without `remember` no value is remembered: code has composed
        the text, and its lists of names may look like a secret's name with a value.
        """
        harmless = self._harmless
        if text in harmless and not (repeated and self._remembered):
            return text
        cleaned = done = clean(text)
        if text not in harmless:
            done = self._redact_spans(cleaned, remember=remember)
            if done == cleaned and len(text) <= LONGEST_HARMLESS:
                if len(harmless) >= MOST_HARMLESS:
                    harmless.clear()
                harmless.add(text)
        if repeated:
            for value in self._find_remembered(done):
                done = done.replace(value, REDACTED)
        return text if done == cleaned else done

    def _redact_spans(self, text: str, *, remember: bool) -> str:
        if spans := self.spans(text, remember=remember):
            text = replace_spans(text, spans, REDACTED)
        for view in _VIEWS:
            plain = view(text)
            if plain == text or not self._shows_more(text, plain, remember=remember):
                continue
            if spans := self.spans(plain, remember=remember):
                text = replace_spans(plain, spans, REDACTED)
        return text

    def kinds(self, text: str) -> tuple[str, ...]:
        """Return the kinds of secrets in `text`, each once; empty without any.

        Remembered values count as a kind.
        """
        cleaned = clean(text)
        spans = self.spans(cleaned)
        view_spans = [
            self.spans(view)
            for view in {view(cleaned) for view in _VIEWS} - {cleaned}
            if self._shows_more(cleaned, view)
        ]
        all_kinds = {kind for each in (spans, *view_spans) for _, _, kind in each}
        if self._find_remembered(
            strip_invisible(self.redact(cleaned) if any(view_spans) else replace_spans(cleaned, spans, REDACTED))
        ):
            all_kinds.add(REPEATED)
        return tuple(sorted(all_kinds, key=lambda kind: _RANK[kind]))

    def value(self, value: Any, *, repeated: bool = False, remember: bool = True) -> Any:
        """Redact every string in a JSON value, including keys, as `redact` does; the same object is returned without
        secrets."""
        inside = self._redact_inside(value, None, partial(self.redact, repeated=repeated, remember=remember), remember)
        return value if inside == value else inside

    def _redact_inside(self, value: Any, name: Any, redact: Callable[[str], str], remember: bool) -> Any:
        if isinstance(value, dict):
            return {
                self._redact_inside(key, None, redact, remember): self._redact_inside(inner, key, redact, remember)
                for key, inner in value.items()
            }
        if isinstance(value, list | tuple):
            return type(value)(self._redact_inside(inner, name, redact, remember) for inner in value)
        if not isinstance(value, str):
            return value
        if is_secret_field(name, value):
            if remember:
                self._remember((value,))
            return REDACTED
        return redact(value)

    def _shows_more(self, text: str, view: str, *, remember: bool = True) -> bool:
        """Return whether another view of a text shows secrets in the lines where it differs, or next to them."""
        lines, others = text.split("\n"), view.split("\n")  # no view adds or removes a line break
        differ = [number for number, (line, other) in enumerate(zip(lines, others, strict=True)) if line != other]
        near = sorted(
            {
                line_number
                for number in differ
                for line_number in (number - 1, number, number + 1)
                if 0 <= line_number < len(lines)
            }
        )
        return bool(self.spans("\n".join(others[number] for number in near), remember=remember))

    def spans(self, text: str, *, remember: bool = True) -> list[Span]:
        """Return the spans of secrets in an unchanged text; `remember` as in `redact`."""
        secrets, cached = self._secrets, self._looked_at.get(text)
        spans, values = cached or self._search(text)
        if not cached and _LONG <= len(text) <= _LONGEST:
            self._keep(text, (spans, values), secrets)
        if remember:
            self._remember(values)
        return spans

    def _search(self, text: str) -> Looked:
        """Search a text for loaded secrets, tokens and assigned values; return all spans, and the values of the last
        two."""
        shadow = text.encode("ascii", "replace")  # one byte for each character, so positions stay
        spans: list[Span] = []
        if self._values is not None:
            spans += ((match.start(), match.end(), LOADED) for match in self._values.finditer(shadow))
        for form in self._foreign:
            spans += ((at, at + len(form), LOADED) for at in _places(form, text))
        if self._disguises is not None:
            spans += ((first, last, LOADED) for first, last in self._disguises.spans(text))
        assigned_values = list(find_assigned(text))
        formed = list(tokens(shadow))
        values = (
            *(text[first:last] for first, last, _ in formed),
            *(assigned_value.value for assigned_value in assigned_values),
        )
        return [*spans, *formed, *(span for assigned_value in assigned_values for span in assigned_value.spans)], values

    def _keep(self, text: str, looked: Looked, secrets: frozenset[str]) -> None:
        """Cache a result, unless secrets were added meanwhile; the oldest texts are dropped."""
        with self._lock:
            if secrets is not self._secrets or text in self._looked_at:
                return
            self._looked_at[text] = looked
            self._held += len(text)
            while self._held > _MOST_LOOKED_AT:
                self._held -= len(self._looked_at.popitem(last=False)[0])

    def _remember(self, values: Iterable[str]) -> None:
        for value in values:
            if len(value) >= SHORTEST and value not in self._secrets:
                with self._lock:
                    if value not in self._remembered and len(self._remembered) >= MOST_SEEN:
                        self._remembered.pop(next(iter(self._remembered)), None)
                        self._noticed = set()
                    self._remembered[value] = None

    def _find_remembered(self, text: str) -> list[str]:
        """Return the remembered values in a text."""
        remembered = tuple(self._remembered)
        if len(remembered) > _FEW:  # skip values whose start is not in the text
            prefixes = {text[at : at + SHORTEST] for at in range(len(text) - SHORTEST + 1)}
            remembered = tuple(value for value in remembered if value[:SHORTEST] in prefixes)
        return [value for value in remembered if value in text]


def _narrow(text: str) -> str:
    """Convert letters of other widths or scripts to ASCII."""
    return (
        latin(strip_invisible(text)) if not text.isascii() and _WIDE.search(text.encode("utf-8", "replace")) else text
    )


_VIEWS: tuple[Callable[[str], str], ...] = (strip_invisible, _narrow)
"""Additional views of a text: without invisible characters, and in ASCII letters."""


def _places(form: str, text: str) -> Iterator[int]:
    at = text.find(form)
    while at >= 0:
        yield at
        at = text.find(form, at + len(form))
