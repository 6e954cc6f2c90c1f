"""The addressee of what is said to the bot: triage, for questions about the code, a command, or the chat agent.

Pure, asked by `intake/doors`. Words come from the language packs, orders from `decide/orders`; rules decide, in the
order in which they stand here, and the answer says why. Where nobody can tell, a channel's message is triage's: a draft
that was not wanted harms nobody, an order that was not meant may. Nothing that is said to the bot is for nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.decide.packs import Pack, load
from bot.decide.prose import CODE, LINK, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.order import Order, Place

To = Literal["triage", "command", "chat", "thanks", "settles", "pointer", "nobody"]
"""`thanks` gets an emoji at most, `pointer` one line on what the bot does here, `settles` closes
a question of its author's; `nobody` is what is not said to it."""
Role = Literal["member", "operator", "admin"]

_SENTENCE = re.compile(r"[.!?;:\u2026\u3002\uff01\uff1f]+(?:\s|$)|\n+")
_CLAUSE = re.compile(r",|\s[-\u2013\u2014]+\s|\u3001")
_EDGES = ".,:()[]\"'\u2019*_<>\u00a1\u00bf\u3001"
_SLUG = re.compile(rf"[{CODE}{LINK}]|#\S+|\S*[-_\d/]\S*")
_IDENTIFIER = re.compile(
    rf"[{CODE}{LINK}]|\b\w+(?:_\w+)+\b|\b\w+\.\w{{1,4}}:\d+|\b[\w/]+\.(?:py|js|ts|go|rs|java|yml)\b"
)
_NAMES_CODE = re.compile(rf"{_IDENTIFIER.pattern}|[\w)]\.\w|\d|\b[a-z]+[A-Z]\w*|\b[A-Z]{{2,}}\b|\w-\w")
"""Something that stands in code or in what it says: a name, a number, a word of capitals."""
_ASKS = re.compile(r"[?\uff1f\u061f]")
_SHOWS = re.compile(
    r"\W*(?:please |bitte )?(?:show|list|find|explain|describe|search|look|locate|compare|zeig|zeige|liste|finde"
    r"|erkläre|suche|montre|trouve|explique|cherche|muestra|busca|explica|mostre|mostra|busque|tampilkan|cari|jelaskan)\b",
    re.IGNORECASE,
)
"""How somebody begins who wants to be shown something."""
_FOR = frozenset({"for", "für", "pour", "por", "pela", "pelo", "pelas", "pelos", "untuk", "atas"})
_OF_CODE = frozenset({"read_file", "search_files"})
_LEAD_IN = 2
"""Words that may stand before the clause that ends something: `oh no, cancel`."""
_MOST_WORDS = 12
"""A sentence about the bot's own work is short; a longer one is about something."""


@dataclass(frozen=True, slots=True)
class Door:
    """Who a message is for, and why, as half a sentence."""

    to: To
    why: str
    order: Order | None = None
    """What a command is to do."""


_PLAIN = ("a direct message", "it is for the notes of a project", "it goes on with a conversation", "nothing in it")
"""How the reasons begin of messages that could be meant for nobody else."""


def was_chosen(why: str) -> bool:
    """Whether a message could have been taken otherwise, so that its sender is told how it was taken."""
    return bool(why) and not why.startswith(_PLAIN)


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known around a message. `asks` and `is_ack` are the classifier's, who is not told of a mention."""

    asks: bool = False
    is_ack: bool = False
    thanks: bool = False
    """It thanks, and neither asks nor tells of a problem."""
    order: Order | None = None
    """The order that it gives by the words of the templates."""
    order_words: bool = False
    """It is made of nothing but words of orders, and no rule knows which it is."""
    open_question: bool = False
    """It stands in the thread of a question that is open; in a direct message, of any question of theirs."""
    settles: bool = False
    """It says that its author's own question, in whose thread it stands, is settled."""
    settles_elsewhere: bool = False
    """The same of a question of its author's in whose thread it does not stand."""
    own_thread: bool = False
    """Its author asked the question of its thread, be it open or closed."""
    conversation: bool = False
    """It stands in a thread in which the chat agent has answered."""
    notes: bool = False
    """It opens a thread that takes the notes of a project, or stands in one."""


class DoorWords:
    """The words of some packs. Made once, by `bot/app`."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        spaced = [pack for pack in packs if pack.spaced]
        self._fillers = _phrases(spaced, "openers", "order_openers")
        self._orders = _phrases(spaced, "orders")
        self._things = _phrases(spaced, "order_things", "order_named")
        self._named = frozenset(_phrases(spaced, "order_named"))
        self._joins = _phrases(spaced, "order_joins")
        self._asking = frozenset(word for pack in spaced for word in pack.words["question_words"]) | {"that"}
        self._alone = frozenset(_phrases(spaced, "own_alone"))
        self._work = frozenset(_phrases(spaced, "own_work"))
        self._call_off = frozenset(_phrases(spaced, "call_off"))
        self._call_off_openings = tuple(each for each in _phrases(spaced, "call_off") if len(each) > 1)
        self._thanks = _phrases(spaced, "thanks")
        self._greetings = frozenset(_phrases(spaced, "greetings"))
        self._longest = max((len(phrase) for phrase in self._work), default=0)
        unspaced = [pack for pack in packs if not pack.spaced]
        self._inner = {
            key: tuple(word for pack in unspaced for word in pack.words[key])
            for key in ("orders", "order_things", "own_work", "own_alone", "call_off")
        }

    def is_order(self, said: str) -> bool:
        """Whether it tells the bot to do something with what is the bot's own."""
        if any(order in said for order in self._inner["orders"]):
            return any(thing in said for thing in self._inner["order_things"])
        return any(self._orders_something(words) for words in self._sentences(said))

    def is_about_bot(self, said: str) -> bool:
        """Whether it asks about the bot's own work, or says nothing but one of its own words."""
        sentences = self._sentences(said)
        if any(said.strip().rstrip("\u3002\uff01") == word for word in self._inner["own_alone"]):
            return True
        if len(sentences) == 1 and sentences[0] in self._alone:
            return True
        return any(word in said for word in self._inner["own_work"]) or any(map(self._asks_about_bot, sentences))

    def is_greeting(self, said: str) -> bool:
        """Whether it greets and says nothing else."""
        words = tuple(word for part in said.lower().split() if (word := part.strip(f"{_EDGES}!?~")))
        return bool(words) and (words in self._greetings or all((word,) in self._greetings for word in words))

    def thanks_for(self, said: str) -> bool:
        """Whether it thanks for something in one sentence, whatever words name that: "thanks for the quick help"."""
        sentences = self._plain_sentences(said)
        thanks = _begins(sentences[0], self._thanks) if len(sentences) == 1 and not said.rstrip().endswith("?") else ()
        return bool(thanks) and any(word in _FOR for word in sentences[0][len(thanks) : len(thanks) + 2])

    def is_alone(self, said: str) -> bool:
        """Whether one of the bot's own words is all that it says: `stop`, `status`."""
        sentences = self._sentences(said)
        return len(sentences) == 1 and sentences[0] in self._alone

    def calls_off(self, said: str) -> bool:
        """Whether it begins by ending what was asked for: `stop that`, `never mind`, `stop, wrong project`.

        Only asked where something of the writer's runs. What ends a thing of the bot's by name is an order.
        """
        plain = prose(said)
        if _CLAUSE.split(plain.strip())[0].rstrip("\u3002\uff01!. ") in self._inner["call_off"]:
            return True
        split = _CLAUSE.sub(". ", plain)
        if any(
            words[-1] == "triage" and _ends(words[:-1], (*self._call_off,)) for words in self._plain_sentences(split)
        ):
            return False  # "stop Triage" names what is to stop
        clauses = self._sentences(split)
        return any(map(self._ends_it, clauses[:2] if clauses and len(clauses[0]) <= _LEAD_IN else clauses[:1]))

    def _ends_it(self, words: tuple[str, ...]) -> bool:
        if words in self._call_off:
            return True
        opening = _begins(words, self._call_off_openings)
        return bool(opening) and not self._of_its_own(words[len(opening) :])

    def _sentences(self, said: str) -> list[tuple[str, ...]]:
        """The words of each sentence, without openers and politeness."""
        made = []
        for words in self._plain_sentences(said):
            while words and (filler := _begins(words, self._fillers)):
                words = words[len(filler) :]
            while words and (filler := _ends(words, self._fillers)):
                words = words[: -len(filler)]
            if words:
                made.append(words)
        return made

    def _plain_sentences(self, said: str) -> list[tuple[str, ...]]:
        split = (sentence.split() for sentence in _SENTENCE.split(said))
        made = (tuple(word for part in parts if (word := part.strip(_EDGES))) for parts in split)
        return [words for words in made if words]

    def _orders_something(self, words: tuple[str, ...]) -> bool:
        order = _begins(words, self._orders)
        if order:
            return self._of_its_own(words[len(order) :])
        order = _ends(words, self._orders)  # "kannst du das Projekt shop pausieren"
        return bool(order) and self._of_its_own(words[: -len(order)])

    def _of_its_own(self, words: tuple[str, ...]) -> bool:
        """Whether an order's object is one of the bot's own things, and not something that is only called alike."""
        while words:
            if (thing := _begins(words, self._things)) and self._ends_there(thing, words[len(thing) :]):
                return True
            words = words[len(_begins(words, self._joins)) or len(words) :]
        return False

    def _ends_there(self, thing: tuple[str, ...], rest: tuple[str, ...]) -> bool:
        """Whether what follows a thing names it, or another one: "project shop", no "status codes"."""
        if rest and _SLUG.fullmatch(rest[0]):
            return True
        rest = self._past_joins(rest)
        if not rest or rest[0].startswith("#"):
            return True
        is_name = thing in self._named and rest[0] not in self._asking
        if is_name and (len(rest) == 1 or _begins(rest[1:], self._joins)):
            return True
        return self._of_its_own(rest)

    def _past_joins(self, words: tuple[str, ...]) -> tuple[str, ...]:
        while words and (join := _begins(words, self._joins)) and join not in self._things:
            words = words[len(join) :]
        return words

    def _asks_about_bot(self, words: tuple[str, ...]) -> bool:
        if len(words) > _MOST_WORDS:
            return False
        spans = range(1, self._longest + 1)
        return any(words[at : at + span] in self._work for at in range(len(words)) for span in spans)


def door(said: str, *, words: DoorWords, where: Place, mentioned: bool, role: Role, around: Signals) -> Door:
    """Who a person's message is for. `said` is its text without the mention of the bot."""
    if where != "direct" and not mentioned:
        return Door("triage" if where == "watched" else "nobody", "it does not mention the bot")
    if around.notes:
        return Door("chat", "it is for the notes of a project")
    if not said.strip():
        return Door("pointer", "it says nothing but the bot's name")
    if around.settles:
        return Door("thanks", "it settles its author's question")
    if around.settles_elsewhere and not (around.conversation or around.open_question):
        return Door("settles", "it settles a question of its author's")
    if around.own_thread and role == "member" and around.order and around.order.command == "restart_task":
        return Door("triage", "it asks its author's question again")
    if around.order and _may_be_order(around.order, role):
        order = _as_said_by(role, around.order)
        return Door("command" if order.command else "chat", "an order about the bot's own work", order)
    text = prose(said)
    return _direct(text, words, around) if where == "direct" else _channel(text, words, where, around)


def _may_be_order(order: Order, role: Role) -> bool:
    """Whether it is no question, and no small talk: a member who wants to see code asks for it."""
    return role != "member" or (order.command not in _OF_CODE and not order.is_small_talk)


def _as_said_by(role: Role, order: Order) -> Order:
    return order.evolve(command=order.of_members) if role == "member" and order.of_members else order


def _channel(said: str, words: DoorWords, where: Place, around: Signals) -> Door:
    if common := _anywhere(said, words, around):
        return common
    if around.conversation:
        return _in_conversation(said, around)
    if words.is_greeting(said):
        return Door("chat", "it greets")
    if where in ("silent", "unwatched"):
        return Door("pointer", f"this channel is {'silent' if where == 'silent' else 'not watched'}")
    if around.asks:
        return Door("triage", "it asks about the code")
    if _tells(said):
        return Door("chat", "it neither asks nor names anything of the code")
    return Door("triage", "nothing says that it is an order")


def _tells(said: str) -> bool:
    """Whether a short text neither asks, in any script, nor wants to be shown something, nor names any code."""
    is_question = _ASKS.search(said) or _SHOWS.match(said) or _NAMES_CODE.search(said)
    return not is_question and 0 < len(said.split()) <= _MOST_WORDS


def _direct(said: str, words: DoorWords, around: Signals) -> Door:
    if common := _anywhere(said, words, around):
        return common
    if around.conversation:
        return _in_conversation(said, around)
    if around.asks and not around.is_ack:
        return Door("triage", "it asks about the code")
    return Door("chat", "nothing in it asks about the code")


def _anywhere(said: str, words: DoorWords, around: Signals) -> Door | None:
    """What counts in a channel as in a direct message, before all else."""
    if words.is_order(said):
        return Door("chat", "an order about the bot's own work")
    is_ack = around.is_ack and not around.conversation and not words.is_greeting(said)
    if is_ack or ((around.thanks or words.thanks_for(said)) and len(said.split()) <= _MOST_WORDS):
        return Door("thanks", "it thanks or agrees")
    if around.open_question:
        if words.is_alone(said):
            return Door("chat", "a word of the bot's own")
        return Door("triage", "it stands in the thread of a question")
    is_small_talk = around.order is not None and around.order.is_small_talk
    if words.is_about_bot(said) or is_small_talk or around.order_words:
        return Door("chat", "it is about the bot's own work")
    return None


def _in_conversation(said: str, around: Signals) -> Door:
    """What follows in a conversation belongs to it, unless it plainly asks about the code."""
    if around.asks and _IDENTIFIER.search(said):
        return Door("triage", "it asks about the code")
    return Door("chat", "it goes on with a conversation")


def _phrases(packs: Sequence[Pack], *keys: str) -> tuple[tuple[str, ...], ...]:
    """The phrases of these keys as words, the longest first."""
    found = {tuple(phrase.split()) for pack in packs for key in keys for phrase in pack.words[key]}
    return tuple(sorted(found, key=lambda phrase: (-len(phrase), phrase)))


def _begins(words: tuple[str, ...], phrases: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return next((phrase for phrase in phrases if words[: len(phrase)] == phrase), ())


def _ends(words: tuple[str, ...], phrases: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return next((phrase for phrase in phrases if words[-len(phrase) :] == phrase), ())
