"""Forms of risky advice as data: `risks.yml`, read once and made into re2 patterns over words."""

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
"""The word that stands for a span of code."""
_GAP = r"(?: [^ ]+){0,6}"
_REACH = r"(?: [^ ]+){0,7}?"
_READER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class Tongue:
    """The forms of a language whose words stand apart. Patterns match ` word word ` with blanks around."""

    names: Mapping[AdviceKind, Any]
    """Any form at all: a sentence without one need not be looked at."""
    starts: Mapping[AdviceKind, Any]
    """Orders at the beginning of a clause, after any opening words."""
    marked: Mapping[AdviceKind, Any]
    """Forms that follow *you should* and the like; the group `between` is what stands between."""
    helping: Mapping[AdviceKind, Any]
    """Nouns of which the clause says that they help, or that one is to be done."""
    ends: Mapping[AdviceKind, Any]
    """Forms that order at the end of a clause."""
    opener: Any
    leads: frozenset[str]
    places: frozenset[str]
    """Leading words of a phrase after which an order may follow without a comma."""
    subjects: frozenset[str]
    finite: frozenset[str]
    nouns_after: frozenset[str]
    describes: frozenset[str]
    negations: Any
    denies_late: bool
    """True if a negation stands behind what it denies: *löschen Sie es nicht*."""
    despite: Any
    production: Any
    harmless: Any


@dataclass(frozen=True)
class Unspaced:
    """The forms of a language whose words do not stand apart: a stem, then an ending."""

    advises: Mapping[AdviceKind, Any]
    describes: Any
    plain: Mapping[AdviceKind, Any]
    negations: Any
    production: Any
    harmless: Any


@dataclass(frozen=True)
class Forms:
    """All forms. `at_start` match commands where a line or a span begins with them, `anywhere` after a blank."""

    at_start: Mapping[AdviceKind, Any]
    anywhere: Mapping[AdviceKind, Any]
    verbs: Mapping[AdviceKind, Any]
    """Lines of a program that is not listed: its name, then a verb as one of its words; the group is `program`."""
    no_program: frozenset[str]
    """Words that a line of prose, code or SQL begins with."""
    wrapper: Any
    names: Mapping[AdviceKind, Any]
    """Any form of any language whose words stand apart."""
    joins: frozenset[str]
    """Words after which another order may begin: *and*, *then*."""
    tongues: tuple[Tongue, ...]
    unspaced: tuple[Unspaced, ...]


@cache
def forms() -> Forms:
    """Return the forms, read and compiled once in a process."""
    text = (resources.files("bot.decide.risk") / "risks.yml").read_text("utf-8")
    data = yaml.load(text, Loader=_READER)  # noqa: S506  # it makes strings, lists and dictionaries, nothing else
    commands = {kind: "|".join(_commands(data["commands"][kind])) for kind in KINDS}
    languages = data["languages"].values()
    shared = {
        key: [word for each in languages for word in each.get(key, ())]
        for key in ("nouns_after", "harmless", "subjects")
    }
    shared["negations"] = data["negations"]
    spaced = tuple(_tongue(each, shared) for each in languages if "endings" not in each)
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
            kind: re2.compile("|".join(one.names[kind].pattern for one in spaced if kind in one.names))
            for kind in KINDS
        },
        joins=frozenset(map(_plain, data["joins"])),
        tongues=spaced,
        unspaced=tuple(_unspaced(each) for each in languages if "endings" in each),
    )


_PROMPT = (
    r"^\s*(?:(?:\d+[.)]|[-*+>\x{2022}$%#\x{bb}]|PS[^>]{0,60}>|[\w@~:/.-]{1,60}[#$]|[a-z_]{1,30}[=#]?[=#>]) +)*"
    r"(?:sudo (?:-\S+ )*|doas |[A-Z_]{1,40}=\S+ |\\)*"
)
"""What may stand before a command: numbers, marks of a list, prompts, `sudo`, variables."""


_PROGRAM = re2.compile(r"^([a-z0-9-]+) ")
_OPTIONS = r"(?: -\S+(?: [^ -]\S*)?){0,4} "
"""What may stand between a program and its verb: `-n production`."""


def _commands(block: str) -> Iterable[str]:
    """Each alternative of the data's lines, with room for options after a program's name, tied to a word's end."""
    for line in block.splitlines():
        for one in line.split(" | "):
            if plain := one.strip():
                tied = r"\b" if plain[-1].isalnum() else ""
                yield _PROGRAM.sub(lambda name: f"{name[1]}{_OPTIONS}", plain) + tied


def _tongue(data: Mapping[str, Any], shared: Mapping[str, list[str]]) -> Tongue:
    opener = rf"(?:(?:{_either(data.get('openers', ()))}|\d+) )*"
    markers, helps, does = (_either(data.get(key, ())) for key in ("markers", "helps", "does"))

    def words(key: str) -> frozenset[str]:
        return frozenset(_plain(word) for word in data.get(key, ()))

    return Tongue(
        names=_each(data, ("orders", "forms", "nouns", "ends"), r" (?:%s) "),
        starts=_each(data, ("orders",), rf"^ (?P<opener>{opener})(?P<form>%s) "),
        marked=_each(data, ("forms", "orders"), rf" (?P<before>(?:{markers})(?P<between>{_REACH})) (?P<form>%s) "),
        helping=_each(
            data,
            ("nouns",),
            rf" (?P<form>%s)(?: [^ ]+){{0,6}} (?:{helps}) | (?:{does})(?: [^ ]+){{0,3}} (?P<form2>%s) ",
        ),
        ends=_each(data, ("ends", "forms") if "denies_late" in data else ("ends",), r" (?P<form>%s) $"),
        opener=re2.compile(rf"^ (?P<opener>{opener})"),
        leads=words("leads"),
        places=words("places"),
        subjects=frozenset(map(_plain, shared["subjects"])),
        finite=words("finite"),
        nouns_after=frozenset(map(_plain, shared["nouns_after"])),
        describes=words("describes"),
        negations=_any([*data.get("negations", ()), *shared["negations"]]),
        denies_late="denies_late" in data,
        despite=_any(data.get("despite", ())),
        production=_any(data.get("production", ())),
        harmless=_any(shared["harmless"]),
    )


def _unspaced(data: Mapping[str, Any]) -> Unspaced:
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


def _each(data: Mapping[str, Any], keys: tuple[str, ...], pattern: str) -> dict[AdviceKind, Any]:
    """The pattern for each kind that has words under one of the keys."""
    made: dict[AdviceKind, Any] = {}
    for kind in KINDS:
        listed = [word for key in keys for word in cast("Mapping[str, Any]", data.get(kind, {})).get(key, ())]
        if listed:
            made[kind] = re2.compile(pattern.replace("%s", _either(listed)))
    return made


def _any(words: Iterable[str]) -> Any:
    return re2.compile(f" (?:{_either(words)}) ")


def _either(words: Iterable[str]) -> str:
    listed = sorted({_plain(word) for word in words}, key=lambda word: (-len(word), word))
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


def _plain(word: str) -> str:
    return one_form(word).casefold().replace("'", " ")
