"""Orders in natural language: from a sentence to a command and its input, by rules. Pure.

A sentence is an order only where a template of a language matches all of it (`templates`), after politeness and
explanations are removed (`trimming`). With words left over or an unknown name, it is not an order: guessing would
do things that nobody asked for.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from bot.decide.letters import one_form
from bot.decide.orders.slots import OrderContext, read_slot
from bot.decide.orders.templates import load_templates
from bot.decide.orders.trimming import LONGEST, Trimmer, plain_words
from bot.decide.orders.typos import Speller
from bot.models.order import Order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.decide.orders.templates import Book, Template

__all__ = ["OrderContext", "OrderParser", "order_parser"]

LONGEST_TEXT = 12_000
MOST_WORDS = 10
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_COMMON = frozenset({"retry", "limit", "code", "source", "files", "file", "codebases", "repository", "repositories"})
"""Words of orders that are frequent in questions about code."""
_OWN = frozenset(
    {"approve", "approved", "approval", "draft", "drafts", "brief", "triage", "operators", "investigations"}
)
_ASKS_CODE = frozenset({"where", "how", "why"})
_UNSPACED = frozenset({"ja"})
_ENDS = " \t\n.!,"
_BEFORE_NAME = re.compile(r"^(?:for|in|to|für|im|pour|dans|para|en|em|di)\s+", re.IGNORECASE)
_STRICT_SLOTS = {"channel": "thechannel"}
"""Slots that match a name only beside a sign that it is one."""
OTHER = "other"
"""Name of orders in templates without a command, such as to approve a draft."""


@cache
def order_parser(languages: tuple[str, ...] = ()) -> OrderParser:
    """Return the parser of these languages, of all when none is named; built once per process."""
    return OrderParser(languages)


class OrderParser:
    """Parser of orders, by the templates of some languages."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        self._books = load_templates(languages)
        self._trimmers = [Trimmer(book, self._books) for book in self._books]
        words = {word for book in self._books if book.code == "en" for word in book.vocabulary}
        self._speller = Speller(words)
        self.vocabulary = frozenset(word for book in self._books for word in book.vocabulary)
        """Words that orders consist of, in all languages."""

    def warm(self) -> None:
        """Compile all templates, which takes a second; otherwise each is compiled on first use."""
        for book in self._books:
            for template in book.templates:
                _ = template.pattern

    def parse(self, message: str, context: OrderContext) -> Order | None:
        """Return the order that a text consists of; `None` for no order, or more than one."""
        text = plain_words(message)
        if not text or len(text) > LONGEST_TEXT:
            return None
        if order := self._parse_text(text, context):
            return order
        if len(text) > LONGEST:
            return None
        names = {*context.projects, *context.channels, *context.commands}
        alike = one_form(text)
        order = self._parse_text(alike, context) if alike != text else None
        if order is None:
            mended = self._speller.mend(alike, keep=names)
            order = self._parse_text(mended, context) if mended != alike else None
        return None if order and "content" in order.arguments else order

    def complete(self, order: Order, missing: str, message: str, context: OrderContext) -> Order | None:
        """Complete an order by the missing name, where a text consists of that name: `the shop project`.

        `missing` is the field of the order's input, which is also the slot's name.
        """
        text = plain_words(message).removeprefix(f"{missing}=").strip(_ENDS)
        texts = chain([text], *(trimmer.candidates(text) for trimmer in self._trimmers if len(text) <= LONGEST))
        names = (_BEFORE_NAME.sub("", each.strip(_ENDS)) for each in texts)
        slot = _STRICT_SLOTS.get(missing, missing)
        read = next((fields for name in names if name and (fields := read_slot(slot, name, context))), None)
        return order.evolve(arguments={**order.arguments, **read}) if read else None

    def has_only_their_words(self, message: str, context: OrderContext) -> bool:
        """Return whether a short text has only words of orders, and names of projects and channels.

        Such a text is not a question about code, though no template matches it: `shut everything down`. A question
        counts only where it is about things that only the bot has.
        """
        words = _WORD.findall(one_form(plain_words(message)).lower()) if len(message) <= LONGEST else []
        if not words or len(words) > MOST_WORDS or not _COMMON.isdisjoint(words):
            return False
        names = {part for name in (*context.projects, *context.channels) for part in _WORD.findall(name.lower())}
        rest = {word for word in words if len(word) > 2 and word not in names}
        asks = words[0] in _ASKS_CODE or "?" in message
        if asks and (words[0] in _ASKS_CODE or _OWN.isdisjoint(words)):
            return False
        return bool(rest) and any(rest <= book.vocabulary for book in self._books if book.code not in _UNSPACED)

    def _parse_text(self, text: str, context: OrderContext) -> Order | None:
        for trimmer, book in zip(self._trimmers, self._books, strict=True):
            for candidate in trimmer.candidates(text):
                if order := _match_templates(candidate, book, context):
                    return order
        return None


def _match_templates(text: str, book: Book, context: OrderContext) -> Order | None:
    """Return the order of the first template that matches a whole text."""
    for template in book.beginning_as(text):
        if template.place == ("apart" if context.in_question else "question"):
            continue
        if len(text) > LONGEST and not template.takes_text:
            continue
        if match := template.match(text):
            fields = _read_fields(template, match, context)
            if fields is None or (len(text) > LONGEST and "content" not in fields):
                continue
            if template.command == OTHER:
                return Order(command=None, decides=template.place == "decides")
            if template.command in context.commands:
                return _order(template, fields)
    return None


def _order(template: Template, fields: dict[str, str]) -> Order:
    """Return the order of a template; a settling order has the question's words instead of input."""
    if template.place == "settles":
        about, of_all = fields.get("text", ""), "all" in fields
        return Order(command=template.command, settles=True, about=about, of_all=of_all)
    return Order(
        command=template.command,
        arguments=fields,
        of_members=template.of_members or None,
        is_small_talk=template.place == "talk",
    )


def _read_fields(template: Template, match: re.Match[str], context: OrderContext) -> dict[str, str] | None:
    """Return the input of the command; `None` for an unknown name in a slot."""
    fields = dict(template.fixed)
    for name, value in _values(match):
        read = read_slot(name, value, context)
        if read is None:
            return None
        fields |= read
    return {**fields, **template.fixed}  # "unlink it from shop" names a project, which is not part of the input


def _values(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    return ((name.partition("_")[0], value.strip()) for name, value in match.groupdict().items() if value is not None)
