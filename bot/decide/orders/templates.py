"""Templates of orders: a file per language, loaded once by `OrderParser`.

In a template, `(a|b)` is an alternative, `[a]` is optional, `{slot}` matches a pattern of `slots`, `<word>` stands for
an entry of the file's word list, and `:` for punctuation between an order and a text. A key is a command with fixed
input: `get_token_usage by=project`. `in=question` limits it to the thread of an open question, `in=apart` to other
places, `in=talk` marks it as small talk, too, `in=settles` ends the author's own question (`all=yes`: all of them),
`in=decides` decides on a draft, and `member=mine` names the command for members.

As there are hundreds of templates, candidates are found by the first letters of a text, and compiled on first use.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING

from bot.decide.classify.language_packs import codes
from bot.decide.letters import one_form
from bot.decide.orders.slots import FREE, PATTERNS
from bot.decide.word_tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TOKEN = re.compile(r"\{(?P<slot>\w+)\}|<(?P<word>\w+)>|(?P<sign>[()\[\]|])|(?P<text>[^\s(){}\[\]|<>]+)")
_WORDS = re.compile(r"[^\W\d_]{3,}(?:'[a-z]+)?")
_SIGNS = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "|": "|"}
ANY = ""
"""Placeholder for any first letter."""
_AFTER = r"(?!\w)[\s,\u060c]*"


@dataclass(frozen=True)
class Template:
    """Template of an order."""

    command: str
    fixed: Mapping[str, str]
    source: str
    """Source of its regular expression."""
    beginnings: frozenset[str]
    """First one or two letters in lower case; with `ANY` where they are not fixed."""
    place: str = ""
    """`question` for an order in the thread of an open question only; `talk` for small talk, too; `settles` for the end
    of the author's question; `decides` for a decision on a draft."""
    of_members: str = ""
    takes_text: bool = False
    """True if a slot matches all that follows, of any length."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compile the regular expression. Raises `re.error` for an invalid template."""
        return re.compile(self.source, re.IGNORECASE)

    def match(self, text: str) -> re.Match[str] | None:
        """Match a whole text."""
        return self.pattern.fullmatch(text)


@dataclass(frozen=True)
class Book:
    """Templates of a language, with its polite words around an order."""

    code: str
    templates: tuple[Template, ...]
    openers: tuple[re.Pattern[str], ...]
    closers: tuple[re.Pattern[str], ...]
    reasons: re.Pattern[str] | None
    """Beginnings of an explanation beside an order."""
    conditions: re.Pattern[str] | None
    """Words that make an order conditional, or cancel it."""
    vocabulary: frozenset[str]

    def beginning_as(self, text: str) -> Iterator[Template]:
        """Yield the templates with the first letters of a text, in order."""
        prefixes = (ANY, text[:1].lower(), text[:2].lower())
        places = {place for letters in prefixes for place in self._by_beginning.get(letters, ())}
        return (self.templates[place] for place in sorted(places))

    @cached_property
    def _by_beginning(self) -> Mapping[str, Sequence[int]]:
        places = defaultdict[str, list[int]](list)
        for place, template in enumerate(self.templates):
            for beginning in template.beginnings:
                places[beginning].append(place)
        return dict(places)


def load_templates(languages: Sequence[str] = ()) -> tuple[Book, ...]:
    """Load the books of these languages, of all when none is named; English comes first."""
    return _load_books(tuple(languages))


@cache
def _load_books(languages: tuple[str, ...]) -> tuple[Book, ...]:
    wanted = sorted(set(languages) or codes(), key=lambda code: (code != "en", code))
    folder = resources.files("bot.decide.orders")
    files = ((code, folder / f"{code}.yml") for code in wanted)
    return tuple(read_book(code, file.read_text("utf-8")) for code, file in files if file.is_file())


def read_book(code: str, text: str) -> Book:
    """Build the book from a file's text. Raises `KeyError` for an unknown word."""
    data = read_table(text)
    words = {name: one_form(word) for name, word in data.get("words", {}).items()}
    spaced = data.get("spaced", "true") != "false"

    def pattern(template: str) -> str:
        return _pattern(one_form(template), words, spaced=spaced)

    def anywhere(key: str) -> re.Pattern[str] | None:
        listed = "|".join(re.escape(one_form(word)) for word in data.get(key, ()))
        return re.compile(rf"\b(?:{listed})\b" if spaced else listed, re.IGNORECASE) if listed else None

    templates = []
    for key, lines in data["orders"].items():
        command, *fixed = key.split()
        values = dict(each.split("=", 1) for each in fixed)
        place, of_members = values.pop("in", ""), values.pop("member", "")
        templates += [
            Template(
                command, values, pattern(line), _first_letters(one_form(line), words), place, of_members, _is_free(line)
            )
            for line in lines
        ]
    around = [*data.get("openers", ()), *data.get("closers", ())]
    literal = " ".join([line for lines in data["orders"].values() for line in lines] + [*words.values(), *around])
    return Book(
        code=code,
        templates=tuple(templates),
        openers=tuple(re.compile(pattern(line), re.IGNORECASE) for line in data.get("openers", ())),
        closers=tuple(
            re.compile(rf"(?:^|(?<![\s,])[\s,]+)(?:{pattern(line)})$", re.IGNORECASE)
            for line in data.get("closers", ())
        ),
        reasons=anywhere("reasons"),
        conditions=anywhere("conditions"),
        vocabulary=frozenset(_WORDS.findall(re.sub(r"[{<]\w+[}>]", " ", one_form(literal).lower()))),
    )


def _is_free(template: str) -> bool:
    """Return whether a slot matches all that follows."""
    return any(f"{{{slot}}}" in template for slot in FREE)


def _pattern(template: str, words: Mapping[str, str], *, spaced: bool) -> str:
    """Translate a template into a regular expression for a whole text; each word includes the spaces after it."""
    after = _AFTER if spaced else r"\s*"
    parts = []
    for number, token in enumerate(_TOKEN.finditer(template)):
        if token["slot"]:  # the number distinguishes slots of the same name; an order fills one
            takes_rest = token["slot"] in FREE and token.end() == len(template.rstrip())
            parts.append(rf"(?P<{token['slot']}_{number}>{PATTERNS[token['slot']]}){'' if takes_rest else after}")
        elif token["word"]:
            parts.append(f"(?:{_pattern(words[token['word']], words, spaced=spaced)})")
        elif token["sign"]:
            parts.append(_SIGNS[token["sign"]])
        elif token["text"] == ":":
            parts.append(r"[:,;\u2013\u2014-]+\s*")
        else:
            word = re.escape(token["text"]).replace("'", "'?").replace(r"\-", r"[-\s]?")
            parts.append(f"{word}{after}")
    return "".join(parts)


def _first_letters(template: str, words: Mapping[str, str]) -> frozenset[str]:
    """Return the first letters that a text of a template may have."""
    letters, may_be_empty = _alternatives(_TOKEN.finditer(template), words)
    return frozenset({*letters, ANY} if may_be_empty else letters)


def _alternatives(tokens: Iterator[re.Match[str]], words: Mapping[str, str]) -> tuple[set[str], bool]:
    """Return the first letters of a group up to its closing sign, and whether it may be empty."""
    letters, may_be_empty, is_beginning = set[str](), False, True
    for token in tokens:
        if token["sign"] in (")", "]"):
            break
        if token["sign"] == "|":
            may_be_empty, is_beginning = may_be_empty or is_beginning, True
            continue
        inner, is_optional = {ANY}, False
        if token["sign"]:
            inner, is_optional = _alternatives(tokens, words)
            is_optional = is_optional or token["sign"] == "["
        elif token["word"]:
            inner, is_optional = _alternatives(_TOKEN.finditer(words[token["word"]]), words)
        elif token["text"] and token["text"][0].isalnum():
            two = token["text"][:2].lower()
            inner = {two if two.isalnum() else two[0]}
        if is_beginning:
            letters, is_beginning = letters | inner, is_optional
    return letters, may_be_empty or is_beginning
