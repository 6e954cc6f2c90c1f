"""The addressee of what is said to the bot: triage, for questions about the code, a command, or the chat agent.

Pure, asked by `intake/addressee`. Words come from the language packs, orders from `decide/orders`; rules decide, in the
order in which they stand here, and the answer says why. Where nobody can tell, a channel's message is triage's: a draft
that was not wanted harms nobody, an order that was not meant may. Nothing that is said to the bot is for nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from bot.decide.addressing.subject import Subject
from bot.decide.addressing.words import MOST_WORDS
from bot.decide.classify.text import CODE, LINK, prose
from bot.decide.classify.unmarked_question import marked
from bot.decide.retrieval.stopwords import POINTING, STOP

if TYPE_CHECKING:
    from bot.decide.addressing.named_question import Closing
    from bot.decide.addressing.several_orders import Several
    from bot.decide.addressing.words import DoorWords
    from bot.models.order import Order, Place

To = Literal["triage", "command", "several", "chat", "unsure", "thanks", "settles", "pointer", "nobody"]
"""`unsure` is the chat agent's where it can talk, and is asked back about otherwise; `thanks` gets an emoji at most,
`pointer` one line on what the bot does here, `settles` closes a question of its author's, `several` asks for more than
one thing; `nobody` is what is not said to it."""
ANYWHERE = ("triage", "chat", "unsure")
"""What a channel meets with one line that is silent."""
Role = Literal["member", "operator", "admin"]

_IDENTIFIER = re.compile(rf"[{CODE}{LINK}]|\w_\w|\b\w+\.\w{{1,4}}:\d+|(?<![\w/])[\w/]+\.(?:py|js|ts|go|rs|java|yml)\b")
_NAMES_CODE = re.compile(rf"{_IDENTIFIER.pattern}|[\w)]\.\w|\d|\b\w*[a-z][A-Z]\w*|\b[A-Z]{{2,}}\b|\w-\w")
"""Something that stands in code or in what it says: a name, a number, a word of capitals."""
_ELEMENT = re.compile(r"<[#@!][^<>]*>|[#@]\S+")
"""A person, a group or a channel."""
_ASKS = re.compile(r"[?\uff1f\u061f]")
_SHOWS = re.compile(
    r"\W*(?:please |bitte )?(?:show|list|find|explain|describe|search|look|locate|compare|zeig|zeige|liste|finde"
    r"|erkläre|suche|montre|trouve|explique|cherche|muestra|busca|explica|mostre|mostra|busque|tampilkan|cari|jelaskan)\b",
    re.IGNORECASE,
)
"""How somebody begins who wants to be shown something."""
_MAY_BE_CODE = re.compile(rf"[A-Za-z0-9{CODE}{LINK}\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]")
"""A letter of code, or of a script without spaces."""
_FEWEST = 3
_POLITE = frozenset({"please", "kindly", "just", "now"})
_OF_CODE = frozenset({"read_file", "search_files"})


@dataclass(frozen=True, slots=True)
class Door:
    """Who a message is for, and why, as half a sentence."""

    to: To
    why: str
    order: Order | None = None
    """What a command is to do."""
    several: Several | None = None
    """What a text asks for that holds more than one thing."""
    closing: Closing | None = None
    """Which questions of its author's it settles."""


_PLAIN = ("a direct message", "it is for the notes of a project", "it goes on with a conversation", "nothing in it")
"""How the reasons begin of messages that could be meant for nobody else."""
_GREETS, _SMALL_TALK = "it greets", "it is small talk"


def was_chosen(why: str) -> bool:
    """Return whether a message could have been taken otherwise, so that its sender is told how it was taken."""
    return bool(why) and not why.startswith(_PLAIN)


def may_claim(why: str) -> bool:
    """Return whether an answer to a message may say that something was done: to all but greetings."""
    return bool(why) and why not in (_GREETS, _SMALL_TALK)


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known around a message. `asks` and `is_ack` are the classifier's, who is not told of a mention."""

    asks: bool = False
    is_ack: bool = False
    unmarked: bool = False
    """It asks by its form, and lacks nothing but the mark."""
    thanks: bool = False
    """It thanks, and neither asks nor tells of a problem."""
    order: Order | None = None
    """The order that it gives by the words of the templates."""
    several: Several | None = None
    """The orders that it gives beside each other, or beside a question."""
    subject: Subject = field(default_factory=Subject)
    """What it speaks of."""
    may_order: bool = False
    """True if its author may give orders about the bot's work, or it names a project."""
    names_project: bool = False
    """True if it names a project of the bot's."""
    speaks_of_bot: bool = False
    """It is said to somebody else, and only names the bot."""
    order_words: bool = False
    """It is made of nothing but words of orders, and no rule knows which it is."""
    open_question: bool = False
    """It stands in the thread of a question that is open; in a direct message, of any question of theirs."""
    settles: bool = False
    """It says that its author's own question, in whose thread it stands, is settled."""
    closing: Closing | None = None
    """The questions of its author's that it settles, wherever it stands."""
    calls_off: bool = False
    """It only calls something off, and what its author asked for here last has ended already."""
    own_thread: bool = False
    """Its author asked the question of its thread, be it open or closed."""
    asks_again: bool = False
    """Below an answer to its author's question it asks, or tells of what is still wrong."""
    conversation: bool = False
    """It stands in a thread in which the chat agent has answered."""
    notes: bool = False
    """It opens a thread that takes the notes of a project, or stands in one."""


def door(said: str, *, words: DoorWords, where: Place, mentioned: bool, role: Role, around: Signals) -> Door:
    """Who a person's message is for. `said` is its text without the mention of the bot."""
    if where != "direct" and not mentioned:
        return Door("triage" if where == "watched" else "nobody", "it does not mention the bot")
    if around.notes:
        return Door("chat", "it is for the notes of a project")
    if not said.strip():
        return Door("pointer", "it says nothing but the bot's name")
    if around.speaks_of_bot:
        return Door("pointer", "it is said to somebody else")
    if around.settles:
        return Door("thanks", "it settles its author's question")
    if closes := _closing(around):
        return closes
    if around.own_thread and role == "member" and around.order and around.order.command == "restart_task":
        return Door("triage", "it asks its author's question again")
    if around.order and may_be_order(around.order, role):
        order = _as_said_by(role, around.order)
        return Door("command" if order.command else "chat", "an order about the bot's own work", order)
    if around.several:
        return Door("several", "it asks for more than one thing", several=_all_as_said_by(role, around.several))
    is_within = around.open_question or around.own_thread
    text = prose(marked(said) if around.unmarked and not is_within else said)
    return _direct(text, words, role, around) if where == "direct" else _channel(text, words, where, around)


def _closing(around: Signals) -> Door | None:
    """What settles questions of its author's: in the middle of something else only those that it names."""
    if around.calls_off:
        return Door("settles", "nothing of its author's is under way")
    closing, is_within = around.closing, around.conversation or around.open_question
    is_order = around.order is not None and around.order.settles
    if is_order or (closing is not None and (closing.is_named or not is_within)):
        return Door("settles", "it settles a question of its author's", around.order, closing=closing)
    return None


def may_be_order(order: Order, role: Role) -> bool:
    """Return whether it is no question, and no small talk: a member who wants to see code asks for it."""
    return role != "member" or (order.command not in _OF_CODE and not order.is_small_talk)


def _as_said_by(role: Role, order: Order) -> Order:
    """The order as whoever gives it may: that of members takes no input."""
    return order.evolve(command=order.of_members, given={}) if role == "member" and order.of_members else order


def _all_as_said_by(role: Role, several: Several) -> Several:
    return replace(several, orders=tuple(_as_said_by(role, order) for order in several.orders))


def _channel(said: str, words: DoorWords, where: Place, around: Signals) -> Door:
    if common := _anywhere(said, words, around):
        return common
    if around.conversation:
        return _in_conversation(said, around)
    if words.is_greeting(said):
        return Door("chat", _GREETS)
    if where == "unwatched" and around.may_order and _orders(said):
        return Door("chat", NO_QUESTION)
    if where in ("silent", "unwatched"):
        return Door("pointer", f"this channel is {'silent' if where == 'silent' else 'not watched'}")
    if only_points(said) or (_tells(said) and not around.asks):
        return Door("unsure" if around.subject.is_told else "chat", NO_QUESTION)
    if _names_nothing(said, around):
        return Door("unsure", UNSURE)
    return Door("triage", TAKEN[0] if around.asks else TAKEN[1])


def names_code(said: str) -> bool:
    """Return whether a text names what stands in code, or in what it says, beside people and channels."""
    return bool(_NAMES_CODE.search(_ELEMENT.sub(" ", said)))


def _names_nothing(said: str, around: Signals) -> bool:
    """Return whether a short text that asks says nothing by which it could be about the code."""
    is_short = len(said.split()) <= MOST_WORDS and (around.asks or bool(_ASKS.search(said)))
    return is_short and not names_code(said) and not around.subject.tells(asks=around.asks)


def _orders(said: str) -> bool:
    """Return whether whoever may order something neither asks nor names code; a longer order gives its reason."""
    return not (_ASKS.search(said) or _SHOWS.match(said) or _NAMES_CODE.search(said))


def _may_order(said: str, around: Signals) -> bool:
    """Return whether whoever may give orders wants something done: no question, and no fault of anything told from
    outside."""
    is_question = _ASKS.search(said) or around.subject.holds or around.subject.opens or _SHOWS.match(said)
    if is_question or _NAMES_CODE.search(said) or around.subject.states:
        return False
    return said.split()[0].lower() not in STOP - _POLITE


def _tells(said: str) -> bool:
    """Return whether a short text neither asks, in any script, nor wants to be shown something, nor names any code."""
    is_question = _ASKS.search(said) or _SHOWS.match(said) or _NAMES_CODE.search(said)
    return not is_question and 0 < len(said.split()) <= MOST_WORDS


def _direct(said: str, words: DoorWords, role: Role, around: Signals) -> Door:
    if common := _anywhere(said, words, around):
        return common
    if around.conversation:
        return _in_conversation(said, around)
    if words.is_greeting(said):
        return Door("chat", _GREETS)
    if words.proposes(said) and not _NAMES_CODE.search(said):
        return Door("chat", "it proposes to do something")
    if around.is_ack or only_points(said):
        return Door("chat", NOTHING_OF_IT)
    if around.asks and _names_nothing(said, around):
        return Door("unsure", UNSURE)
    if around.asks and role != "member" and _may_order(said, around):
        return Door("unsure", "it may be an order")
    if around.asks or (_ASKS.search(said) and around.subject.is_plain):
        return Door("triage", TAKEN[0])
    may_ask = around.subject.is_told or (around.subject.words and _ASKS.search(said))
    return Door("unsure" if may_ask else "chat", NOTHING_OF_IT)


def only_points(said: str) -> bool:
    """Return whether a short text asks of something that was said before, and names nothing: `is that normal?`."""
    words = {word.strip("?.!,\u00bf\u061f") for word in said.split()}
    if len(words) <= 2 and not _MAY_BE_CODE.search(said):
        return True
    return len(words) <= _FEWEST and not words.isdisjoint(POINTING) and not _NAMES_CODE.search(said)


def _anywhere(said: str, words: DoorWords, around: Signals) -> Door | None:
    """What counts in a channel as in a direct message, before all else."""
    if words.is_order(said):
        return Door("chat", "an order about the bot's own work")
    is_ack = around.is_ack and not around.conversation and not words.is_greeting(said)
    if is_ack or ((around.thanks or words.thanks(said)) and len(said.split()) <= MOST_WORDS):
        return Door("thanks", "it thanks or agrees")
    if around.open_question:
        if words.is_alone(said):
            return Door("chat", "a word of the bot's own")
        if not around.own_thread and _is_beside(said, words, around):
            return Door("unsure", "it is no part of the question above")
        return Door("triage", "it stands in the thread of a question")
    comes_back = around.own_thread and not around.conversation and not words.is_greeting(said)
    if comes_back and not _ASKS.search(said):
        return Door("triage", _COMES_BACK) if around.asks_again else Door("unsure", "it asks nothing below the answer")
    if around.order is not None and around.order.is_small_talk:
        return Door("chat", _SMALL_TALK)
    if words.is_about_bot(said) or around.order_words:
        return Door("chat", _GREETS if words.is_greeting(said) else "it is about the bot's own work")
    return Door("triage", _COMES_BACK) if comes_back else None


UNSURE, NO_QUESTION = "it asks, and names nothing of the code", "it neither asks nor names anything of the code"
NOTHING_OF_IT = "nothing in it asks about the code"
TAKEN = ("it asks about the code", "nothing says that it is an order")
_COMES_BACK = "it comes back to its author's question"


def _is_beside(said: str, words: DoorWords, around: Signals) -> bool:
    """Return whether words below somebody else's question are about the bot's work, an order of its own or no
    question."""
    if _ASKS.search(said):
        if words.is_about_bot(said) or around.order_words:
            return True
        is_of_project = around.names_project and around.subject.opens and not around.subject.count
        is_apart = around.subject.personal or is_of_project
        return is_apart and _names_nothing(said, around)
    return around.order_words or (around.may_order and not around.subject.states and _tells(said))


def _in_conversation(said: str, around: Signals) -> Door:
    """What follows in a conversation belongs to it, unless it plainly asks about the code."""
    if around.asks and _IDENTIFIER.search(said):
        return Door("triage", "it asks about the code")
    return Door("chat", "it goes on with a conversation")
