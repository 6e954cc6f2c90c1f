"""The features of tier 0: what may be true of a message, each with the reason why it matters.

`Reader` turns a message's prose into a set of features with one pass of an `re2.Set` over every pattern of every
language pack. `decide/classifier` calls it for each message, `decide/weights` says what a feature counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from bot.decide.packs import plain
from bot.decide.prose import CODE, LINK, NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.packs import Pack

TEXT = {
    "question_at_end": "its last sentence ends with a question mark",
    "question_inside": "a sentence before the last ends with a question mark",
    "question_opening": "a sentence starts with a question word",
    "question_phrase": "it holds words that ask wherever they stand",
    "question_ending": "a sentence ends the way questions end in its language",
    "request": "it asks someone to do something",
    "wish": "its author wants something",
    "problem": "it says that something does not work",
    "failing": "it says that something fails now",
    "own_problem": "its author has the problem",
    "negation": "it says that there is no problem",
    "trace": "it holds a stack trace or lines of a log",
    "pasted": "it is code or a link and says nothing else",
    "link": "it points somewhere",
    "thanks": "it thanks",
    "ack_opening": "it starts with an acknowledgement",
    "greeting": "it starts with a greeting",
    "answer_opening": "it starts as answers do",
    "instruction": "a sentence starts with what to do",
    "ack_only": "it is an acknowledgement and nothing else",
    "wordless": "it has no word",
    "promise": "its author will see to it",
    "resolved": "it says that something is solved",
    "advice": "it tells someone what to do",
    "asks_back": "it asks about the other's question",
    "tentative": "its author guesses",
    "tentative_answer": "it is a piece of code with a question mark",
    "announcement": "it announces",
    "poll": "it asks for a show of hands",
    "rhetorical": "it asks without wanting an answer",
    "first_person": "its author speaks of themselves",
    "second_person": "it speaks to someone",
    "addressed": "it starts with a name",
    "short": "it is shorter than 10 bytes",
    "long": "it is longer than 150 bytes",
}
"""Read from the text."""

AROUND = {
    "asker_wrote_before": "its author also wrote the message before",
    "own_thread": "its author opened the thread",
    "reply_to_another": "it replies in a thread that someone else opened",
    "by_team": "its author is one of those who answer",
}
"""Read from what is known around the message."""

DERIVED = {
    "thanks_alone": "it thanks and asks for nothing",
    "whole_question": "a question word opens it, a question mark closes it, and it is not about the other",
    "question_of_you": "it asks, of the other and not of its author",
    "problem_told": "it tells of a failure or of its author's problem, asks nothing and does not read like an answer",
    "plain_request": "it asks for something and does not read like an answer",
    "statement": "it neither asks nor tells of a problem",
}
"""Read from the other features."""

RULES = {
    "bot_mention": "it mentions the bot",
    "follow_up": "the asker comes back to an open question",
    "ack": "an acknowledgement asks for nothing",
    "by_bot": "a program wrote it",
    "alert": "a program wrote it that may ask",
}
"""Rules that settle the class whatever the weights say."""

REASONS = {**TEXT, **AROUND, **DERIVED, **RULES}

BIT = {name: 1 << place for place, name in enumerate((*TEXT, *AROUND))}
"""The bit of a feature in a mask."""

SHORT, LONG = 10, 150
"""In bytes of UTF-8: a Japanese sign says about as much as three Latin letters."""
MAX_SET_MEMORY = 32 << 20
"""Bytes that the set may take for its states; it starts anew when they are full."""

_GAP = (
    r"\x00\x03-/:-@\[-`{-\x{a9}\x{ab}-\x{b4}\x{b6}-\x{b9}\x{bb}-\x{bf}\x{d7}\x{f7}\x{60c}\x{61b}\x{61f}\x{2000}-\x{20ff}"
    r"\x{2190}-\x{2bff}\x{3000}-\x{3004}\x{3008}-\x{3020}\x{3030}\x{fd3e}\x{fe00}-\x{fe6f}\x{ff01}-\x{ff0f}"
    r"\x{ff1a}-\x{ff20}\x{ff3b}-\x{ff40}\x{ff5b}-\x{ff65}\x{fff9}-\x{fffd}\x{1f000}-\x{1faff}\x{e0000}-\x{e01ef}"
)
"""What stands between words: punctuation, symbols and emoji by their blocks. `[^\\pL\\pN]` says nearly the same with
hundreds of ranges, and the set would take ten times as long to warm up."""

_BEFORE = rf"(?:^|[{_GAP}])"
_AFTER = rf"(?:$|[{_GAP.replace('-/', '-&(-/', 1)}])"
"""As `_BEFORE`, without the apostrophe: `can` does not stand in `can't`."""
_MARK = r"[?\x{ff1f}\x{61f}]"
_END = r"(?:$|[.!?;\n\x{2026}\x{3002}\x{ff01}\x{ff1f}])"
_CLOSING = rf"[{_GAP}]*"
_TRACE = (
    r"traceback \(most recent|(?:^|\n)\s+at [a-z0-9_$.<>]+\(|(?:^|\n)\s*file \"[^\"]+\", line \d+"
    r"|(?:^|\n)\s*(?:caused by|[a-z0-9_.]+(?:error|exception)): "
    r"|(?:^|\n)\S*\s*\[?(?:error|warn|warning|info|debug|fatal)\]?[: ]"
    r"|\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d|[{};]\s*(?:$|\n)|(?:^|\n)[$#] "
)


class Reader:
    """The patterns of some packs and a team's own, compiled once. `read` is cheap and pure."""

    def __init__(self, packs: Sequence[Pack], *, acks: Sequence[str] = (), question_words: Sequence[str] = ()) -> None:
        self.patterns = patterns(packs, acks=acks, question_words=question_words)
        options = re2.Options()
        options.max_mem = MAX_SET_MEMORY
        options.log_errors = False
        self._set = re2.Set.SearchSet(options)
        self._bits: list[int] = []
        for name, pattern in self.patterns:
            self._set.Add(pattern)
            self._bits.append(BIT[name])
        self._set.Compile()

    def read(self, said: str) -> int:
        """The mask of the features that the text itself shows; `said` comes from `decide/prose`."""
        encoded = said.encode("utf-8", "ignore")
        mask = BIT["short"] if len(encoded) < SHORT else BIT["long"] if len(encoded) > LONG else 0
        bits = self._bits
        for hit in self._set.Match(encoded) or ():
            mask |= bits[hit]
        return mask


def names(mask: int) -> tuple[str, ...]:
    """The features in a mask, the derived ones with them."""
    found = [name for name, bit in BIT.items() if mask & bit]
    return (*found, *_derived(frozenset(found)))


_ANSWERING = frozenset({
    "second_person", "advice", "instruction", "answer_opening", "tentative", "resolved", "negation", "promise",
    "asks_back", "announcement",
})  # fmt: skip
"""What answers rather than asks."""


_NO_QUESTION = frozenset({"second_person", "asks_back", "rhetorical", "poll"})


def _derived(found: frozenset[str]) -> list[str]:
    marked = "question_at_end" in found or "question_inside" in found
    asks = marked or not found.isdisjoint({"question_phrase", "question_opening", "question_ending", "request"})
    failing = not found.isdisjoint({"failing", "own_problem"})
    troubled = failing or "problem" in found
    said = []
    if "thanks" in found and not asks and not troubled:
        said.append("thanks_alone")
    if marked and "second_person" in found and "first_person" not in found:
        said.append("question_of_you")
    if {"question_at_end", "question_opening"} <= found and found.isdisjoint(_NO_QUESTION):
        said.append("whole_question")
    answers = not found.isdisjoint(_ANSWERING)
    if failing and not asks and not answers:
        said.append("problem_told")
    if "request" in found and not answers:
        said.append("plain_request")
    if not asks and not troubled:
        said.append("statement")
    return said


def patterns(
    packs: Sequence[Pack], *, acks: Sequence[str] = (), question_words: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Every pattern of these packs with the feature that it shows."""
    words = _Words(packs)
    made = [
        ("question_at_end", rf"{_MARK}[{_GAP}{CODE}{LINK}]*$"),
        ("question_inside", rf"{_MARK}[^\pL\pN?\x{{ff1f}}]*[\pL\pN]"),
        ("question_phrase", words.anywhere("questions")),
        ("request", words.anywhere("requests")),
        ("problem", words.anywhere("problems")),
        ("own_problem", words.anywhere("personal_problems")),
        ("negation", words.anywhere("negations")),
        ("trace", _TRACE),
        ("pasted", rf"^[{CODE}{LINK}{_GAP}]*[{CODE}{LINK}][{CODE}{LINK}{_GAP}]*$"),
        ("tentative_answer", rf"^[^\pL\pN]*{CODE}[^\pL\pN]*{_MARK}[{_GAP}]*$"),
        ("link", LINK),
        ("wordless", rf"^[{_GAP}]*$"),
        ("addressed", rf"^{NAME}|^@?[\pL\pN_.-]+(?: \([a-z]+\))?:\s|^@[\pL\pN_-]+"),
        ("announcement", "\U0001f389|\U0001f4e3|\U0001f680"),
    ]
    for name, key in _ANYWHERE.items():
        made.append((name, words.anywhere(key)))
    made += [
        ("question_opening", words.opening("question_words", extra=question_words)),
        ("question_ending", words.ending("question_ends")),
        ("instruction", words.opening("instructions")),
        ("ack_opening", words.start("acks", "thanks")),
        ("greeting", words.start("greetings")),
        ("answer_opening", words.start("answers")),
        ("ack_only", words.whole(("acks", "thanks", "greetings"), extra=acks)),
    ]
    return [(name, pattern) for name, pattern in made if pattern]


_ANYWHERE = {
    "thanks": "thanks",
    "promise": "promises",
    "resolved": "resolved",
    "advice": "advice",
    "asks_back": "asks_back",
    "tentative": "tentative",
    "announcement": "announcements",
    "poll": "polls",
    "rhetorical": "rhetorical",
    "first_person": "i",
    "second_person": "you",
    "wish": "wishes",
    "failing": "failures",
}


class _Words:
    """The words of all packs by key, those that stand apart and those of languages without spaces."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._packs = packs

    def anywhere(self, key: str) -> str:
        spaced, inner = self._both(key)
        return _either(rf"{_BEFORE}{spaced}{_AFTER}" if spaced else "", inner)

    def start(self, *keys: str) -> str:
        spaced, inner = self._both(*keys)
        return _either(
            rf"^(?:{NAME}|[^\s:,]+[:,]\s)?[{_GAP}]*{spaced}{_AFTER}" if spaced else "", rf"^{inner}" if inner else ""
        )

    def opening(self, key: str, *, extra: Sequence[str] = ()) -> str:
        """At the start of a sentence, perhaps behind openers; a team's own words count anywhere."""
        spaced, _ = self._both(key)
        openers, _ = self._both("openers")
        before = rf"(?:^|[.!?;:\n\x{{2026}}\x{{bf}}]){_CLOSING}(?:[^\s:,]+[:,]\s+)?"
        before += rf"(?:{openers}[{_GAP}]+)*" if openers else ""
        own = _group(plain(word) for word in extra)
        return _either(f"{before}{spaced}{_AFTER}" if spaced else "", f"{_BEFORE}{own}{_AFTER}" if own else "")

    def ending(self, key: str) -> str:
        spaced, inner = self._both(key)
        endings = _either(rf"[\pL]*{spaced}" if spaced else "", inner)
        return rf"(?:{endings})[ )\"'\x{{ff09}}\x{{300d}}]*{_END}" if endings else ""

    def whole(self, keys: Sequence[str], *, extra: Sequence[str]) -> str:
        spaced, inner = self._both(*keys)
        own = "|".join(f"(?:{pattern})" for pattern in extra)
        apart = "|".join(part for part in (spaced, f"(?i:{own})" if own else "") if part)
        one = _either(rf"(?:{apart})(?:$|[{_GAP}]+)" if apart else "", rf"{inner}[{_GAP}]*" if inner else "")
        return rf"^[{_GAP}]*(?:{one})+$" if one else ""

    def _both(self, *keys: str) -> tuple[str, str]:
        spaced = _group(w for pack in self._packs if pack.spaced for key in keys for w in pack.words[key])
        inner = _group(w for pack in self._packs if not pack.spaced for key in keys for w in pack.words[key])
        return spaced, inner


def _group(words: Iterable[str]) -> str:
    each = sorted(set(words))
    return f"(?:{'|'.join(re2.escape(word) for word in each)})" if each else ""


def _either(*parts: str) -> str:
    given = [part for part in parts if part]
    return f"(?:{'|'.join(given)})" if given else ""
