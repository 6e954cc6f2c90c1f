"""Several requests in one message: orders, and perhaps a question about the code. Pure.

Either all parts are understood, or nothing is done: one half may depend on the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.orders.trimming import plain_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.order import Order

_SENTENCE = re.compile(r"(?<=[.!?;\u2026\u061f])\s+|\n+|(?<=[\u3002\uff01\uff1f])\s*")
_WORDS = (
    "and then|and also|and|then|plus|und dann|und|dann|et puis|et|puis|y luego|y|luego|e depois|e|dan|lalu|oraz|och|en"
    "|ve|\u0438|\u0442\u0430|\u0648"
)
_JOINED = re.compile(
    rf"(?:\s{{0,9}}[,;\u060c\u3001]\s*|\s{{1,9}})(?:{_WORDS})\s+|\s{{0,9}}[,\u060c\u3001]\s*|\s{{1,9}}[&+]\s+"
    r"|\s{0,9}(?:\u3001\u305d\u3057\u3066|\u3068)\s*",
    re.IGNORECASE,
)
"""Separator between two requests in one sentence."""
_BEGINS = re.compile(r"^(?:and|und|et|y|e|dan|then|also|plus)\s+", re.IGNORECASE)
MAX_PARTS = 5
"""Maximum of requests in one message."""
_JOINS = "and|or|also|plus|cc|hey|hi|hello|und|oder|hallo|et|ou|y|o|e|hola"
_LONGEST = 600
"""Maximum length of a message with several short requests, in characters."""


@dataclass(frozen=True, slots=True)
class Several:
    """Requests of a message, by part."""

    orders: tuple[Order, ...]
    question: str = ""
    """Parts that ask about the code."""
    left: tuple[str, ...] = ()
    """Parts that were not understood."""


def read_several(
    message: str,
    *,
    parse: Callable[[str], Order | None],
    asks: Callable[[str], bool],
    is_polite: Callable[[str], bool],
) -> Several | None:
    """Return the orders of a message with its other parts; `None` without an order among several parts.

    The other parts may be polite words alone: `all well? how is my question?`.

    `parse` reads an order, `asks` recognises a question about the code, `is_polite` thanks and greetings.
    """
    parse = cache(parse)
    text = plain_words(message)
    sentences = [part for part in _SENTENCE.split(text) if re.search(r"\w", part)] if len(text) <= _LONGEST else []
    if len(sentences) > 2 * MAX_PARTS:
        return None
    parts = [each for part in sentences for each in _split(part, parse, asks)]
    several = len(parts) > 1
    parts = [part for part in parts if parse(_strip_beginning(part)) or not is_polite(part)]
    if not several or len(parts) > MAX_PARTS:
        return None
    orders = [(part, parse(_strip_beginning(part))) for part in parts]
    understood = tuple(order for _, order in orders if order is not None and order.command)
    rest = [part for part, order in orders if order is None or not order.command]
    if not understood:
        return None
    questions = [part for part in rest if asks(_strip_beginning(part))]
    left = tuple(part for part in rest if part not in questions)
    return Several(orders=understood, question=" ".join(map(_strip_beginning, questions)), left=left)


def _split(sentence: str, parse: Callable[[str], Order | None], asks: Callable[[str], bool]) -> list[str]:
    """Split a sentence where each part is an order, or a question beside one; else return it whole."""
    if parse(_strip_beginning(sentence)):
        return [sentence]
    joins = [*_JOINED.finditer(sentence)]
    for join in joins if len(joins) <= 2 * MAX_PARTS else ():
        first, rest = sentence[: join.start()], sentence[join.end() :]
        if parse(_strip_beginning(first)):
            return [first, *_split(rest, parse, asks)]
        is_order = " " in rest.strip() and parse(_strip_beginning(rest)) is not None
        if is_order and asks(first):
            return [first, rest]
    return [sentence]


def _strip_beginning(part: str) -> str:
    return _BEGINS.sub("", part.strip())


def speaks_of(content: str, bot_id: str) -> bool:
    """Return whether a message that begins with another person's mention names the bot in mid-sentence."""
    return bool(
        re.match(
            rf"\W*@(?!{bot_id}\b)[UW][A-Z0-9]+\b[^.!?\n]*?(?<![@\w'])(?!(?:{_JOINS})\b)[^\W\d_]['\w]*\s+@{bot_id}\s+\w",
            content,
            re.IGNORECASE,
        )
    )
