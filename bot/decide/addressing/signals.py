"""Signals about a message that its addressee depends on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.addressing.subject import Subject

if TYPE_CHECKING:
    from bot.decide.addressing.named_question import Closing
    from bot.decide.addressing.several_orders import Several
    from bot.models.order import Order


@dataclass(frozen=True, slots=True)
class Signals:
    """Signals about a message and its context. `asks` and `is_ack` are from the classifier, which ignores the
    mention."""

    asks: bool = False
    is_ack: bool = False
    lacks_question_mark: bool = False
    """True if it is a question in form, without a question mark."""
    is_thanks: bool = False
    """True if it thanks, and neither asks nor reports a problem."""
    order: Order | None = None
    """Order that matches a template."""
    several: Several | None = None
    """Several orders, or an order beside a question."""
    subject: Subject = field(default_factory=Subject)
    """Subject of the message."""
    may_order: bool = False
    """True if its author may give orders about the bot's work, or it names a project."""
    names_project: bool = False
    """True if it names one of the bot's projects."""
    speaks_of_bot: bool = False
    """True if it is addressed to somebody else, and only names the bot."""
    has_order_words: bool = False
    """True if it has only words of orders, but matches no template."""
    has_open_question: bool = False
    """True if it is in the thread of an open question; in a direct message, if any of the author's questions is
    open."""
    settles_question: bool = False
    """True if it settles the author's own question, in its thread."""
    closing: Closing | None = None
    """Questions of the author that it settles, from any place."""
    calls_off: bool = False
    """True if it only cancels, and the author's last request here has already ended."""
    is_own_thread: bool = False
    """True if its author asked the question of the thread, open or closed."""
    asks_again: bool = False
    """True if it asks, or reports a problem, below an answer to its author's question."""
    is_conversation: bool = False
    """True if it is in a thread in which the chat agent has answered."""
    is_about_notes: bool = False
    """True if it opens a thread for notes of a project, or is in one."""
