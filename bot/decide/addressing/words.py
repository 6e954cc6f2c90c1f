"""Words used to address the bot: orders, its own work, thanks, greetings, cancellations. Pure.

Read once from the language packs, for the rules of `decide/addressing/addressee`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.classify.courtesies import courtesies
from bot.decide.classify.language_packs import load
from bot.decide.classify.phrases import Phrases, beginning, ending, phrases
from bot.decide.classify.text import CODE, LINK, clean_text
from bot.decide.retrieval.normalised_question import more_words
from bot.decide.retrieval.stopwords import EVERYDAY, STOP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.classify.phrases import Words

MOST_WORDS = 12
"""Maximum of words in a sentence about the bot's own work; longer ones are about something else."""

_LONGEST_GREETING = 400
"""Maximum length in characters."""
_MAX_LOOKED_AT = 40
"""Maximum of sentences, and of words in one; the middle of a longer text is skipped."""
_SENTENCE = re.compile(r"(?<![.!?;:\u2026\u3002\uff01\uff1f\u061f])[.!?;:\u2026\u3002\uff01\uff1f\u061f]+(?:\s|$)|\n+")
_CLAUSE = re.compile(r"[,\u060c]|\s[-\u2013\u2014]+\s|\u3001")
_EDGES = ".,:()[]\"'\u2019*_<>\u00a1\u00bf\u3001"
_SLUG = re.compile(rf"[{CODE}{LINK}]|#\S+|[^\s\-_\d/]*[-_\d/]\S*")
_FOR = frozenset({"for", "für", "pour", "por", "pela", "pelo", "pelas", "pelos", "untuk", "atas"})
_ADDRESS = 3
"""Maximum of words that address somebody before a proposal: `hey you there, shall we …`."""
_SHORT = 7
"""Maximum of words in a sentence recognised by topic words alone."""
_BOT = frozenset({"triage", "bot"})
_EACH = frozenset({"all", "each", "every", "alle", "tous", "toutes", "todos", "todas", "semua"})
_MOMENT = 2
"""Maximum of words for a moment: `a second`."""
_LEAD_IN = 2
"""Maximum of words before the clause that cancels something: `oh no, cancel`."""


_INNER = ("orders", "order_things", "own_work", "own_alone", "call_off", "proposals", "may_we", "note_words")
"""Lists whose words are found inside text without spaces."""
_TALK = ("acks", "own_topics", "orders", "order_openers", "order_things", "order_named", "note_words", "call_off")
"""Lists without any word that names code."""


@cache
def load_addressing_words(languages: tuple[str, ...] = ()) -> AddressingWords:
    """Return the words of these languages' packs, of all when none is named; built once per process."""
    return AddressingWords(languages)


class AddressingWords:
    """Words of some language packs."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        spaced = [pack for pack in packs if pack.spaced]
        self._fillers = phrases(spaced, "openers", "order_openers")
        self._orders = phrases(spaced, "orders")
        self._things = phrases(spaced, "order_things", "order_named")
        self._named = frozenset(phrases(spaced, "order_named"))
        self._joins = phrases(spaced, "order_joins")
        self._asking = frozenset(word for pack in spaced for word in pack.words["question_words"]) | {"that"}
        self._alone = frozenset(phrases(spaced, "own_alone"))
        self._work = frozenset(phrases(spaced, "own_work"))
        self._topics = frozenset(word for pack in spaced for word in pack.words["own_topics"])
        self._persons = frozenset(word for pack in spaced for word in pack.words["own_persons"])
        small = ("question_words", "openers", "order_joins", "greetings", "thanks", "i", "you", "own_persons")
        self._small = STOP | {part for words in phrases(spaced, *small) for part in words}
        self.small = frozenset(self._small | {part for words in phrases(spaced, *_TALK) for part in words})
        """Small words, and words about the bot's own work, which name nothing of code."""
        self.persons = frozenset(part for words in phrases(spaced, "i", "you", "own_persons") for part in words)
        self._proposals = phrases(spaced, "proposals")
        self._may_we = phrases(spaced, "proposals", "may_we")
        self._notes = frozenset(word for pack in spaced for word in pack.words["note_words"])
        self._call_off = frozenset(phrases(spaced, "call_off"))
        self._all = _EACH | {thing[0] for thing in self._things if len(thing) == 1 and thing not in self._call_off}
        self._bare = self._alone - self._call_off
        self._call_off_openings = Phrases(each for each in phrases(spaced, "call_off") if len(each) > 1)
        self._thanks = phrases(spaced, "thanks")
        self._greetings = frozenset(phrases(spaced, "greetings"))
        self._leads = Phrases(tuple(lead.split()) for lead in more_words()["leads"])
        self._longest = max((len(phrase) for phrase in self._work), default=0)
        unspaced = [pack for pack in packs if not pack.spaced]
        self._inner = {key: tuple(word for pack in unspaced for word in pack.words[key]) for key in _INNER}

    def is_order(self, text: str) -> bool:
        """Return whether it orders the bot to act on something of the bot."""
        if any(order in text for order in self._inner["orders"]):
            return any(thing in text for thing in self._inner["order_things"])
        return any(self._orders_something(words) for words in self._sentences(text)) or self._proposes_note(text)

    def proposes(self, text: str) -> bool:
        """Return whether it proposes to do something: "shall we have lunch?", "sollen wir das lassen?"."""
        if any(proposal in text for proposal in self._inner["proposals"]):
            return True
        return any(_begins_early(words, self._proposals) for words in self._plain_sentences(text))

    def _proposes_note(self, text: str) -> bool:
        """Return whether it proposes, or asks for permission, to note something: "can we put this into a note?"."""
        if any(note in text for note in self._inner["note_words"]):
            return any(phrase in text for key in ("proposals", "may_we") for phrase in self._inner[key])
        sentences = self._plain_sentences(text)
        return any(_begins_early(words, self._may_we) and not self._notes.isdisjoint(words) for words in sentences)

    def is_about_bot(self, text: str) -> bool:
        """Return whether it asks about the bot's own work, or is only one of the bot's own words."""
        sentences = self._sentences(text)
        if any(text.strip().rstrip("\u3002\uff01") == word for word in self._inner["own_alone"]):
            return True
        if len(sentences) == 1 and sentences[0] in self._alone:
            return True
        if len(sentences) == 1 and self._says_only_topics(self._plain_sentences(text)[0]):
            return True
        return any(word in text for word in self._inner["own_work"]) or any(
            map(self._asks_about_bot, (*sentences, *self._plain_sentences(text)))  # a filler may end one of these
        )

    def _says_only_topics(self, words: tuple[str, ...]) -> bool:
        """Return whether a short sentence mentions a person and topics of the bot, and nothing else."""
        bare = tuple(word.removesuffix("'s") for word in words)
        telling = {word for word in bare if word not in self._small}
        is_theirs = bare != words or not self._persons.isdisjoint(words)
        return len(words) <= _SHORT and is_theirs and bool(telling) and telling <= self._topics

    def is_greeting(self, text: str) -> bool:
        """Return whether it is only a greeting."""
        if courtesies().is_greeting(text):
            return True
        if len(text) > _LONGEST_GREETING:
            return False
        words = tuple(word for part in text.lower().split() if (word := part.strip(f"{_EDGES}!?~")))
        return bool(words) and (words in self._greetings or all((word,) in self._greetings for word in words))

    def _thanks_for(self, text: str) -> bool:
        """Return whether it is one sentence of thanks for something: "thanks for the quick help"."""
        sentences = self._plain_sentences(text)
        thanks = (
            beginning(sentences[0], self._thanks) if len(sentences) == 1 and not text.rstrip().endswith("?") else ()
        )
        return bool(thanks) and any(word in _FOR for word in sentences[0][len(thanks) : len(thanks) + 2])

    def thanks(self, text: str) -> bool:
        """Return whether it is only thanks, also in a language without a pack, or thanks for something."""
        return courtesies().is_thanks(text) or self._thanks_for(text)

    def is_alone(self, text: str) -> bool:
        """Return whether it is only one of the bot's own words: `stop`, `status`."""
        sentences = self._sentences(text)
        return len(sentences) == 1 and sentences[0] in self._alone

    def calls_off(self, text: str) -> bool:
        """Return whether it begins by cancelling a request: `stop that`, `never mind`, `stop, wrong project`.

        Only valid where a request of the author is running. Ending a thing of the bot by name is an order.
        """
        plain = clean_text(text)
        if _CLAUSE.split(plain.strip())[0].rstrip("\u3002\uff01!. ") in self._inner["call_off"]:
            return True
        split = _CLAUSE.sub(". ", plain)
        if self._names_bot(split):
            return False  # "stop Triage" names the bot
        clauses = self._sentences(split)
        return any(map(self._ends_it, clauses[:2] if clauses and len(clauses[0]) <= _LEAD_IN else clauses[:1]))

    def only_calls_off(self, text: str) -> bool:
        """Return whether it only cancels, without naming anything: `cancel that, please`."""
        plain = clean_text(text)
        if plain.strip("\u3002\uff01!. ") in self._inner["call_off"]:
            return True
        clauses = self._sentences(_CLAUSE.sub(". ", plain))
        return self.calls_off(text) and bool(clauses) and all(map(self._is_call_off, clauses))

    def names_all(self, text: str) -> bool:
        """Return whether an order to pause or stop means the bot, or all of its work, or is the bare command."""
        plain = clean_text(text)
        if any(thing in plain for thing in self._inner["order_things"]) or self._names_bot(_CLAUSE.sub(". ", plain)):
            return True
        words = {word for sentence in self._plain_sentences(plain) for word in sentence}
        return not words.isdisjoint(self._all) or any(sentence in self._bare for sentence in self._sentences(plain))

    def _names_bot(self, split: str) -> bool:
        """Return whether one of these clauses ends with the bot's name as its object; not "hold on, Triage"."""
        for words in self._plain_sentences(split):
            while len(words) > 1 and words[-1] not in _BOT and (filler := ending(words, self._fillers)):
                words = words[: -len(filler)]  # "stop Triage please"
            if len(words) > 1 and words[-1] in _BOT:
                return True
        return False

    def _is_call_off(self, words: tuple[str, ...]) -> bool:
        """Return whether a clause only cancels, possibly with a moment after it: `hold on a second`."""
        opening = beginning(words, self._call_off_openings)
        rest = words[len(opening) :]
        return words in self._call_off or (
            bool(opening) and len(rest) <= _MOMENT and (STOP | EVERYDAY).issuperset(rest)
        )

    def _ends_it(self, words: tuple[str, ...]) -> bool:
        if words in self._call_off:
            return True
        opening = beginning(words, self._call_off_openings)
        return bool(opening) and not self._of_its_own(words[len(opening) :])

    def _sentences(self, text: str) -> list[tuple[str, ...]]:
        """Return the words of each sentence, without openers and politeness."""
        sentences = []
        for words in self._plain_sentences(text):
            while words and (filler := beginning(words, self._fillers)):
                words = words[len(filler) :]
            while words and (filler := ending(words, self._fillers)):
                words = words[: -len(filler)]
            if words:
                sentences.append(words)
        return sentences

    def _plain_sentences(self, text: str) -> list[tuple[str, ...]]:
        every = _SENTENCE.split(text)
        split = (
            each.split()
            for each in (
                every
                if len(every) <= _MAX_LOOKED_AT
                else (*every[: _MAX_LOOKED_AT // 2], *every[-_MAX_LOOKED_AT // 2 :])
            )
        )
        ends = (
            each if len(each) <= _MAX_LOOKED_AT else (*each[: _MAX_LOOKED_AT // 2], *each[-_MAX_LOOKED_AT // 2 :])
            for each in split
        )
        sentences = (tuple(word for part in parts if (word := part.strip(_EDGES))) for parts in ends)
        return [words for words in sentences if words]

    def _orders_something(self, words: tuple[str, ...]) -> bool:
        order = beginning(words, self._orders)
        if order:
            return self._of_its_own(words[len(order) :])
        order = ending(words, self._orders)  # "kannst du das Projekt shop pausieren"
        return bool(order) and self._of_its_own(words[: -len(order)])

    def _of_its_own(self, words: tuple[str, ...]) -> bool:
        """Return whether an order's object is one of the bot's own things, and not something with a similar name."""
        while words:
            if (thing := beginning(words, self._things)) and self._ends_there(thing, words[len(thing) :]):
                return True
            words = words[len(beginning(words, self._joins)) or len(words) :]
        return False

    def _ends_there(self, thing: tuple[str, ...], rest: tuple[str, ...]) -> bool:
        """Return whether the rest after a thing names it, or another one: "project shop", not "status codes"."""
        if rest and _SLUG.fullmatch(rest[0]):
            return True
        rest = self._past_joins(rest)
        if not rest or rest[0].startswith("#"):
            return True
        is_name = thing in self._named and rest[0] not in self._asking
        if is_name and (len(rest) == 1 or beginning(rest[1:], self._joins)):
            return True
        return self._of_its_own(rest)

    def _past_joins(self, words: tuple[str, ...]) -> tuple[str, ...]:
        while words and (join := beginning(words, self._joins)) and join not in self._things:
            words = words[len(join) :]
        return words

    def _asks_about_bot(self, words: tuple[str, ...]) -> bool:
        if len(words) > MOST_WORDS or words in self._leads or beginning(words, self._leads)[-1:] == ("is",):
            return False  # "my question is: …" introduces one
        spans = range(1, self._longest + 1)
        return any(words[at : at + span] in self._work for at in range(len(words)) for span in spans)


def _begins_early(words: Words, openings: Phrases) -> bool:
    """Return whether a known phrase is at the beginning, or after a few words of address."""
    return any(beginning(words[at:], openings) for at in range(_ADDRESS + 1))
