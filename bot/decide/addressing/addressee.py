"""Addressee of a message to the bot: triage for questions about the code, a command, or the chat agent. Pure.

Words come from the language packs, orders from `decide/orders`. The rules are tried in the order of this module, and
each result has its reason. In doubt a channel's message goes to triage: an unwanted draft harms nobody, an unintended
order may. Every message to the bot has an addressee.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from bot.decide.addressing.words import MOST_WORDS
from bot.decide.classify.text import CODE, LINK, clean_text
from bot.decide.classify.unmarked_question import with_question_mark
from bot.decide.retrieval.stopwords import POINTING, STOP

if TYPE_CHECKING:
    from bot.decide.addressing.named_question import Closing
    from bot.decide.addressing.several_orders import Several
    from bot.decide.addressing.signals import Signals
    from bot.decide.addressing.words import AddressingWords
    from bot.models.order import Order, Place

To = Literal["triage", "command", "several", "chat", "unsure", "thanks", "settles", "pointer", "nobody"]
"""Addressees. `unsure` goes to the chat agent where there is one, and is asked back about otherwise; `thanks` gets an
emoji at most, `pointer` one line on the bot's use here, `settles` closes a question of its author, `several` asks for
more than one thing; `nobody` is a message that is not to the bot."""
ANYWHERE = ("triage", "chat", "unsure")
"""Addressees that a silent channel answers with a one-line pointer."""
Role = Literal["member", "operator", "admin"]

_IDENTIFIER = re.compile(rf"[{CODE}{LINK}]|\w_\w|\b\w+\.\w{{1,4}}:\d+|(?<![\w/])[\w/]+\.(?:py|js|ts|go|rs|java|yml)\b")
_NAMES_CODE = re.compile(rf"{_IDENTIFIER.pattern}|[\w)]\.\w|\d|\b\w*[a-z][A-Z]\w*|\b[A-Z]{{2,}}\b|\w-\w")
"""Text as found in code or its output: a name, a number, a word of capitals."""
_ELEMENT = re.compile(r"<[#@!][^<>]*>|[#@]\S+")
"""Mention of a person, a group or a channel."""
_CHANNEL = re.compile(r"\s*(?:<#[^<>]*>[\s.!]*|#[^\s#]+\s*)")
"""Name of a channel, and nothing else."""
_ASKS = re.compile(r"[?\uff1f\u061f]")
_SHOWS = re.compile(
    r"\W*(?:please |bitte )?(?:show|list|find|explain|describe|search|look|locate|compare|zeig|zeige|liste|finde"
    r"|erkläre|suche|montre|trouve|explique|cherche|muestra|busca|explica|mostre|mostra|busque|tampilkan|cari|jelaskan)\b",
    re.IGNORECASE,
)
"""Beginning of a request to show something."""
_MAY_BE_CODE = re.compile(rf"[A-Za-z0-9{CODE}{LINK}\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]")
"""Letter of code, or of a script without spaces."""
_FEWEST = 3
_POLITE = frozenset({"please", "kindly", "just", "now"})
_OF_CODE = frozenset({"read_file", "search_files"})


@dataclass(frozen=True, slots=True)
class Addressee:
    """Addressee of a message, with the reason as half a sentence."""

    to: To
    why: str
    order: Order | None = None
    """Order for a command."""
    several: Several | None = None
    """Parts of a text that asks for more than one thing."""
    closing: Closing | None = None
    """Questions of the author that the message settles."""


_PLAIN = ("a direct message", "it is for the notes of a project", "it goes on with a conversation", "nothing in it")
"""Beginnings of the reasons of messages that leave no choice of addressee."""
_GREETS, _SMALL_TALK = "it greets", "it is small talk"


def was_chosen(why: str) -> bool:
    """Return whether the addressee was a choice, so that the sender is told about it."""
    return bool(why) and not why.startswith(_PLAIN)


def may_claim(why: str) -> bool:
    """Return whether an answer to a message may claim that something was done; not for greetings and small talk."""
    return bool(why) and why not in (_GREETS, _SMALL_TALK)


def find_addressee(
    message: str, *, words: AddressingWords, where: Place, mentioned: bool, role: Role, around: Signals
) -> Addressee:
    """Find the addressee of a person's message. The text has no mention of the bot."""
    if where != "direct" and not mentioned:
        return Addressee("triage" if where == "watched" else "nobody", "it does not mention the bot")
    if around.is_about_notes:
        return Addressee("chat", "it is for the notes of a project")
    if not message.strip():
        return Addressee("pointer", "it says nothing but the bot's name")
    if around.speaks_of_bot:
        return Addressee("pointer", "it is addressed to somebody else")
    if around.settles_question:
        return Addressee("thanks", "it settles its author's question")
    if closes := _find_closing_addressee(around):
        return closes
    if around.is_own_thread and role == "member" and around.order and around.order.command == "restart_task":
        return Addressee("triage", "it asks its author's question again")
    if around.order and may_be_order(around.order, role):
        order = _as_said_by(role, around.order)
        return Addressee("command" if order.command else "chat", "an order about the bot's own work", order)
    if around.several:
        return Addressee("several", "it asks for more than one thing", several=_all_as_said_by(role, around.several))
    is_within = around.has_open_question or around.is_own_thread
    text = clean_text(with_question_mark(message) if around.lacks_question_mark and not is_within else message)
    return _direct(text, words, role, around) if where == "direct" else _channel(text, words, where, around)


def _find_closing_addressee(signals: Signals) -> Addressee | None:
    """Return the addressee for a message that settles questions; inside a conversation only named ones."""
    if signals.calls_off:
        return Addressee("settles", "nothing of its author's is under way")
    closing, is_within = signals.closing, signals.is_conversation or signals.has_open_question
    is_order = signals.order is not None and signals.order.settles
    if is_order or (closing is not None and (closing.is_named or not is_within)):
        return Addressee("settles", "it settles a question of its author's", signals.order, closing=closing)
    return None


def may_be_order(order: Order, role: Role) -> bool:
    """Return whether it is an order; a member's request for code or small talk is none."""
    return role != "member" or (order.command not in _OF_CODE and not order.is_small_talk)


def _as_said_by(role: Role, order: Order) -> Order:
    """Return the order in the form allowed for the role; a member's form takes no input."""
    return order.evolve(command=order.of_members, arguments={}) if role == "member" and order.of_members else order


def _all_as_said_by(role: Role, several: Several) -> Several:
    return replace(several, orders=tuple(_as_said_by(role, order) for order in several.orders))


def _channel(text: str, words: AddressingWords, where: Place, signals: Signals) -> Addressee:
    if common := _apply_shared_rules(text, words, signals):
        return common
    if signals.is_conversation:
        return _in_conversation(text, signals)
    if words.is_greeting(text):
        return Addressee("chat", _GREETS)
    if where == "unwatched" and signals.may_order and _orders(text):
        return Addressee("chat", NO_QUESTION)
    if where in ("silent", "unwatched"):
        return Addressee("pointer", f"this channel is {'silent' if where == 'silent' else 'not watched'}")
    if only_points(text) or (_is_statement(text) and not signals.asks):
        return Addressee("unsure" if signals.subject.is_told else "chat", NO_QUESTION)
    if _names_nothing(text, signals):
        return Addressee("unsure", UNSURE)
    return Addressee("triage", QUESTION_REASONS[0] if signals.asks else QUESTION_REASONS[1])


def names_code(text: str) -> bool:
    """Return whether a text names code or its output, apart from people and channels."""
    return bool(_NAMES_CODE.search(_ELEMENT.sub(" ", text)))


def _names_nothing(text: str, signals: Signals) -> bool:
    """Return whether a short question has nothing that could be about the code."""
    is_short = len(text.split()) <= MOST_WORDS and (signals.asks or bool(_ASKS.search(text)))
    return is_short and not names_code(text) and not signals.subject.may_be_about_code(asks=signals.asks)


def _orders(text: str) -> bool:
    """Return whether a text by an author with permission is an order: no question, and no name of code."""
    return not (_ASKS.search(text) or _SHOWS.match(text) or _NAMES_CODE.search(text))


def _may_order(text: str, signals: Signals) -> bool:
    """Return whether a text by an author with permission wants something done: no question, no problem report."""
    is_question = (
        _ASKS.search(text) or signals.subject.has_question or signals.subject.begins_with_question or _SHOWS.match(text)
    )
    if is_question or _NAMES_CODE.search(text) or signals.subject.is_statement:
        return False
    return text.split()[0].lower() not in STOP - _POLITE


def _is_statement(text: str) -> bool:
    """Return whether a short text is a statement: no question in any script, no request to show, no name of code."""
    is_question = _ASKS.search(text) or _SHOWS.match(text) or _NAMES_CODE.search(text)
    return not is_question and 0 < len(text.split()) <= MOST_WORDS


def _direct(text: str, words: AddressingWords, role: Role, signals: Signals) -> Addressee:
    if common := _apply_shared_rules(text, words, signals):
        return common
    if signals.is_conversation:
        return _in_conversation(text, signals)
    if words.is_greeting(text):
        return Addressee("chat", _GREETS)
    if words.proposes(text) and not _NAMES_CODE.search(text):
        return Addressee("chat", "it proposes to do something")
    if signals.is_ack or only_points(text):
        return Addressee("chat", NOTHING_OF_IT)
    if signals.asks and _names_nothing(text, signals):
        return Addressee("unsure", UNSURE)
    if signals.asks and role != "member" and _may_order(text, signals):
        return Addressee("unsure", "it may be an order")
    if signals.asks or (_ASKS.search(text) and signals.subject.is_plain):
        return Addressee("triage", QUESTION_REASONS[0])
    may_ask = signals.subject.is_told or (signals.subject.words and _ASKS.search(text))
    return Addressee("unsure" if may_ask else "chat", NOTHING_OF_IT)


def only_points(text: str) -> bool:
    """Return whether a short question only points to something said before: `is that normal?`."""
    words = {word.strip("?.!,\u00bf\u061f") for word in text.split()}
    if len(words) <= 2 and not _MAY_BE_CODE.search(text):
        return True
    return len(words) <= _FEWEST and not words.isdisjoint(POINTING) and not _NAMES_CODE.search(text)


def _apply_shared_rules(text: str, words: AddressingWords, signals: Signals) -> Addressee | None:
    """Apply the rules that are the same in channels and direct messages, before all others."""
    if words.is_order(text):
        return Addressee("chat", "an order about the bot's own work")
    is_ack = signals.is_ack and not (signals.is_conversation or words.is_greeting(text) or _CHANNEL.fullmatch(text))
    if is_ack or ((signals.is_thanks or words.thanks(text)) and len(text.split()) <= MOST_WORDS):
        return Addressee("thanks", "it thanks or agrees")
    if signals.has_open_question:
        if words.is_alone(text):
            return Addressee("chat", "one of the bot's own words")
        if not signals.is_own_thread and _is_beside(text, words, signals):
            return Addressee("unsure", "it is not part of the question above")
        return Addressee("triage", "it is in the thread of a question")
    comes_back = signals.is_own_thread and not signals.is_conversation and not words.is_greeting(text)
    if comes_back and not _ASKS.search(text):
        return (
            Addressee("triage", _COMES_BACK)
            if signals.asks_again
            else Addressee("unsure", "it asks nothing below the answer")
        )
    if signals.order is not None and signals.order.is_small_talk:
        return Addressee("chat", _SMALL_TALK)
    if words.is_about_bot(text) or signals.has_order_words:
        return Addressee("chat", _GREETS if words.is_greeting(text) else "it is about the bot's own work")
    return Addressee("triage", _COMES_BACK) if comes_back else None


UNSURE, NO_QUESTION = "it asks, and names nothing of the code", "it neither asks nor names anything of the code"
NOTHING_OF_IT = "nothing in it asks about the code"
QUESTION_REASONS = ("it asks about the code", "nothing says that it is an order")
_COMES_BACK = "it comes back to its author's question"


def _is_beside(text: str, words: AddressingWords, signals: Signals) -> bool:
    """Return whether text below another person's question is about the bot's work, an order, or no question."""
    if _ASKS.search(text):
        if words.is_about_bot(text) or signals.has_order_words:
            return True
        is_of_project = signals.names_project and signals.subject.begins_with_question and not signals.subject.count
        is_apart = signals.subject.is_personal or is_of_project
        return is_apart and _names_nothing(text, signals)
    return signals.has_order_words or (signals.may_order and not signals.subject.is_statement and _is_statement(text))


def _in_conversation(text: str, signals: Signals) -> Addressee:
    """Keep a message in its conversation, unless it clearly asks about the code."""
    if signals.asks and _IDENTIFIER.search(text):
        return Addressee("triage", "it asks about the code")
    return Addressee("chat", "it goes on with a conversation")
