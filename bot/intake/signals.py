"""Signals: facts about a message to the bot, from the classifier and the threads, for `decide/addressing/addressee`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.addressing.addressee import may_be_order, only_points
from bot.decide.addressing.named_question import Closing, find_named_question
from bot.decide.addressing.several_orders import Several, read_several, speaks_of
from bot.decide.addressing.signals import Signals
from bot.decide.addressing.subject import read_subject
from bot.decide.classify.denial import outcome
from bot.decide.classify.features import feature_names
from bot.decide.classify.own_mention import GOES_ON
from bot.decide.classify.text import clean_text
from bot.decide.classify.unmarked_question import lacks_question_mark
from bot.decide.retrieval.stopwords import POINTING
from bot.models.context import MessageContext
from bot.models.conversation_record import is_direct
from bot.models.excerpts import excerpt
from bot.models.message import without_mention
from bot.models.order import Order

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bot.decide.addressing.subject import Subject
    from bot.decide.classify.classifier import Classifier
    from bot.decide.classify.weights import ClassifierResult
    from bot.decide.orders import OrderContext
    from bot.intake.addressee import AddresseeRouter
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
_FEW = 6  # maximum number of words of a message that only cancels something
_ASKS = re.compile(r"[?\uff1f\u061f]")
_MARKS = re.compile(r"[!\s]*[?\uff1f\u061f][?\uff1f\u061f!\s]*")


def read_signals(
    router: AddresseeRouter, message: Message, questions: Sequence[OwnQuestion], *, edited: bool = False
) -> Signals:
    """Collect the signals of a message. `questions` are its author's open ones; the edit of one asks for no news of it.

    An edit completes no order, and a conversation that started with the message does not count.
    """
    questions = [] if edited and _is_open_question(router, message) else questions
    rules, sender = router.team.classifier, message.sender.id
    text = excerpt(without_mention(_strip_leading_mentions(message.content, rules.bot_id), rules.bot_id))
    ordered = without_mention(_strip_leading_mentions(message.own_content, rules.bot_id), rules.bot_id)
    own = excerpt(ordered)  # a forwarded text gives no order
    judged, below_own = _classify(message, rules)
    is_open = router.threads.is_open(message.home)
    came = None if is_open else outcome(own)
    asks_again = came == "failed" or below_own.classification == "actionable"
    is_served = not is_open and "served" in dict(below_own.features) and not asks_again
    is_own = router.threads.is_asker(message.home, sender)
    in_question = is_open and message.thread_id is not None
    known_names = replace(router.known_names(), here=_viewed_channel(message), in_question=in_question)
    subject = read_subject(text, **_collect_ignored_words(router, message, known_names))
    unmarked = lacks_question_mark(text, rules, subject)
    asks = judged.classification == "actionable"
    completed = None if edited else _complete_order(router, message, ordered, known_names)
    order = completed or router.orders.parse(ordered, known_names) or _read_news(router, own, questions, known_names)
    if order is None and in_question and is_own:
        order = _read_news_request(router, text, subject, asks=asks)
    several, order = _without_talk(router, own, order, known_names)
    order, closing, calls_off = _read_call_off(router, message, own, order, questions)
    return Signals(
        asks=asks or unmarked,
        lacks_question_mark=unmarked,
        is_ack=judged.is_ack,
        is_thanks="thanks_alone" in feature_names(rules.extractor.extract(clean_text(own))),
        order=order,
        several=several or (None if order else _read_several(router, own, sender, known_names)),
        subject=subject,
        may_order=router.people.role_of(sender) != "member" or _names_project(text, known_names),
        names_project=_names_project(text, known_names),
        speaks_of_bot=not is_direct(message.chat_id) and speaks_of(excerpt(message.content), rules.bot_id),
        has_order_words=router.orders.has_only_their_words(own, known_names),
        has_open_question=is_open or (is_direct(message.chat_id) and is_own),
        settles_question=is_own and came not in ("failed", "unclear") and (_settles(router, own) or is_served),
        closing=closing or _find_closing(router, message, own, order, questions),
        calls_off=calls_off and closing is None and _has_just_asked(router, message, is_own=is_own),
        is_own_thread=message.thread_id is not None and is_own,
        asks_again=asks_again,
        is_conversation=not (edited and message.thread_id is None) and router.conversations.is_active_in(message.home),
        is_about_notes=router.notes.takes_notes(message),
    )


def _classify(message: Message, rules: Classifier) -> tuple[ClassifierResult, ClassifierResult]:
    """Classify a message as it stands, and as a message below the author's own question."""
    text = without_mention(excerpt(message.rules_text), rules.bot_id)
    return rules.classify_text(text), rules.classify_text(text, _BELOW_OWN)


def _read_news_request(router: AddresseeRouter, text: str, subject: Subject, *, asks: bool) -> Order | None:
    """Return `mine` for a message in its author's own open thread that asks for news of it."""
    asks_about_bot = asks and router.words.is_about_bot(clean_text(text)) and not subject.words
    return Order(command="mine") if asks_about_bot or _asks_for_news(text, subject) else None


def _is_open_question(router: AddresseeRouter, message: Message) -> bool:
    """Return whether a message is, or belongs to, an open question."""
    return router.threads.is_open(router.threads.find_thread(message.chat_id, message.message_id) or message.home)


def _viewed_channel(message: Message) -> str:
    """Return the channel that `here` means: in a direct message the one that its author views, if any."""
    return message.page.channel_id if message.page else message.chat_id


def _asks_for_news(text: str, subject: Subject) -> bool:
    """Return whether an asker only asks for news below their own question: `ist da schon was?`, not `and why?`."""
    speaks = subject.count or subject.words or subject.begins_with_question or not _ASKS.search(text)
    return not (speaks or GOES_ON.match(text) or POINTING.intersection(_WORD.findall(text.lower())))


def _without_talk(
    router: AddresseeRouter, text: str, order: Order | None, known_names: OrderContext
) -> tuple[Several | None, Order | None]:
    """Replace an order without a command where no chat model is available.

    A decision on a draft becomes the `queue` command; an order with an end is not run, and the end is reported.
    """
    if order is None or order.command or router.replies.can_talk():
        return None, order
    if order.decides:
        return None, order.evolve(command="queue", of_members="mine")
    timed = _UNTIL.search(text)
    order_now = router.orders.parse(text[: timed.start()], known_names) if timed else None
    if timed and order_now and order_now.command:
        return Several(orders=(order_now,), left=(timed[0].strip(),)), None
    return None, order


def _collect_ignored_words(
    router: AddresseeRouter, message: Message, known_names: OrderContext
) -> dict[str, Collection[str]]:
    """Return the words that are not the subject of a message, for `read_subject`."""
    names = {*known_names.projects, *known_names.channels, *message.known_names.values()}
    return {
        "names": [name for name in names if name],
        "small": router.words.small | router.orders.vocabulary,
        "persons": router.words.persons | POINTING,
    }


def _names_project(text: str, known_names: OrderContext) -> bool:
    return not {word.lower() for word in _NAME.findall(text)}.isdisjoint(known_names.lower)


def channel_of(home: str) -> str:
    """Return the channel of a thread, by its id."""
    return home.split("-")[1]


def _complete_order(router: AddresseeRouter, message: Message, text: str, known_names: OrderContext) -> Order | None:
    """Return the order that a message completes with a name that the bot had asked for."""
    unfinished = router.replies.find_incomplete_order(message)
    return router.orders.complete(*unfinished, text, known_names) if unfinished else None


def _read_news(
    router: AddresseeRouter, own_text: str, questions: Sequence[OwnQuestion], known_names: OrderContext
) -> Order | None:
    """Return the order for the state of one's own questions, given by naming one or by marks alone (`???`)."""

    def asks_how(text: str) -> bool:
        order = router.orders.parse(text, known_names)
        return order is not None and order.command == "mine" and not order.settles

    is_asked = questions and (_MARKS.fullmatch(own_text.strip()) or find_named_question(own_text, questions, asks_how))
    return Order(command="mine") if is_asked else None


def _strip_leading_mentions(content: str, bot_id: str) -> str:
    """Remove mentions of others right after a leading mention of the bot."""
    return re.sub(rf"^\s*(?:@{bot_id}\b[\s,:]*)+(?:@[UW][A-Z0-9]+\b[\s,:]*)+", "", content)


def _read_several(router: AddresseeRouter, text: str, sender: str, known_names: OrderContext) -> Several | None:
    """Return the parts of a message that asks for more than one thing.

    A message understood only in part is left to the chat agent if there is one.
    """
    role, rules = router.people.role_of(sender), router.team.classifier

    def parse(part: str) -> Order | None:
        order = router.orders.parse(part, known_names)
        return order if order and may_be_order(order, role) else None

    def is_polite(part: str) -> bool:
        plain = clean_text(part)
        if router.words.is_greeting(plain) or router.words.thanks(plain) or rules.classify_text(part).is_ack:
            return True
        order = router.orders.parse(part, known_names)
        return role == "member" and order is not None and order.is_small_talk

    def asks(part: str) -> bool:
        if router.orders.has_only_their_words(part, known_names):
            return False
        is_opening = "question_opening" in feature_names(rules.extractor.extract(clean_text(part)))
        return is_opening or rules.classify_text(part).classification == "actionable"

    several = read_several(text, parse=parse, asks=asks, is_polite=is_polite)
    return None if several and several.left and router.replies.can_talk() else several


def _settles(router: AddresseeRouter, text: str) -> bool:
    return router.settling is not None and router.settling.settles(text) == "closes"


_BELOW_OWN = MessageContext(is_reply=True, by_asker=True)


def _find_closing(
    router: AddresseeRouter, message: Message, own_text: str, order: Order | None, questions: Sequence[OwnQuestion]
) -> Closing | None:
    """Return the questions of its author that a message settles; cancelling counts in the same channel only."""
    if router.words.calls_off(own_text):
        questions = [question for question in questions if channel_of(question.home) == message.chat_id]
    if not questions:
        return None

    def ends(text: str) -> bool:
        ordered = router.orders.parse(text, router.known_names())
        return _settles(router, text) or bool(ordered and ordered.settles and not ordered.about)

    if order and order.of_all:
        return Closing(tuple(question.home for question in questions), is_named=True)
    if named := find_named_question(own_text, questions, ends):
        return Closing((named.home,), is_named=True)
    if (order and order.settles and not order.about) or _settles(router, own_text):
        return Closing(_find_meant_question(router, message, [question.home for question in questions]))
    is_vague = bool(order and order.settles) or (router.settling is not None and router.settling.speaks_of_it(own_text))
    return Closing() if is_vague else None


def _read_call_off(
    router: AddresseeRouter, message: Message, text: str, order: Order | None, questions: Sequence[OwnQuestion]
) -> tuple[Order | None, Closing | None, bool]:
    """Return the order, the questions that a call-off closes, and whether the text only calls something off."""
    if not _only_calls_off(router, text, order):
        return order, None, False
    closing = _find_cancelled(router, message, questions)
    if closing and len(text.split()) > _FEW:  # "hold on, I forgot: it is about …" adds to the question
        return None, None, False
    return order, closing, True


def _only_calls_off(router: AddresseeRouter, text: str, order: Order | None) -> bool:
    """Return whether a message only cancels, naming nothing, not even the bot: `hold on`, `pause it`."""
    if router.words.only_calls_off(text):
        return True
    is_of_all = order is not None and order.command in ENDS_ALL
    return is_of_all and (only_points(text) or not router.words.names_all(text))


def _find_cancelled(router: AddresseeRouter, message: Message, questions: Sequence[OwnQuestion]) -> Closing | None:
    """Return the author's open question at the message's place; in a direct message any of theirs there."""
    homes = [question.home for question in questions if channel_of(question.home) == message.chat_id]
    near = {message.home, router.windows.question_before(message)} | ({*homes} if is_direct(message.chat_id) else set())
    if near.isdisjoint(homes):
        return None
    meant = _find_meant_question(router, message, homes)
    return Closing(meant, is_named=bool(meant))


def _has_just_asked(router: AddresseeRouter, message: Message, *, is_own: bool) -> bool:
    """Return whether its author's last request here is already done."""
    is_own_thread = message.thread_id is not None and (is_own or router.conversations.is_active_in(message.home))
    return (
        is_own_thread
        or router.windows.question_before(message) is not None
        or router.conversations.has_just_answered(message)
    )


def _find_meant_question(router: AddresseeRouter, message: Message, homes: list[str]) -> tuple[str, ...]:
    """Return the one question that a message can mean by its place; none if several are possible.

    That of its thread, else its author's newest there, else their only one of the channel, or of all.
    """
    channel_homes = [home for home in homes if channel_of(home) == message.chat_id]
    for meant in ([message.home], [router.windows.question_before(message)], channel_homes, homes):
        if len(meant) == 1 and meant[0] in homes:
            return (meant[0],)
    return ()
