"""Normalised question: the text for search, comparison and task names, without greetings and the bot's name.

Pure. `models/markup` has already removed mentions, channels, groups and emoji. A message that only greets is kept.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.classify.courtesies import courtesies
from bot.decide.classify.language_packs import load, normalise_word
from bot.decide.letters import in_any_form
from bot.decide.word_tables import packaged_table

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "triage"
"""Name of the bot, regardless of its account's name."""

_NO_WORDS = (
    "all",
    "everyone",
    "everybody",
    "team",
    "folks",
    "there",
    "guys",
    "zusammen",
    "pessoal",
    "a todos",
    "à tous",
)
"""Addressees of a greeting that need no punctuation after them; any other word may name something in the code."""

_MARK = r"[,;:!.?\u2026\u2013\u2014\n\u3001\u3002\uff0c\uff01\uff1a\uff1f\u061b\u060c\u061f-]"  # in all scripts
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]")
_WORD = r"(?-i:(?!\w*[a-z][A-Z])[^\W\d_]+(?:['\u2019-][^\W\d_]+)*)"
"""Ordinary word: no digits, no underscore, no capital inside."""
_MOST_THANKED = 6
"""Maximum number of words after thanks, for the reason or the degree."""
_MAX_ROUNDS = 6
"""Maximum number of greetings and names that are removed one after the other."""
_HEAD = 200
"""Number of characters at each end in which greetings and names are searched."""


class Normaliser:
    """Removal of greetings, thanks, the bot's names and purely asking words from a question.

    Build with `normaliser`.
    """

    def __init__(self, names: Iterable[str] = (), asking: Iterable[str] = ()) -> None:
        packs, extra_words = load(), more_words()
        greetings = {word for pack in packs for word in pack.words["greetings"]} | extra_words["greetings"]
        thanks = {word for pack in packs for word in pack.words["thanks"]} | extra_words["thanks"]
        own = {NAME, *(name.lower().strip() for name in names if name.strip())}
        called = _either_pattern({*own, *(f"{name} bot" for name in own)})
        gap, asks, to = (
            rf"\s*(?:{_MARK}+\s*|$)",
            _either_pattern(extra_words["asks"]),
            _either_pattern(extra_words["addressed"]),
        )
        sure, unsure = (
            _either_pattern(greetings - extra_words["ambiguous"]),
            _either_pattern(greetings & extra_words["ambiguous"]),
        )
        ending = _either_pattern({*greetings, *thanks})
        joined = _either_pattern({word for word in greetings if _UNSPACED.search(word)})
        name = r"(?-i:(?![a-z\u00df-\u00ff])[^\W\d_])[\w'\u2019-]*"
        somebody = rf"\s+(?!{asks}){name}(?:\s+{name})?\s*[,!:\u060c\u3001]\s*"
        own_words = {normalise_word(word) for word in asking if word.strip()}
        self._asking = (
            re.compile(rf"(?<![\w./`-]){_either_pattern(own_words)}(?![\w/`-]|\.\w)", re.IGNORECASE)
            if own_words
            else None
        )
        self._before = re.compile(
            rf"^\W*(?:(?:{sure}|{unsure})(?:{somebody}|\s*(?:{to}\s*)+(?:{gap}|(?<=\s)(?={asks}))"
            rf"|\s*(?:{_either_pattern(_NO_WORDS)}|@?{called}|@[\w.-]+)(?:{gap}|\s+)|{gap})"
            rf"|(?:{sure}|{unsure})\s+(?={asks})|{sure}\s+|{joined}|{_either_pattern(thanks)}{gap}"
            rf"|@?{called}(?:\s*{_MARK}+(?=\s|$)\s*|\s+(?={asks})|\s*\n)"
            rf"|(?:{to}\s*){{1,3}}[,:!\u060c\u3001]\s*|{_either_pattern(extra_words['fillers'])}{gap}|{_either_pattern(extra_words['leads'])}{gap})",
            re.IGNORECASE,
        )
        sort = rf"(?!(?:to|zu)\b){_WORD}"
        thanked = rf"{_either_pattern(thanks - extra_words['ambiguous'])}(?:[\s,]+{sort}){{0,{_MOST_THANKED}}}"
        self._after = re.compile(
            rf"(?<={_MARK})\s*+(?:{ending}[\s,!]*+)?"
            rf"(?:@?{called}|{ending}(?:[\s,]*(?:{to}|@[\w.-]+|{name}))?|{_either_pattern(extra_words['partings'])}|{thanked})"
            rf"(?:[\s)({_MARK[1:]}|(?<=[:;])[DP]|(?<=[:;]-)[DP])*$",
            re.IGNORECASE,
        )

    def normalise(self, text: str) -> str:
        """Return the question without them, or unchanged if nothing would be left."""
        left = self._without_asking(text.strip())
        for _ in range(_MAX_ROUNDS):
            shorter = self._cut_fillers(left)
            if shorter == left:
                break
            left = shorter
        return left if re.search(r"\w", left) else text.strip()

    def _without_asking(self, text: str) -> str:
        """Remove a team's own words that only say that the text asks."""
        if self._asking is None or not self._asking.search(text):
            return text
        left = self._asking.sub(" ", text)
        left = re.sub(r"[ \t]+", " ", left).strip()
        return re.sub(rf"^(?:{_MARK}\s*)+|(?<![,;:\s])[,;:\s]+(?=[?!.\u061f]*$)", "", left)

    def _cut_fillers(self, text: str) -> str:
        head, rest = text[:_HEAD], text[_HEAD:]
        text = self._before.sub("", head, count=1) + rest
        front, tail = text[:-_HEAD], text[-_HEAD:]
        return (front + self._after.sub("", tail)).strip().rstrip(",;:\u060c\u3001")


@cache
def more_words() -> dict[str, frozenset[str]]:
    """Load the words of `greetings.yml` and `courtesies.yml`, by key."""
    table = {key: frozenset(map(normalise_word, words)) for key, words in packaged_table("greetings.yml").items()}
    courtesy_words = courtesies()
    return {
        **table,
        "greetings": table["greetings"] | courtesy_words.greetings,
        "thanks": table["thanks"] | courtesy_words.thanks,
    }


@cache
def normaliser(names: tuple[str, ...] = (), asking: tuple[str, ...] = ()) -> Normaliser:
    """Build the normaliser for a bot with these names, once; `asking` are a team's own words that ask."""
    return Normaliser(names, asking)


def _either_pattern(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, longest first; those of scripts with spaces match whole words only."""
    each = sorted(set(words), key=lambda word: (-len(word), word))
    apart = "|".join(in_any_form(word) for word in each if not _UNSPACED.search(word))
    joined = [in_any_form(word) for word in each if _UNSPACED.search(word)]
    inner = "|".join([rf"(?:{apart})(?!\w)", *joined] if apart else joined)
    return f"(?:{inner})"
