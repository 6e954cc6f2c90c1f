"""Templates of orders: a file per language, compiled to one pattern each. Read once, by `OrderParser`.

In a template `(a|b)` is one of several, `[a]` may be left out, `{slot}` takes what `slots` says, `<word>` stands for
the words of the file's own list, and `:` for a mark between an order and a text. A key is a command, and what it is
given whatever is said: `get_token_usage by=project`; `in=question` has it count in the thread of an open question
alone, `in=talk` says that people use it as small talk, too, `in=settles` that it ends their own question
(`all=yes`: all of them), and `member=mine` names the command of members.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml

from bot.decide.letters import one_form
from bot.decide.orders.slots import PATTERNS
from bot.decide.packs import codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_READER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_TOKEN = re.compile(r"\{(?P<slot>\w+)\}|<(?P<word>\w+)>|(?P<sign>[()\[\]|])|(?P<text>[^\s(){}\[\]|<>]+)")
_WORDS = re.compile(r"[^\W\d_]{3,}(?:'[a-z]+)?")
_SIGNS = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "|": "|"}
_AFTER = r"(?!\w)[\s,\u060c]*"


@dataclass(frozen=True)
class Template:
    """One way to give an order."""

    command: str
    fixed: Mapping[str, str]
    pattern: re.Pattern[str]
    place: str = ""
    """`question` where it is an order in the thread of an open question only; `talk` where it is small talk, too;
    `settles` where it ends the question of whoever says it."""
    of_members: str = ""


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
    """The book in a file's text. Raises `KeyError` or `re.error` for a template that cannot be compiled."""
    data = yaml.load(text, Loader=_READER)  # noqa: S506  # it makes strings, lists and dictionaries, nothing else
    words = {name: one_form(word) for name, word in data.get("words", {}).items()}
    spaced = data.get("spaced", "true") != "false"

    def compiled(template: str) -> re.Pattern[str]:
        return re.compile(_pattern(one_form(template), words, spaced=spaced), re.IGNORECASE)

    def anywhere(key: str) -> re.Pattern[str] | None:
        listed = "|".join(re.escape(one_form(word)) for word in data.get(key, ()))
        return re.compile(rf"\b(?:{listed})\b" if spaced else listed, re.IGNORECASE) if listed else None

    templates = []
    for key, lines in data["orders"].items():
        command, *fixed = key.split()
        values = dict(each.split("=", 1) for each in fixed)
        place, of_members = values.pop("in", ""), values.pop("member", "")
        templates += [Template(command, values, compiled(line), place, of_members) for line in lines]
    around = [*data.get("openers", ()), *data.get("closers", ())]
    literal = " ".join([line for lines in data["orders"].values() for line in lines] + [*words.values(), *around])
    return Book(
        code=code,
        templates=tuple(templates),
        openers=tuple(compiled(line) for line in data.get("openers", ())),
        closers=tuple(
            re.compile(rf"(?:^|[\s,]+)(?:{_pattern(one_form(line), words, spaced=spaced)})$", re.IGNORECASE)
            for line in data.get("closers", ())
        ),
        reasons=anywhere("reasons"),
        conditions=anywhere("conditions"),
        vocabulary=frozenset(_WORDS.findall(re.sub(r"[{<]\w+[}>]", " ", one_form(literal).lower()))),
    )


def _pattern(template: str, words: Mapping[str, str], *, spaced: bool) -> str:
    """A template as a pattern that matches all of a text; each word takes the blanks after it."""
    after = _AFTER if spaced else r"\s*"
    made = []
    for number, token in enumerate(_TOKEN.finditer(template)):
        if token["slot"]:  # the number tells apart slots of one name, of which an order fills one
            made.append(rf"(?P<{token['slot']}_{number}>{PATTERNS[token['slot']]}){after}")
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
