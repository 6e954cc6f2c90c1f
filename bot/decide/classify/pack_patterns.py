"""Patterns of tier 0, one or more for each feature, built from the language packs and a team's own words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import re2

from bot.decide.classify.language_packs import normalise_word
from bot.decide.classify.pack_signs import AMOUNT, ANYWHERE, FAILURE, HOUR, LASTING, LOGGED, MERRY, TRACE, WORRIED
from bot.decide.classify.text import CODE, FAILED, LINK, NAME
from bot.decide.retrieval.normalised_question import more_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.decide.classify.language_packs import Pack

_OF_TEAMS = frozenset({"ack_only", "question_phrase"})
"""Features that a team's own patterns and words may add to."""

_PARTING = ("cc", "fyi", "all", "team", "everyone", "folks", "guys", "in advance", "a lot", "triage")
"""Words that accompany thanks at the end of a message."""

_ENGLISH = ("the", "a", "an", "is", "are", "to", "of", "in", "and", "for", "it", "that", "this", "on", "or", "not")
"""Function words that nearly every English question contains."""

_BEYOND_ASCII = (
    r"\x{80}-\x{a9}\x{ab}-\x{b4}\x{b6}-\x{b9}\x{bb}-\x{bf}\x{d7}\x{f7}\x{60c}\x{61b}\x{61f}\x{2000}-\x{20ff}"
    r"\x{2190}-\x{2bff}\x{3000}-\x{3004}\x{3008}-\x{3020}\x{3030}\x{fd3e}\x{fe00}-\x{fe6f}\x{ff01}-\x{ff0f}"
    r"\x{ff1a}-\x{ff20}\x{ff3b}-\x{ff40}\x{ff5b}-\x{ff65}\x{fff9}-\x{fffd}\x{1f000}-\x{1faff}\x{e0000}-\x{e01ef}"
)
_GAP = rf"\x00\x03-/:-@\[-`{{-\x7f{_BEYOND_ASCII}"
"""Separators between words: punctuation, symbols and emoji by their blocks. `[^\\pL\\pN]` is nearly the same with
hundreds of ranges, and the sets would take ten times as long to warm up."""

_BEFORE = rf"(?:^|[{_GAP}])"
_AFTER = rf"(?:$|[{_GAP.replace('-/', '-&(-/', 1)}])"
"""End of a word; the apostrophe is excluded so that `can` does not match in `can't`."""
_MARK = r"[?\x{ff1f}\x{61f}]"
_END = r"(?:$|[.!?;\n\x{2026}\x{3002}\x{ff01}\x{ff1f}])"
_NEXT = r"[\pL\pN'-]+"
_CLOSING = rf"[{_GAP}]*"


def patterns(
    packs: Sequence[Pack], *, acks: Sequence[str] = (), question_words: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Build the patterns of these packs, each with the name of its feature."""
    words = _Words(packs)
    named_patterns = [
        *_sign_patterns(words, question_words),
        *_help_channel_patterns(words),
        *((name, words.match_anywhere(key)) for name, key in ANYWHERE.items()),
        *_place_patterns(words, acks, question_words),
    ]
    return [(name, pattern) for name, pattern in named_patterns if pattern]


def _sign_patterns(words: _Words, question_words: Sequence[str]) -> list[tuple[str, str]]:
    """Build the patterns of signs that count in every channel."""
    return [
        ("question_at_end", rf"{_MARK}[{_GAP}{CODE}{LINK}]*{words.parting()}$"),
        ("question_inside", rf"{_MARK}[^\pL\pN?\x{{ff1f}}]*[\pL\pN]"),
        ("question_phrase", words.match_anywhere("questions", extra=question_words)),
        ("request", words.match_anywhere("requests")),
        ("problem", words.match_anywhere("problems")),
        ("own_problem", words.match_anywhere("personal_problems")),
        ("negation", words.match_anywhere("negations")),
        ("trace", TRACE),
        ("failure", FAILURE),
        ("pasted", rf"^(?:ptal\b)?[{CODE}{LINK}{_GAP}]*[{CODE}{LINK}][{CODE}{LINK}{_GAP}]*$"),
        ("tentative_answer", rf"^[^\pL\pN]*{CODE}[^\pL\pN]*{_MARK}[{_GAP}]*$"),
        ("link", LINK),
        ("wordless", rf"^[{_GAP}]*$"),
        ("addressed", rf"^{NAME}|^@?[\pL\pN_.-]+(?: \([a-z]+\))?:\s|^@[\pL\pN_-]+"),
        ("named", words.named()),
        ("announcement", "\U0001f389|\U0001f4e3|\U0001f680"),
        ("joke", "[\U0001f602\U0001f923\U0001f606]"),
        ("known_tongue", rf"{_BEFORE}(?:{'|'.join(_ENGLISH)}){_AFTER}"),
    ]


def _help_channel_patterns(words: _Words) -> list[tuple[str, str]]:
    """Build the patterns of signs that count in a channel for help."""
    return [
        ("logged", LOGGED),
        ("exclaims", r"[!\x{ff01}]"),
        ("merry", MERRY),
        ("worried", WORRIED),
        ("clocked", HOUR),
        ("amount", AMOUNT),
        ("coded", CODE),
        ("lasting", LASTING),
        ("asked_of_thing", words.asking_of()),
        ("at_work", words.at_work()),
        ("to_name", words.named(f"(?:{NAME}|@[\\pL\\pN_-])")),
        ("failure_pasted", FAILED),
        ("quoted", r'^\s*["\x{201c}\x{201e}\x{ab}]'),
        ("punch_line", words.after_mark("punch_lines")),
        ("doing", words.opening("doing")),
        ("status_first", words.opening("statuses")),
        ("subject_first", words.opening("subjects")),
        ("need_first", words.opening("needs")),
        ("praise_first", words.opening("praise")),
        ("news_first", words.opening("news")),
    ]


def _place_patterns(words: _Words, acks: Sequence[str], question_words: Sequence[str]) -> list[tuple[str, str]]:
    """Build the patterns of words that count at the beginning or the end of a message."""
    return [
        ("question_opening", words.opening("question_words", extra=question_words)),
        ("plain_opening", words.opening("plain_questions", clauses=True)),
        ("question_ending", words.ending("question_ends")),
        ("instruction", words.opening("instructions")),
        ("ack_opening", words.start("acks", "thanks")),
        ("greeting", words.start("greetings")),
        ("answer_opening", words.start("answers")),
        ("ack_only", words.match_whole(("acks", "thanks", "greetings"), extra=acks)),
    ]


def for_ascii(
    packs: Sequence[Pack], *, acks: Sequence[str] = (), question_words: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Build the patterns without non-ASCII parts: the same result for ASCII texts, in half the warm-up time."""
    plain_packs = [
        replace(pack, words={key: tuple(w for w in words if w.isascii()) for key, words in pack.words.items()})
        for pack in packs
    ]
    named_patterns = patterns(plain_packs, acks=acks, question_words=question_words)
    return [(name, _of_ascii(pattern, own=name not in _OF_TEAMS)) for name, pattern in named_patterns]


def _of_ascii(pattern: str, *, own: bool) -> str:
    """Remove non-ASCII parts from a pattern; character classes in a team's own patterns stay."""
    pattern = pattern.replace(_BEYOND_ASCII, "")
    return pattern.replace(r"\pL", "A-Za-z").replace(r"\pN", "0-9") if own else pattern


class _Words:
    """Patterns for the words of all packs by key, for languages with and without spaces."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._packs = packs

    def match_anywhere(self, key: str, *, extra: Sequence[str] = ()) -> str:
        """Match the words anywhere; `extra` are a team's own words."""
        spaced, inner = self._split_by_spacing(key)
        spaced = _either_pattern(spaced, _group(normalise_word(word) for word in extra))
        return _either_pattern(rf"{_BEFORE}(?:{spaced}){_AFTER}" if spaced else "", inner)

    def start(self, *keys: str) -> str:
        spaced, inner = self._split_by_spacing(*keys)
        return _either_pattern(
            rf"^(?:{NAME}|@[^\s:,]+\s|[^\s:,]+[:,]\s)?[{_GAP}]*{spaced}{_AFTER}" if spaced else "",
            rf"^{inner}" if inner else "",
        )

    def named(self, name: str = NAME) -> str:
        """Match a mention at the start, optionally after a greeting."""
        greetings = _group({*(w for pack in self._packs for w in pack.words["greetings"]), *more_words()["greetings"]})
        return rf"^[{_GAP}]*(?:{greetings}[{_GAP}]*)?{name}"

    def opening(self, key: str, *, extra: Sequence[str] = (), clauses: bool = False) -> str:
        """Match at the start of a sentence, optionally after openers; `extra` are a team's own words.

        With `clauses` also after a comma or a dash: "new here, which repo has the frontend".
        """
        spaced, _ = self._split_by_spacing(key)
        spaced = f"(?:{_either_pattern(spaced, _group(normalise_word(word) for word in extra))})" if extra else spaced
        before = self._starting(apart=r",\x{2013}\x{2014}-" if clauses else "")
        return f"{before}{spaced}{_AFTER}" if spaced else ""

    def asking_of(self) -> str:
        """Match a question about a thing, with its verb: "which colours are", "what counts"."""
        (question_words, _), (helping, _) = (
            self._split_by_spacing("interrogatives"),
            self._split_by_spacing("auxiliaries"),
        )
        verbs, inner = self._split_by_spacing("asked_verbs")
        form = rf"{question_words}(?:(?: {_NEXT}){{1,3}} {helping}|(?: {_NEXT}){{0,2}} {verbs})"
        return _either_pattern(
            f"{self._starting()}{form}{_AFTER}" if question_words and helping and verbs else "", inner
        )

    def at_work(self) -> str:
        """Match current work at the start of a sentence: "replacing the", "acabo de"."""
        (verbs, inner), (endings, _) = self._split_by_spacing("at_work"), self._split_by_spacing("at_work_endings")
        form = _either_pattern(verbs, rf"[\pL]{{2,12}}{endings}" if endings else "")
        return _either_pattern(f"{self._starting()}{form}{_AFTER}" if form else "", inner)

    def _starting(self, *, apart: str = "") -> str:
        """Match the start of a sentence, optionally with openers."""
        openers, _ = self._split_by_spacing("openers")
        openers = _either_pattern(openers, _group(_leading(more_words())))
        before = rf"(?:^|[.!?;:\n\x{{2026}}\x{{bf}}{apart}]){_CLOSING}(?:[^\s:,]+[:,]\s+)?"
        before += rf"(?:{openers}[{_GAP}]+)*" if openers else ""
        return before

    def after_mark(self, key: str) -> str:
        """Match at the start of a sentence after a question."""
        spaced, _ = self._split_by_spacing(key)
        return rf"{_MARK}[{_GAP}]*{spaced}{_AFTER}" if spaced else ""

    def ending(self, key: str) -> str:
        spaced, inner = self._split_by_spacing(key)
        endings = _either_pattern(rf"[\pL]*{spaced}" if spaced else "", inner)
        return rf"(?:{endings})[ )\"'\x{{ff09}}\x{{300d}}]*{_END}" if endings else ""

    def parting(self) -> str:
        """Match thanks, greetings and addressees after a question, which still counts as the end of the message."""
        spaced, inner = self._split_by_spacing("thanks", "greetings")
        extra_words = more_words()
        spaced = "|".join(
            filter(
                None,
                (
                    spaced,
                    _group(_PARTING),
                    _group(extra_words["greetings"] | extra_words["thanks"] | extra_words["partings"]),
                ),
            )
        )
        closing = f"(?:{_either_pattern(rf'(?:{spaced})(?:$|[{_GAP}]+)', rf'{inner}[{_GAP}]*' if inner else '')})*"
        thanks = _group({*(word for pack in self._packs for word in pack.words["thanks"]), *extra_words["thanks"]})
        signed = r"(?:(?:[-~\x{2013}\x{2014}]+ *|\n)[\pL'-]+(?: [\pL'-]+)?|sent from my [\pL]+)"
        return rf"{closing}(?:{signed}|{thanks}(?:[{_GAP}]+[\pL'-]+){{0,6}}[{_GAP}]*)?"

    def match_whole(self, keys: Sequence[str], *, extra: Sequence[str]) -> str:
        spaced, inner = self._split_by_spacing(*keys)
        own = "|".join(f"(?:{pattern})" for pattern in extra)
        apart = "|".join(part for part in (spaced, f"(?i:{own})" if own else "") if part)
        item = _either_pattern(rf"(?:{apart})(?:$|[{_GAP}]+)" if apart else "", rf"{inner}[{_GAP}]*" if inner else "")
        return rf"^[{_GAP}]*(?:{item})+$" if item else ""

    def _split_by_spacing(self, *keys: str) -> tuple[str, str]:
        spaced = _group(w for pack in self._packs if pack.spaced for key in keys for w in pack.words[key])
        inner = _group(w for pack in self._packs if not pack.spaced for key in keys for w in pack.words[key])
        return spaced, inner


def _leading(extra_words: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return words that may precede a question, in addition to the packs' openers."""
    return extra_words["greetings"] | extra_words["addressed"] | extra_words["fillers"] | extra_words["leads"]


def _group(words: Iterable[str]) -> str:
    each = sorted(set(words))
    return f"(?:{'|'.join([word.translate(_ESCAPED) for word in each])})" if each else ""


_ESCAPED = {sign: re2.escape(chr(sign)) for sign in range(128)}
"""Escapes of ASCII characters; `re2.escape` takes ten times as long for thousands of words."""


def _either_pattern(*parts: str) -> str:
    alternatives = [part for part in parts if part]
    return f"(?:{'|'.join(alternatives)})" if alternatives else ""
