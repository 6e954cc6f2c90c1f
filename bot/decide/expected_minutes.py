"""Expected minutes of a question, from its rubric and words, with the reasons in plain words. Pure.

`expected_minutes.yml` has the signals of each language. A signal counts once, and not below a negation, in code, in a
quote, or in the part of the text that is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bot.decide.letters import one_form
from bot.decide.word_tables import packaged_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.models.status import QuestionType

_TABLE = "expected_minutes.yml"
_READ = 4_000
"""Maximum of characters of a question that are read."""
_BASE: dict[QuestionType, float] = {
    "status_check": 1,
    "data_lookup": 3,
    "api_contract": 2,
    "technical_qa": 3,
    "other": 2,
}
"""Minutes of a question of each type without further signals."""
_SIGNALS: dict[str, tuple[float, str]] = {
    "thorough": (9, "it asks for a thorough investigation"),
    "everywhere": (5, "it asks for every place"),
    "history": (4, "it asks about the history of the code"),
    "cause": (4, "it asks for the cause of something that comes and goes"),
    "compare": (3, "it compares several things"),
    "report": (4, "it asks for a written report"),
}
"""Minutes and reason of each signal in the table."""
_MANY_PARTS, _MINUTES_A_PART = 3, 2.0
"""Number of questions in one message from which each further one takes longer."""
_GAP = 3
"""Words that may stand between the parts of a phrase."""
_LONGEST_WORD = 24
"""Longest pattern of a word in the table."""
_NEGATED_WITHIN, _CHARS = 4, 12
"""Words before a signal, and characters around it in a language without spaces, in which a negation cancels it."""
_DAYS = 2
"""Days of logs from which they are a long time."""
_GENERIC = frozenset({
    "api", "app", "web", "docs", "doc", "core", "test", "tests", "main", "common", "data", "tools", "infra", "server",
    "client", "backend", "frontend", "service", "services", "site", "website", "platform", "shared", "config",
})  # fmt: skip
"""Names of projects that are ordinary words: they name no repository by themselves."""

_CODE = re.compile(r"```(?:[^`]|`(?!``))*(?:```|$)|`[^`\n]*`")
_QUOTED = re.compile(r"(?m)^[ \t]*(?:>|&gt;).*$")
_WORD = re.compile(r"[^\W_]+(?:['_.-][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。؟\n]")
_SIGN_IN = re.compile(r"\blog(?:s|ged|ging)?[ -](?=(?:in|into|out|on|off)\b)")
"""The verb, which asks for no log."""
_MOST_SENTENCES = 60

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class _Language:
    """Signals of one language; a phrase is the parts between which other words may stand."""

    spaced: bool
    phrases: dict[str, tuple[Phrase, ...]]
    numbers: dict[str, int]
    first_words: dict[str, frozenset[str]]
    """First words of the phrases, by signal."""


@dataclass(frozen=True)
class _Sentence:
    text: str
    words: tuple[str, ...]
    patterns: frozenset[str]
    """Every pattern that fits one of its words, so that most phrases are dismissed by one lookup."""


def estimate(question: str, kind: QuestionType) -> tuple[float, tuple[str, ...]]:
    """Return the expected minutes of a question with the reasons beyond its type."""
    sentences = _read(question)
    minutes, reasons = _BASE[kind], []
    for name, (more, reason) in _SIGNALS.items():
        if words := _find(name, sentences):
            minutes += more
            reasons.append(f'{reason} ("{words}")')
    parts = sum(one_form(question[:_READ]).count(mark) for mark in "?؟")
    if parts > _MANY_PARTS:
        minutes += _MINUTES_A_PART * (parts - _MANY_PARTS)
        reasons.append(f"it asks {parts} questions")
    return minutes, tuple(reasons)


def find_several_repositories(question: str, projects: Sequence[str]) -> str | None:
    """Return the reason why a question concerns several repositories; `None` if it does not.

    `projects` are the names of all projects; two of them count where a word stands between them.
    """
    sentences = _read(question)
    if words := _find("repositories", sentences):
        return f'it concerns several repositories ("{words}")'
    names = {one_form(name).lower(): name for name in projects if name.lower() not in _GENERIC and len(name) > 2}
    for sentence in sentences:
        at = [(place, names[word]) for place, word in enumerate(sentence.words) if word in names]
        named = list(dict.fromkeys(name for _, name in at))
        if len(named) > 1 and at[-1][0] - at[0][0] > 1:
            return f"it names several repositories ({', '.join(named)})"
    return None


def find_long_logs(question: str) -> str | None:
    """Return the reason why a question needs the logs of a long time; `None` if it does not."""
    for sentence in _read(question):
        for language in _languages():
            log = _match("logs", sentence, language)
            if log and not _find("keeping", [sentence]) and (span := _find_span(sentence, language)):
                return f'it needs the logs of a long time ("{log}", "{span}")'
    return None


def _find_span(sentence: _Sentence, language: _Language) -> str | None:
    """Return the words for a time of several days or more in a sentence."""
    if long := _match("long_times", sentence, language):
        return long
    for unit in language.phrases.get("days", ()):
        for number, words in _counted(unit[0], sentence, language):
            if number >= _DAYS:
                return words
    return None


def _counted(unit: str, sentence: _Sentence, language: _Language) -> Iterator[tuple[int, str]]:
    """Yield the numbers before a unit of time, with the words."""
    end = r"\b" if language.spaced and not unit.endswith("*") else ""
    between = r"(?: \w{1,12})? ?" if language.spaced else " ?"  # *the last 10 working days*
    for match in re.finditer(rf"(?<!\d)(\d{{1,3}}){between}{re.escape(unit.rstrip('*'))}{end}", sentence.text):
        yield int(match[1]), match[0]
    for before, word in pairwise(sentence.words):
        if _fits(word, unit) and before in language.numbers:
            yield language.numbers[before], f"{before} {word}"


def _find(name: str, sentences: Sequence[_Sentence]) -> str | None:
    """Return the words of a signal in any language; `None` without it, or if a negation stands before it."""
    for language in _languages():
        for sentence in sentences:
            if words := _match(name, sentence, language):
                return words
    return None


def _match(name: str, sentence: _Sentence, language: _Language) -> str | None:
    if language.spaced and sentence.patterns.isdisjoint(language.first_words.get(name, ())):
        return None
    for phrase in language.phrases.get(name, ()):
        words = _match_words(phrase, sentence, language) if language.spaced else _match_text(phrase, sentence, language)
        if words:
            return words
    return None


def _match_words(phrase: Phrase, sentence: _Sentence, language: _Language) -> str | None:
    """Return the words of a phrase in a sentence whose language has spaces."""
    words, parts = sentence.words, [part.split() for part in phrase]
    if not all(word in sentence.patterns for part in parts for word in part):
        return None
    for start in range(len(words)):
        at = start
        for number, part in enumerate(parts):
            latest = at if number == 0 else min(at + _GAP, len(words))
            found = next((place for place in range(at, latest + 1) if _stands(part, words, place)), None)
            if found is None:
                break
            at = found + len(part)
        else:
            if not any(map(_is_negation, words[max(0, start - _NEGATED_WITHIN) : start])):
                return " ".join(words[start:at])
    return None


def _stands(part: Sequence[str], words: Sequence[str], place: int) -> bool:
    return len(words) >= place + len(part) and all(map(_fits, words[place:], part))


def _fits(word: str, pattern: str) -> bool:
    """Compare a word with one of the table, which may end with `*`."""
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


def _is_negation(word: str) -> bool:
    """Return whether a word negates in any language; some signals are words of several."""
    negations = (phrase[0] for language in _languages() if language.spaced for phrase in language.phrases["negations"])
    return any(_fits(word, negation) for negation in negations)


def _match_text(phrase: Phrase, sentence: _Sentence, language: _Language) -> str | None:
    """Return a phrase of one part in a sentence whose language has no spaces; a negation may stand after it."""
    before, found, after = sentence.text.partition(phrase[0])
    around = f"{before[-_CHARS:]} {after[:_CHARS]}"
    is_negated = any(negation[0] in around for negation in language.phrases["negations"])
    return None if is_negated else found or None


@cache
def _languages() -> tuple[_Language, ...]:
    """Return the signals of all languages."""
    return tuple(map(_read_language, packaged_table(_TABLE).values()))


def _read_language(entry: dict[str, Any]) -> _Language:
    phrases = {
        name: tuple(tuple(one_form(part).strip() for part in phrase.split("…")) for phrase in value)
        for name, value in entry.items()
        if isinstance(value, list)
    }
    return _Language(
        spaced=entry.get("spaced", "yes") == "yes",
        phrases=phrases,
        numbers={word: int(number) for word, number in entry.get("numbers", {}).items()},
        first_words={name: frozenset(phrase[0].split()[0] for phrase in value) for name, value in phrases.items()},
    )


def _read(question: str) -> tuple[_Sentence, ...]:
    """Return the sentences of a question, in lower case and one form, without code and quotes."""
    plain = _QUOTED.sub(" ", _CODE.sub(" ", question[:_READ]))
    text = _SIGN_IN.sub("sign ", one_form(plain).lower())
    parts = _SENTENCE_END.split(text)[:_MOST_SENTENCES]
    return tuple(_build_sentence(part.strip()) for part in parts if part.strip())


def _build_sentence(text: str) -> _Sentence:
    words = tuple(_WORD.findall(text))
    beginnings = (f"{word[:end]}*" for word in words for end in range(1, min(len(word), _LONGEST_WORD) + 1))
    return _Sentence(text, words, frozenset((*words, *beginnings)))
