"""Tier 0 over what the commands read: the rules of the settings, and what the messages before tell of a thread.

`triage classify`, `replay` and `retrain` ask here, so that all three judge as the bot does.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from blocks.text import counted
from bot.adapters.weights_file import read_weights
from bot.config.classifier_rules import rules
from bot.config.paths import DEFAULT_CONFIG, named_config
from bot.decide.classify.classifier import compile_rules, explain
from bot.decide.classify.known_contexts import KnownContexts
from bot.models.context import MessageContext
from bot.models.line_message import Placed

if TYPE_CHECKING:
    from pathlib import Path

    from bot.decide.classify.channel_purpose import Purpose
    from bot.decide.classify.classifier import Classifier
    from bot.decide.classify.weights import ClassifierResult
    from bot.models.classification import Class
    from bot.models.line_message import LineMessage

REMEMBERED = 10_000
"""Questions whose asker is remembered."""

_NOBODY = "U0"
"""No Slack id: where the settings name no bot, nothing is a mention of it."""
_NOTHING = MessageContext()


class MessageClass(NamedTuple):
    """What the rules say of one message: the fields of a `Classification`, made many thousand times a second."""

    is_bot_mention: bool
    is_question: bool
    is_ack_or_emoji: bool
    is_internal_chatter: bool
    mentions_thread_with_inflight: bool
    classification: Class
    classifier_confidence: float
    judgement: ClassifierResult


class OfflineClassifier:
    """The rules, and what was said so far. Hand it messages in the order in which they were said."""

    def __init__(self, rules: Classifier) -> None:
        self.version = rules.version
        self.rules = rules
        self._contexts = KnownContexts()
        self._askers: OrderedDict[str, str] = OrderedDict()

    @property
    def groups(self) -> str | None:
        """The remark that the bot asks Slack who is in the user groups of those who answer, and the commands do not."""
        groups = sorted(member for member in self.rules.team_members if member.startswith("S"))
        if not groups:
            return None
        return (
            f"classifier.team_members names {counted(len(groups), 'user group')} ({', '.join(groups)}). Slack is not "
            "asked here who is in them, so nobody counts as of them; the bot does ask."
        )

    def judge(self, said: LineMessage) -> MessageClass:
        """What the rules say of the next message; its asker coming back to a thread finds it open."""
        placed = Placed(said)
        context = self.context_of(said, placed)
        judged = self.rules.judge(said.rules_text, context)
        if not judged.is_ack:
            self.learn(placed, judged)
        follows, mention = context.follows_up, context.mention
        if judged.classification == "actionable" and not said.by_bot and said.home:
            self._askers.setdefault(said.home, said.sender)
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

    def purpose_of(self, said: LineMessage) -> Purpose:
        """The purpose of the channel of a message."""
        return "help" if self.rules.is_for_help(said.channel, said.channel_name) else "discussion"

    def learn(self, placed: Placed, judged: ClassifierResult) -> None:
        """Note whether the message that was just judged asks on its author's behalf."""
        self._contexts.learn(placed, asks=judged.wants, actionable=judged.classification == "actionable")

    def context_of(self, said: LineMessage, placed: Placed) -> MessageContext:
        """What is known around the next message; of a bare text nothing is."""
        rules, sender = self.rules, said.sender
        mention = rules.bot_id in said.mentions
        for_help = bool(said.channel_name or rules.purposes) and rules.is_for_help(said.channel, said.channel_name)
        if not sender and not said.by_bot:
            begins = bool(said.channel or said.channel_name) and said.thread is None
            known = _NOTHING._replace(opens=begins) if begins else _NOTHING
            return known._replace(mention=mention, for_help=for_help) if mention or for_help else known
        known = self._contexts.context_of(placed, for_help=for_help)
        thread = said.thread
        follows = thread is not None and self._askers.get(thread) == sender
        if not (mention or follows or for_help or rules.team_members or said.by_bot):
            return known  # of most messages
        return known._replace(
            mention=mention,
            by_asker=known.by_asker or follows,
            asked_nothing=known.asked_nothing and not follows,
            by_team=sender in rules.team_members,
            by_alert_bot=said.by_bot and rules.may_ask((sender, *said.other_ids)),
            follows_up=follows,
            for_help=for_help,
            by_answerer=known.by_answerer and not rules.team_members,
        )


def reasons(found: MessageClass) -> list[dict[str, Any]]:
    """What spoke for the class, each with its weight."""
    return [{"feature": name, "weight": weight} for name, weight in found.judgement.features]


def sentence(found: MessageClass) -> str:
    """Why it is that class, in one sentence."""
    return explain(found.judgement)


def judging(option: Path | None, home: Path) -> OfflineClassifier:
    """Judging by the settings file that is named; without one, by `triage.yml` here or by the built-in rules.

    The weights are the home's own where it has any. Raises `Misconfigured` when the file that was named is not there,
    or says what it may not, or when the weights are broken.
    """
    named, table = named_config(option), read_weights(home)
    if not named and not DEFAULT_CONFIG.exists():
        return OfflineClassifier(compile_rules(bot_id=_NOBODY, table=table))
    from bot.config.settings import load  # without a file it is not needed, and takes as long to import as all the rest

    return OfflineClassifier(rules(load(named or DEFAULT_CONFIG), bot_id=_NOBODY, table=table))
