"""Templates of orders: a file per language, each a pattern of its own. Read once, by `OrderParser`.

In a template `(a|b)` is one of several, `[a]` may be left out, `{slot}` takes what `slots` says, `<word>` stands for
the words of the file's own list, and `:` for a mark between an order and a text. A key is a command, and what it is
given whatever is said: `get_token_usage by=project`; `in=question` has it count in the thread of an open question
alone, `in=talk` says that people use it as small talk, too, `in=settles` that it ends their own question
(`all=yes`: all of them), `in=decides` that it decides on a draft, and `member=mine` names the command of members.

There are hundreds: which of them a text may be is told by its first letters, and a pattern is compiled when it is used.
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
"""In the place of a letter: any."""
_AFTER = r"(?!\w)[\s,\u060c]*"


@dataclass(frozen=True)
class Template:
    """One way to give an order."""

    command: str
    fixed: Mapping[str, str]
    source: str
    """Its pattern."""
    beginnings: frozenset[str]
    """Its first letters in lower case, two or one; `ANY` among them where nobody can tell."""
    place: str = ""
    """`question` where it is an order in the thread of an open question only; `talk` where it is small talk, too;
    `settles` where it ends the question of whoever says it; `decides` where it decides on a draft."""
    of_members: str = ""
    takes_text: bool = False
    """True if a slot takes all that follows, of any length."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What takes all of an order. Raises `re.error` for a template that cannot be compiled."""
        return re.compile(self.source, re.IGNORECASE)

    def match(self, text: str) -> re.Match[str] | None:
        """The order that all of a text is."""
        return self.pattern.fullmatch(text)


@dataclass(frozen=True)
class Book:
    """The templates of a language, with what politeness puts before and after an order."""

    code: str
    templates: tuple[Template, ...]
    openers: tuple[re.Pattern[str], ...]
    closers: tuple[re.Pattern[str], ...]
    reasons: re.Pattern[str] | None
    """How an explanation begins that stands beside an order."""
    conditions: re.Pattern[str] | None
    """Words that make an order depend on something, or take it back."""
    vocabulary: frozenset[str]

    def beginning_as(self, text: str) -> Iterator[Template]:
        """The templates that begin as a text does, in their order."""
        begun = (ANY, text[:1].lower(), text[:2].lower())
        places = {place for letters in begun for place in self._by_beginning.get(letters, ())}
        return (self.templates[place] for place in sorted(places))

    @cached_property
    def _by_beginning(self) -> Mapping[str, Sequence[int]]:
        found = defaultdict[str, list[int]](list)
        for place, template in enumerate(self.templates):
            for beginning in template.beginnings:
                found[beginning].append(place)
        return dict(found)


def load_templates(languages: Sequence[str] = ()) -> tuple[Book, ...]:
    """The books of these languages, of all when none is named; English comes first."""
    return _loaded(tuple(languages))


@cache
def _loaded(languages: tuple[str, ...]) -> tuple[Book, ...]:
    wanted = sorted(set(languages) or codes(), key=lambda code: (code != "en", code))
    folder = resources.files("bot.decide.orders")
    files = ((code, folder / f"{code}.yml") for code in wanted)
    return tuple(read_book(code, file.read_text("utf-8")) for code, file in files if file.is_file())


def read_book(code: str, text: str) -> Book:
    """The book in a file's text. Raises `KeyError` for a word that its list does not have."""
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
                command, values, pattern(line), _beginnings(one_form(line), words), place, of_members, _is_free(line)
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
    """Return whether a slot takes all that follows."""
    return any(f"{{{slot}}}" in template for slot in FREE)


def _pattern(template: str, words: Mapping[str, str], *, spaced: bool) -> str:
    """A template as a pattern that matches all of a text; each word takes the blanks after it."""
    after = _AFTER if spaced else r"\s*"
    made = []
    for number, token in enumerate(_TOKEN.finditer(template)):
        if token["slot"]:  # the number tells apart slots of one name, of which an order fills one
            takes_rest = token["slot"] in FREE and token.end() == len(template.rstrip())
            made.append(rf"(?P<{token['slot']}_{number}>{PATTERNS[token['slot']]}){'' if takes_rest else after}")
        elif token["word"]:
            made.append(f"(?:{_pattern(words[token['word']], words, spaced=spaced)})")
        elif token["sign"]:
            made.append(_SIGNS[token["sign"]])
        elif token["text"] == ":":
            made.append(r"[:,;\u2013\u2014-]+\s*")
        else:
            word = re.escape(token["text"]).replace("'", "'?").replace(r"\-", r"[-\s]?")
            made.append(f"{word}{after}")
    return "".join(made)


def _beginnings(template: str, words: Mapping[str, str]) -> frozenset[str]:
    """The first letters that a text of a template may have."""
    letters, may_be_empty = _alternatives(_TOKEN.finditer(template), words)
    return frozenset({*letters, ANY} if may_be_empty else letters)


def _alternatives(tokens: Iterator[re.Match[str]], words: Mapping[str, str]) -> tuple[set[str], bool]:
    """The same for what stands up to the closing sign, and whether that may be nothing."""
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
