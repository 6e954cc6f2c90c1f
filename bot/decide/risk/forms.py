"""Forms of risky advice: `risks.yml`, loaded once and compiled to re2 patterns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

import re2
import yaml

from bot.decide.letters import one_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.models.advice import AdviceKind

KINDS: tuple[AdviceKind, ...] = ("roll back", "delete", "restart", "change production")
CODE = "\u00a7"
"""Placeholder for a span of code."""
_GAP = r"(?: [^ ]+){0,6}"
_REACH = r"(?: [^ ]+){0,7}?"
_READER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class LanguageForms:
    """Forms of a language with spaces between words. Patterns match ` word word ` with spaces around."""

    names: Mapping[AdviceKind, Any]
    """All forms: a sentence without any of them needs no further check."""
    starts: Mapping[AdviceKind, Any]
    """Orders at the beginning of a clause, after opening words."""
    recommended: Mapping[AdviceKind, Any]
    """Forms after *you should* and similar words; the group `between` has the words between them."""
    helping: Mapping[AdviceKind, Any]
    """Nouns that the clause calls helpful or necessary."""
    ends: Mapping[AdviceKind, Any]
    """Orders at the end of a clause."""
    opener: Any
    leads: frozenset[str]
    places: frozenset[str]
    """First words of a phrase that an order may follow without a comma."""
    subjects: frozenset[str]
    finite: frozenset[str]
    compound_words: frozenset[str]
    describes: frozenset[str]
    negations: Any
    denies_late: bool
    """True if a negation may come after the negated verb: *löschen Sie es nicht*."""
    despite: Any
    production: Any
    harmless: Any


@dataclass(frozen=True)
class Unspaced:
    """Forms of a language without spaces between words: a stem, then an ending."""

    advises: Mapping[AdviceKind, Any]
    describes: Any
    plain: Mapping[AdviceKind, Any]
    negations: Any
    production: Any
    harmless: Any


@dataclass(frozen=True)
class Forms:
    """All forms. `at_start` matches commands at the start of a line or a span, `anywhere` after a space."""

    at_start: Mapping[AdviceKind, Any]
    anywhere: Mapping[AdviceKind, Any]
    verbs: Mapping[AdviceKind, Any]
    """Commands of unlisted programs, with a risky verb among their words; the group is `program`."""
    no_program: frozenset[str]
    """First words of lines of prose, code or SQL."""
    wrapper: Any
    names: Mapping[AdviceKind, Any]
    """All forms of all languages with spaces between words."""
    joins: frozenset[str]
    """Words after which another order may begin: *and*, *then*."""
    languages: tuple[LanguageForms, ...]
    unspaced: tuple[Unspaced, ...]


@cache
def forms() -> Forms:
    """Return the forms, loaded and compiled once per process."""
    text = (resources.files("bot.decide.risk") / "risks.yml").read_text("utf-8")
    data = yaml.load(text, Loader=_READER)  # noqa: S506  # it makes strings, lists and dictionaries, nothing else
    commands = {kind: "|".join(_commands(data["commands"][kind])) for kind in KINDS}
    languages = data["languages"].values()
    shared = {
        key: [word for each in languages for word in each.get(key, ())]
        for key in ("nouns_after", "harmless", "subjects")
    }
    shared["negations"] = data["negations"]
    spaced = tuple(_language_forms(each, shared) for each in languages if "endings" not in each)
    return Forms(
        verbs={
            kind: re2.compile(
                _PROMPT + rf"(?P<program>[a-z][a-z0-9_.-]+)(?: [a-z0-9_-]+| -\S+ ?){{0,4}}? (?:{verbs}) +[\w$<\"'./-]"
            )
            for kind, verbs in data["verbs"].items()
        },
        at_start={kind: re2.compile(_PROMPT + rf"(?P<words>(?:{form})[^\n]*)") for kind, form in commands.items()},
        anywhere={
            kind: re2.compile(rf"(?:^|[\s\"'(;&|`=])(?P<words>(?:{form})(?:[\s;:)]|$)[^\n]*)")
            for kind, form in commands.items()
        },
        no_program=frozenset(data["no_program"]),
        wrapper=re2.compile(_PROMPT + rf"(?:{data['wrappers']})\b"),
        names={
            kind: re2.compile("|".join(language.names[kind].pattern for language in spaced if kind in language.names))
            for kind in KINDS
        },
        joins=frozenset(map(_normalise_word, data["joins"])),
        languages=spaced,
        unspaced=tuple(_build_unspaced(each) for each in languages if "endings" in each),
    )


_PROMPT = (
    r"^\s*(?:(?:\d+[.)]|[-*+>\x{2022}$%#\x{bb}]|PS[^>]{0,60}>|[\w@~:/.-]{1,60}[#$]|[a-z_]{1,30}[=#]?[=#>]) +)*"
    r"(?:sudo (?:-\S+ )*|doas |[A-Z_]{1,40}=\S+ |\\)*"
)
"""Text that may precede a command: numbers, list markers, prompts, `sudo`, variables."""


_PROGRAM = re2.compile(r"^([a-z0-9-]+) ")
_OPTIONS = r"(?: -\S+(?: [^ -]\S*)?){0,4} "
"""Options between a program and its verb: `-n production`."""


def _commands(block: str) -> Iterable[str]:
    """Yield each alternative of the data's lines, with options allowed after the program's name, up to a word's end."""
    for line in block.splitlines():
        for alternative in line.split(" | "):
            plain = alternative.strip()
            tied = r"\b" if plain[-1].isalnum() else ""
            yield _PROGRAM.sub(lambda name: f"{name[1]}{_OPTIONS}", plain) + tied


def _language_forms(data: Mapping[str, Any], shared: Mapping[str, list[str]]) -> LanguageForms:
    opener = rf"(?:(?:{_either_pattern(data.get('openers', ()))}|\d+) )*"
    markers, helps, does = (_either_pattern(data.get(key, ())) for key in ("markers", "helps", "does"))

    def words(key: str) -> frozenset[str]:
        return frozenset(_normalise_word(word) for word in data.get(key, ()))

    return LanguageForms(
        names=_patterns_by_kind(data, ("orders", "forms", "nouns", "ends"), r" (?:%s) "),
        starts=_patterns_by_kind(data, ("orders",), rf"^ (?P<opener>{opener})(?P<form>%s) "),
        recommended=_patterns_by_kind(
            data, ("forms", "orders"), rf" (?P<before>(?:{markers})(?P<between>{_REACH})) (?P<form>%s) "
        ),
        helping=_patterns_by_kind(
            data,
            ("nouns",),
            rf" (?P<form>%s)(?: [^ ]+){{0,6}} (?:{helps}) | (?:{does})(?: [^ ]+){{0,3}} (?P<form2>%s) ",
        ),
        ends=_patterns_by_kind(data, ("ends", "forms") if "denies_late" in data else ("ends",), r" (?P<form>%s) $"),
        opener=re2.compile(rf"^ (?P<opener>{opener})"),
        leads=words("leads"),
        places=words("places"),
        subjects=frozenset(map(_normalise_word, shared["subjects"])),
        finite=words("finite"),
        compound_words=frozenset(map(_normalise_word, shared["nouns_after"])),
        describes=words("describes"),
        negations=_any_pattern([*data.get("negations", ()), *shared["negations"]]),
        denies_late="denies_late" in data,
        despite=_any_pattern(data.get("despite", ())),
        production=_any_pattern(data.get("production", ())),
        harmless=_any_pattern(shared["harmless"]),
    )


def _build_unspaced(data: Mapping[str, Any]) -> Unspaced:
    def each(ending: str) -> dict[AdviceKind, Any]:
        return {
            kind: re2.compile(
                rf"(?P<form>(?:{'|'.join(map(re2.escape, data[kind]['stems']))})[^。、\n]{{0,6}}?(?:{ending}))"
            )
            for kind in KINDS
        }

    return Unspaced(
        advises=each(data["endings"]),
        describes=re2.compile(data["topics"]),
        plain=each(data["plain"]),
        negations=re2.compile(data["negations"]),
        production=re2.compile("|".join(data["production"])),
        harmless=re2.compile("|".join(data["harmless"])),
    )


def _patterns_by_kind(data: Mapping[str, Any], keys: tuple[str, ...], pattern: str) -> dict[AdviceKind, Any]:
    """Return the pattern of each kind that has words under one of the keys."""
    patterns: dict[AdviceKind, Any] = {}
    for kind in KINDS:
        listed = [word for key in keys for word in cast("Mapping[str, Any]", data.get(kind, {})).get(key, ())]
        if listed:
            patterns[kind] = re2.compile(pattern.replace("%s", _either_pattern(listed)))
    return patterns


def _any_pattern(words: Iterable[str]) -> Any:
    return re2.compile(f" (?:{_either_pattern(words)}) ")


def _either_pattern(words: Iterable[str]) -> str:
    listed = sorted({_normalise_word(word) for word in words}, key=lambda word: (-len(word), word))
    return (
        "|".join(
            _GAP.join(
                re2.escape(part.strip()).replace(r"\ ", " ")
                if number == 0
                else " " + re2.escape(part.strip()).replace(r"\ ", " ")
                for number, part in enumerate(word.split("*"))
            )
            for word in listed
        )
        or r"[^\s\S]"
    )


def _normalise_word(word: str) -> str:
    return one_form(word).casefold().replace("'", " ")
