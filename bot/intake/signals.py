"""Signals: facts about a message to the bot, from the classifier and the threads, for `decide/addressing/addressee`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.addressing.addressee import Signals, may_be_order, only_points
from bot.decide.addressing.named_question import Closing, named_question
from bot.decide.addressing.several_orders import Several, read_several, speaks_of
from bot.decide.addressing.subject import read_subject
from bot.decide.classify.denial import outcome
from bot.decide.classify.features import names
from bot.decide.classify.own_mention import GOES_ON
from bot.decide.classify.text import prose
from bot.decide.classify.unmarked_question import lacks_its_mark
from bot.decide.retrieval.stopwords import POINTING
from bot.models.context import MessageContext
from bot.models.excerpts import excerpt
from bot.models.message import without_mention
from bot.models.order import Order
from bot.models.talk import is_direct

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bot.decide.addressing.subject import Subject
    from bot.decide.orders import Known
    from bot.intake.addressee import Doors
    from bot.models.message import Message
    from bot.models.named_question import OwnQuestion

ENDS_ALL = ("pause", "stop")
"""The commands that end what the whole bot does."""
_UNTIL = re.compile(
    r"\s(?:until|till|after|every|next|for (?:the next|about|\d|a|an|one|two|three))\b.*$", re.IGNORECASE | re.DOTALL
)
"""End or time of an order."""
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"\w[\w./-]*")
_FEW = 6
"""Maximum number of words of a message that only cancels something."""
_ASKS = re.compile(r"[?\uff1f\u061f]")
_MARKS = re.compile(r"[!\s]*[?\uff1f\u061f][?\uff1f\u061f!\s]*")


def read_signals(doors: Doors, message: Message, questions: Sequence[OwnQuestion]) -> Signals:
    """Collect the signals of a message. `questions` are its author's open ones."""
    direct, rules, sender = is_direct(message.chat_id), doors.team.classifier, message.sender.id
    whole = without_mention(_addressed(message.content, rules.bot_id), rules.bot_id)
    said = excerpt(whole)
    ordered = without_mention(_addressed(message.own_content, rules.bot_id), rules.bot_id)
    own = excerpt(ordered)  # a forwarded text gives no order
    judged = rules.judge(without_mention(excerpt(message.rules_text), rules.bot_id))
    again = rules.judge(without_mention(excerpt(message.rules_text), rules.bot_id), _BELOW_OWN)
    is_open = doors.threads.is_open(message.home)
    came = None if is_open else outcome(own)
    asks_again = came == "failed" or again.classification == "actionable"
    is_served = not is_open and "served" in dict(again.features) and not asks_again
    is_own = doors.threads.concerns(message.home, sender)
    known = replace(doors.known(), here=_here(message), in_question=is_open and message.thread_id is not None)
    subject = read_subject(said, **_small(doors, message, known))
    unmarked = lacks_its_mark(said, rules, subject)
    order = _read_order(doors, message, ordered, known) or _read_news(doors, own, questions, known)
    if order is None and is_open and is_own and message.thread_id is not None:
        asks = judged.classification == "actionable" and doors.words.is_about_bot(prose(said)) and not subject.words
        order = Order(command="mine") if asks or _asks_for_news(said, subject) else None
    several, order = _without_talk(doors, own, order, known)
    order, closing, calls_off = _read_call_off(doors, message, own, order, questions)
    return Signals(
        asks=judged.classification == "actionable" or unmarked,
        unmarked=unmarked,
        is_ack=judged.is_ack,
        thanks="thanks_alone" in names(rules.reader.read(prose(own))),
        order=order,
        several=several or (None if order else _read_several(doors, own, sender, known)),
        subject=subject,
        may_order=doors.people.role_of(sender) != "member" or _names_project(said, known),
        names_project=_names_project(said, known),
        speaks_of_bot=not direct and speaks_of(excerpt(message.content), rules.bot_id),
        order_words=doors.orders.has_only_their_words(own, known),
        open_question=is_open or (direct and is_own),
        settles=is_own and came not in ("failed", "unclear") and (_settles(doors, own) or is_served),
        closing=closing or _closing(doors, message, own, order, questions),
        calls_off=calls_off and closing is None and _has_just_asked(doors, message, is_own=is_own),
        own_thread=message.thread_id is not None and is_own,
        asks_again=asks_again,
        conversation=doors.conversations.goes_on_in(message.home),
        notes=doors.notes.takes_notes(message),
    )


def _here(message: Message) -> str:
    """Return the channel that `here` means: in a direct message the one that its author views, if any."""
    return message.page.channel_id if message.page else message.chat_id


def _asks_for_news(said: str, subject: Subject) -> bool:
    """Return whether an asker only asks for news below their own question: `ist da schon was?`, not `and why?`."""
    speaks = subject.count or subject.words or subject.opens or not _ASKS.search(said)
    return not (speaks or GOES_ON.match(said) or POINTING.intersection(_WORD.findall(said.lower())))


def _without_talk(doors: Doors, said: str, order: Order | None, known: Known) -> tuple[Several | None, Order | None]:
    """Replace an order without a command where no chat model is available.

    A decision on a draft becomes the `queue` command; an order with an end is not run, and the end is reported.
    """
    if order is None or order.command or doors.replies.can_talk():
        return None, order
    if order.decides:
        return None, order.evolve(command="queue", of_members="mine")
    timed = _UNTIL.search(said)
    begun = doors.orders.parse(said[: timed.start()], known) if timed else None
    if timed and begun and begun.command:
        return Several(orders=(begun,), left=(timed[0].strip(),)), None
    return None, order


def _small(doors: Doors, message: Message, known: Known) -> dict[str, Collection[str]]:
    """Return the words that are no subject of a message, for `read_subject`."""
    names = {*known.projects, *known.channels, *message.known_names.values()}
    return {
        "names": [name for name in names if name],
        "small": doors.words.small | doors.orders.vocabulary,
        "persons": doors.words.persons | POINTING,
    }


def _names_project(said: str, known: Known) -> bool:
    return not {word.lower() for word in _NAME.findall(said)}.isdisjoint(known.lower)


def channel_of(home: str) -> str:
    """Return the channel of a thread, by its id."""
    return home.split("-")[1]


def _read_order(doors: Doors, message: Message, said: str, known: Known) -> Order | None:
    """Return the order of a message, or the order that it completes with a name that the bot had asked for."""
    if unfinished := doors.replies.unfinished(message):
        order, missing = unfinished
        if completed := doors.orders.completed(order, missing, said, known):
            return completed
    return doors.orders.parse(said, known)


def _read_news(doors: Doors, said: str, questions: Sequence[OwnQuestion], known: Known) -> Order | None:
    """Return the order for the state of one's own questions, given by naming one or by marks alone (`???`)."""

    def asks_how(text: str) -> bool:
        order = doors.orders.parse(text, known)
        return order is not None and order.command == "mine" and not order.settles

    is_asked = questions and (_MARKS.fullmatch(said.strip()) or named_question(said, questions, asks_how))
    return Order(command="mine") if is_asked else None


def _addressed(content: str, bot_id: str) -> str:
    """Remove mentions of others right after a leading mention of the bot."""
    return re.sub(rf"^\s*(?:@{bot_id}\b[\s,:]*)+(?:@[UW][A-Z0-9]+\b[\s,:]*)+", "", content)


def _read_several(doors: Doors, said: str, sender: str, known: Known) -> Several | None:
    """Return the parts of a message that asks for more than one thing.

    A message understood only in part is left to the chat agent if there is one.
    """
    role, rules = doors.people.role_of(sender), doors.team.classifier

    def parse(part: str) -> Order | None:
        order = doors.orders.parse(part, known)
        return order if order and may_be_order(order, role) else None

    def is_polite(part: str) -> bool:
        plain = prose(part)
        if doors.words.is_greeting(plain) or doors.words.thanks(plain) or rules.judge(part).is_ack:
            return True
        order = doors.orders.parse(part, known)
        return role == "member" and order is not None and order.is_small_talk

    def asks(part: str) -> bool:
        if doors.orders.has_only_their_words(part, known):
            return False
        is_opening = "question_opening" in names(rules.reader.read(prose(part)))
        return is_opening or rules.judge(part).classification == "actionable"

    found = read_several(said, parse=parse, asks=asks, is_polite=is_polite)
    return None if found and found.left and doors.replies.can_talk() else found


def _settles(doors: Doors, said: str) -> bool:
    return doors.settling is not None and doors.settling.settles(said) == "closes"


_BELOW_OWN = MessageContext(is_reply=True, by_asker=True)


def _closing(
    doors: Doors, message: Message, said: str, order: Order | None, questions: Sequence[OwnQuestion]
) -> Closing | None:
    """Return the questions of its author that a message settles; cancelling counts in the same channel only."""
    if doors.words.calls_off(said):
        questions = [one for one in questions if channel_of(one.home) == message.chat_id]
    if not questions:
        return None

    def ends(text: str) -> bool:
        ordered = doors.orders.parse(text, doors.known())
        return _settles(doors, text) or bool(ordered and ordered.settles and not ordered.about)

    if order and order.of_all:
        return Closing(tuple(one.home for one in questions), is_named=True)
    if named := named_question(said, questions, ends):
        return Closing((named.home,), is_named=True)
    if (order and order.settles and not order.about) or _settles(doors, said):
        return Closing(_meant(doors, message, [one.home for one in questions]))
    is_vague = bool(order and order.settles) or (doors.settling is not None and doors.settling.speaks_of_it(said))
    return Closing() if is_vague else None


def _read_call_off(
    doors: Doors, message: Message, said: str, order: Order | None, questions: Sequence[OwnQuestion]
) -> tuple[Order | None, Closing | None, bool]:
    """Return the order, the questions that a call-off closes, and whether the text only calls something off."""
    if not _only_calls_off(doors, said, order):
        return order, None, False
    closing = _called_off(doors, message, questions)
    if closing and len(said.split()) > _FEW:  # "hold on, I forgot: it is about …" adds to the question
        return None, None, False
    return order, closing, True


def _only_calls_off(doors: Doors, said: str, order: Order | None) -> bool:
    """Return whether a message only cancels, naming nothing, not even the bot: `hold on`, `pause it`."""
    if doors.words.only_calls_off(said):
        return True
    is_of_all = order is not None and order.command in ENDS_ALL
    return is_of_all and (only_points(said) or not doors.words.names_all(said))


def _called_off(doors: Doors, message: Message, questions: Sequence[OwnQuestion]) -> Closing | None:
    """Return the author's open question at the message's place; in a direct message any of theirs there."""
    homes = [one.home for one in questions if channel_of(one.home) == message.chat_id]
    near = {message.home, doors.windows.question_before(message)} | ({*homes} if is_direct(message.chat_id) else set())
    if near.isdisjoint(homes):
        return None
    meant = _meant(doors, message, homes)
    return Closing(meant, is_named=bool(meant))


def _has_just_asked(doors: Doors, message: Message, *, is_own: bool) -> bool:
    """Return whether its author's last request here is already done."""
    is_own_thread = message.thread_id is not None and (is_own or doors.conversations.goes_on_in(message.home))
    return (
        is_own_thread
        or doors.windows.question_before(message) is not None
        or doors.conversations.has_just_answered(message)
    )


def _meant(doors: Doors, message: Message, homes: list[str]) -> tuple[str, ...]:
    """Return the one question that a message can mean by its place; none if several are possible.

    That of its thread, else its author's newest there, else their only one of the channel, or of all.
    """
    there = [home for home in homes if channel_of(home) == message.chat_id]
    for meant in ([message.home], [doors.windows.question_before(message)], there, homes):
        if len(meant) == 1 and meant[0] in homes:
            return (meant[0],)
    return ()
