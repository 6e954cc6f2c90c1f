"""Classifier of a stream of messages, with thread context from the earlier ones of the same stream. Pure.

`triage classify`, `replay` and `retrain` and the comparison with the time before use it, so that all classify as the
bot does.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from bot.decide.classify.known_contexts import KnownContexts
from bot.models.context import MessageContext
from bot.models.line_message import MessagePosition

if TYPE_CHECKING:
    from bot.decide.classify.channel_purpose import Purpose
    from bot.decide.classify.classifier import Classifier
    from bot.decide.classify.weights import ClassifierResult
    from bot.models.classification import Class
    from bot.models.line_message import LineMessage

REMEMBERED = 10_000
"""Maximum number of questions whose asker is remembered."""

_NOTHING = MessageContext()


class MessageClass(NamedTuple):
    """Classification of one message: the fields of `Classification` in a faster type."""

    is_bot_mention: bool
    is_question: bool
    is_ack_or_emoji: bool
    is_internal_chatter: bool
    mentions_thread_with_inflight: bool
    classification: Class
    classifier_confidence: float
    judgement: ClassifierResult


class StreamClassifier:
    """Classifier with memory of earlier messages. Pass messages in the order in which they were sent."""

    def __init__(self, rules: Classifier) -> None:
        self.version = rules.version
        self.rules = rules
        self._contexts = KnownContexts()
        self._askers: OrderedDict[str, str] = OrderedDict()

    def judge(self, message: LineMessage) -> MessageClass:
        """Classify the next message; a follow-up by a thread's asker finds the thread open."""
        placed = MessagePosition(message)
        context = self.context_of(message, placed)
        judged = self.rules.classify_text(message.rules_text, context)
        if not judged.is_ack:
            self.learn(placed, judged)
        follows, mention = context.follows_up, context.mention
        if judged.classification == "actionable" and not message.by_bot and message.home:
            self._askers.setdefault(message.home, message.sender)
            if len(self._askers) > REMEMBERED:
                self._askers.popitem(last=False)
        return MessageClass(
            mention,
            judged.is_question,
            judged.is_ack,
            context.by_team and not (mention or follows),
            follows,
            judged.classification,
            judged.confidence,
            judged,
        )

    def purpose_of(self, message: LineMessage) -> Purpose:
        """Return the purpose of a message's channel."""
        return "help" if self.rules.is_for_help(message.channel, message.channel_name) else "discussion"

    def learn(self, placed: MessagePosition, judged: ClassifierResult) -> None:
        """Record if the last classified message asks on its author's behalf."""
        self._contexts.learn(placed, asks=judged.wants, actionable=judged.classification == "actionable")

    def context_of(self, message: LineMessage, placed: MessagePosition) -> MessageContext:
        """Return the context of the next message; of a bare text nothing is known."""
        rules, sender = self.rules, message.sender
        mention = rules.bot_id in message.mentions
        for_help = bool(message.channel_name or rules.purposes) and rules.is_for_help(
            message.channel, message.channel_name
        )
        if not sender and not message.by_bot:
            begins = bool(message.channel or message.channel_name) and message.thread is None
            context = _NOTHING._replace(opens=begins) if begins else _NOTHING
            return context._replace(mention=mention, for_help=for_help) if mention or for_help else context
        context = self._contexts.context_of(placed, for_help=for_help)
        thread = message.thread
        follows = thread is not None and self._askers.get(thread) == sender
        if not (mention or follows or for_help or rules.team_members or message.by_bot):
            return context  # the usual case
        return context._replace(
            mention=mention,
            by_asker=context.by_asker or follows,
            asked_nothing=context.asked_nothing and not follows,
            by_team=sender in rules.team_members,
            by_alert_bot=message.by_bot and rules.may_ask((sender, *message.other_ids)),
            follows_up=follows,
            for_help=for_help,
            by_answerer=context.by_answerer and not rules.team_members,
        )
