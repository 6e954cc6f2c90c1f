"""Unsupported claims: numbers, paths and names of a draft that its citations lack. Pure, on re2, in linear time.

The result is a hint for the validator. Only certain findings are reported: words of plain language are ignored, an
ambiguous spelling is read both ways, and a unit counts only if both sides have one. That a cited text contains a word
does not mean that it supports the claim: the validator judges that.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.decide.grounding import tokens
from bot.decide.grounding.citation_lines import in_english, out_of_brackets
from bot.decide.grounding.numeric_claims import LONGEST, NUMERALS, product, values
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

MOST_READ = 100_000
"""Maximum number of characters read of all texts together; eight quotes are far shorter."""
LONGEST_SHOWN = 120
"""Maximum length of one finding in characters."""


def find_unsupported(draft: str, question: str, cited: Sequence[str]) -> tuple[str, ...]:
    """Return each number, path and name of `draft` that is neither in `question` nor in a `cited` text, in order.

    `cited` is what `EvidenceChecker.cited` returns for each reference: a place such as `a/b.py:14` is supported by a
    cited text with `a/b.py:12-20`.
    """
    evidence = _Evidence.from_texts([question, *cited])
    claims = [_short(token) for token in _claims(_normalise(draft), evidence)]
    return tuple(dict.fromkeys(claims))


@dataclass(frozen=True)
class _Evidence:
    """Contents of some texts, prepared for look-ups."""

    text: str
    words: frozenset[str]
    numbers: frozenset[Fraction]
    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Line ranges by lower-case path."""

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> _Evidence:
        whole = _normalise("\n".join(texts)[:MOST_READ])
        words = frozenset(word.lower() for word in tokens.WORD.findall(whole))
        numbers = {NUMERALS[word] for word in words if word in NUMERALS}
        places: dict[str, list[tuple[int, int]]] = {}
        left, end = [], 0
        for token in tokens.SCAN.finditer(whole):
            if token["lines"] or token["first"]:  # a line number is not a value
                left.append(f"{whole[end : token.start()]}{token['path'] or ''}")
                end = token.end()
            if token["number"]:
                numbers |= _values(token)
            elif token["path"]:
                ranges = places.setdefault(_path(token["path"]), [])
                if token["first"]:
                    first = _line(token["first"])
                    ranges.append((first, _line(token["last"] or token["first"])))
        text_without_lines = " ".join((*left, whole[end:]))
        numbers.update(value for run in set(tokens.DIGITS.findall(text_without_lines)) for value in values(run))
        numbers.update(product(tokens.DIGITS.findall(run)) for run in set(tokens.PRODUCT.findall(text_without_lines)))
        return cls(" ".join(whole.lower().split()), words, frozenset(numbers), places)

    def holds(self, text: str) -> bool:
        """Return whether the texts contain this verbatim, except for blanks and case, without a cut word."""
        wanted = " ".join(text.lower().split())
        at = self.text.find(wanted)
        while at >= 0:
            before, after = self.text[at - 1 : at], self.text[at + len(wanted) : at + len(wanted) + 1]
            if not (tokens.is_one_word(before, wanted[0]) or tokens.is_one_word(wanted[-1], after)):
                return True
            at = self.text.find(wanted, at + len(wanted))
        return False

    def has_path(self, path: str) -> bool:
        """Return whether a named path ends like this one, or is below it."""
        wanted = _path(path)
        below = wanted.rstrip("/") + "/"
        return any(
            place == wanted or place.endswith(f"/{wanted}") or place.startswith(below) or f"/{below}" in place
            for place in self.places
        ) or self.holds(path.strip("/"))

    def has_place(self, path: str, first: int, last: int) -> bool:
        """Return whether these lines are in a range that is named with the path."""
        wanted = _path(path)
        return any(
            start <= first and last <= end
            for place, ranges in self.places.items()
            if place == wanted or place.endswith(f"/{wanted}")
            for start, end in ranges
        )

    def has_line(self, number: int) -> bool:
        """Return whether any range contains this line."""
        return any(start <= number <= end for ranges in self.places.values() for start, end in ranges)

    def has_name(self, name: str) -> bool:
        """Return whether the texts contain a whole name; of a dotted one the last part, and the others anywhere."""
        plain = name.lower().removesuffix("()").lstrip("$-")
        if plain in self.words or plain.replace("-", "_") in self.words or self.holds(plain):
            return True
        if tokens.is_hash(plain):
            return any(word.startswith(plain) for word in self.words)
        *before, last = tokens.PARTS.split(plain)
        return bool(before) and last in self.words and all(part in self.text for part in before)


def _claims(draft: str, evidence: _Evidence) -> Iterator[str]:
    """Yield the unsupported claims: fenced quotes line by line, all else as text with names in backticks."""
    for number, part in enumerate(draft.split("```")):
        if number % 2 == 0:
            yield from _in_prose(part, evidence)
            continue
        for row in part.split("\n"):
            if row.strip() and not evidence.holds(row):
                yield from _in_text(row, evidence, code=False)


def _in_prose(text: str, evidence: _Evidence) -> Iterator[str]:
    for number, part in enumerate(tokens.SPAN.split(out_of_brackets(text))):
        if number % 2 == 0:
            yield from _in_text(part, evidence, code=False)
        elif part.strip() and not evidence.holds(part.strip()):
            yield from _in_text(part, evidence, code=True)


def _in_text(text: str, evidence: _Evidence, *, code: bool) -> Iterator[str]:
    for token in tokens.SCAN.finditer(in_english(text)):
        kind = next(kind for kind in tokens.KINDS if token[kind])
        if not _CHECKS[kind](token, evidence, code):
            yield token[0].strip()


def _is_path_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    if not tokens.is_path(token["path"], code=code):
        return True
    if not token["first"]:
        return evidence.has_path(token["path"])
    lines = _line(token["first"]), _line(token["last"] or token["first"])
    return any(evidence.has_place(path, *lines) for path in (token["path"], token["path"].lstrip("_")))


def _is_number_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    tail = token["tail"] or ""
    if tail and not tokens.is_unit(tail) and not _is_hex(token):
        return not tokens.is_hash(token[0]) or evidence.has_name(token[0])  # 2nd, 4xx, 2FA
    if _values(token) & evidence.numbers:
        return True
    if len(token["number"]) > LONGEST:
        return evidence.holds(token["number"])
    parts = tokens.DIGITS_ONLY.findall(token["number"])  # a list such as 80,443
    return len(parts) > 1 and all(values(part) & evidence.numbers for part in parts)


def _are_lines_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    numbers = [_line(number) for number in tokens.DIGITS_ONLY.findall(token["lines"])]
    return all(evidence.has_line(number) or number in evidence.numbers for number in numbers)


def _is_name_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    name = token["name"]
    wanted = tokens.names_in_code(name) if code else tokens.names_in_prose(name)
    return all(evidence.has_name(part) for part in wanted)


def _is_literal_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    return evidence.holds(token[0].rstrip(".,;:!?"))


def _is_version_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    plain = token["version"].lower().removeprefix("v")
    return evidence.holds(token["version"]) or evidence.holds(plain) or f"v{plain}" in evidence.words


def _is_always_supported(token: Any, evidence: _Evidence, code: bool) -> bool:
    return True


_CHECKS: dict[str, Callable[[Any, _Evidence, bool], bool]] = {
    "skipped": _is_always_supported,
    "url": _is_literal_supported,
    "lines": _are_lines_supported,
    "path": _is_path_supported,
    "moment": _is_literal_supported,
    "version": _is_version_supported,
    "number": _is_number_supported,
    "name": _is_name_supported,
}


def _values(token: Any) -> frozenset[Fraction]:
    number, tail = token["number"], token["tail"] or ""
    if _is_hex(token):
        return values(number + tail)
    return values(number, (tail or token["unit"] or "").strip())


def _is_hex(token: Any) -> bool:
    return token["number"] == "0" and bool(tokens.HEX_TAIL.fullmatch(token["tail"] or ""))


def _normalise(text: str) -> str:
    """Normalise compatibility forms, convert digits of all scripts to ASCII, remove invisible characters."""
    plain = unicodedata.normalize("NFKC", clean(text))
    return "".join(str(unicodedata.decimal(char)) if char > "\x7f" and char.isdecimal() else char for char in plain)


def _path(path: str) -> str:
    return path.lower().removeprefix("./").replace("\\", "/")


def _line(digits: str) -> int:
    return int(digits[:9])


def _short(token: str) -> str:
    return token if len(token) <= LONGEST_SHOWN else f"{token[: LONGEST_SHOWN - 1]}…"
