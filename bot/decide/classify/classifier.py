"""Tier 0 classifier: selects the messages that need attention (spec 1, 3.2), without model, network or cost, and with
reasons.

A message's text is cleaned (`decide/classify/text`), its features are extracted (`decide/classify/features`), and
weights decide the class (`decide/classify/weights`). Patterns that a team configures run in re2, which takes linear
time.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import re2

from bot.decide.classify import language_packs, opening_words
from bot.decide.classify.channel_purpose import Purpose, purpose_of
from bot.decide.classify.feature_extractor import FeatureExtractor
from bot.decide.classify.features import REASONS, feature_names
from bot.decide.classify.text import clean_text, has_own_words
from bot.decide.classify.weights import build_weights, load_packaged_weights
from bot.errors import Misconfigured
from bot.models.classification import Classification, Reason
from bot.models.contents import ATTACHED
from bot.models.context import MessageContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from bot.decide.classify.weights import ClassifierResult, Weights
    from bot.models.classification import Class
    from bot.models.message import Message
    from bot.models.weights import WeightTable

RULES = 12
"""Version of the rules in code, part of `classifier_version`: increment it with every change of them."""

MEMORY = 20_000
"""Maximum number of cached results; a full cache is cleared."""

_WORD = re.compile(r"[^\W_]")
_CLOSING = frozenset({"resolved", "thanks_alone"})
"""Features of a message that closes a conversation, whatever is attached to it."""

_with_moment = tuple.__new__
"""Constructor of a `Classification` from its fields in order, in half the time of the class call."""

_Verdict = tuple[bool, bool, bool, bool, bool, "Class", float, str, tuple[Reason, ...], bool]
"""Fields of a `Classification` in order, without the timestamp."""

MessageFeatures = tuple[int, MessageContext]
"""Mask of a text's features, and the message's context."""


@dataclass(frozen=True)
class Classifier:
    """Compiled rules. Build with `compile_rules`."""

    bot_id: str
    version: str
    alert_bots: frozenset[str]
    team_members: frozenset[str]
    extractor: FeatureExtractor
    weights: Weights
    purposes: Mapping[str, Purpose] = field(default_factory=dict)
    """Purposes of channels from the settings; other channels' purposes come from their names."""
    _results: dict[MessageFeatures, ClassifierResult] = field(default_factory=dict, repr=False)
    _reasons: dict[tuple[str, float], Reason] = field(default_factory=dict, repr=False)
    _verdicts: dict[MessageFeatures, _Verdict] = field(default_factory=dict, repr=False)

    def classify_text(self, text: str, context: MessageContext = MessageContext()) -> ClassifierResult:  # noqa: B008  # a named tuple never changes
        """Classify a text in its context in microseconds, without visible side effects; raises nothing."""
        features = self.extract_features(text, context)
        return self._results.get(features) or self._classify_features(features)

    def extract_features(self, text: str, context: MessageContext) -> MessageFeatures:
        """Extract the features of a text, from its author's own words if they are decisive, else from all of it.

        A question remains one with a picture attached, and thanks for a shared question are not a question. A program's
        message is read as one text.
        """
        if context.for_help and text.startswith("[") and not has_own_words(text):
            context = context._replace(for_help=False)  # only a picture, even in a help channel
        if ATTACHED not in text:
            return self.extractor.extract(clean_text(text), for_help=context.for_help), context
        own, attached, rest = text.partition(ATTACHED)
        cleaned_text = clean_text(own) if attached and not context.by_bot else ""
        if _WORD.search(cleaned_text):
            features = (self.extractor.extract(cleaned_text, for_help=context.for_help), context)
            result = self._classify_features(features)
            closes = result.is_ack or not _CLOSING.isdisjoint(feature_names(features[0]))
            if closes or result.classification == "actionable":
                return features
        cleaned_text = clean_text(f"{own}\n{rest}" if attached else text)
        return self.extractor.extract(cleaned_text, for_help=context.for_help), context

    def classify(
        self,
        message: Message,
        *,
        thread_is_open: bool,
        at: datetime,
        context: MessageContext = MessageContext(),  # noqa: B008  # as above
    ) -> Classification:
        """Classify a message; `thread_is_open` tells that its thread has outstanding work.

        Facts from the message itself (mention, author, reply) are added to `context`.
        """
        features = self.extract_features(message.rules_text, self._complete_context(message, context, thread_is_open))
        verdict = self._verdicts.get(features)
        if verdict is None:
            verdict = self._verdicts[features] = self._verdict(features)
        return _with_moment(Classification, (*verdict, at))

    def _classify_features(self, features: MessageFeatures) -> ClassifierResult:
        result = self._results.get(features)
        if result is None:
            if len(self._results) >= MEMORY:
                self._results.clear()
                self._verdicts.clear()
            result = self._results[features] = self.weights.classify(*features)
        return result

    def _verdict(self, features: MessageFeatures) -> _Verdict:
        result, context = self._classify_features(features), features[1]
        return (
            context.mention,
            result.is_question,
            result.is_ack,
            context.by_team and not (context.mention or context.follows_up),
            context.open_investigation,
            result.classification,
            result.confidence,
            self.version,
            tuple([self._reason(*feature) for feature in result.features]),
            result.wants,
        )

    def _reason(self, name: str, weight: float) -> Reason:
        reason = self._reasons.get((name, weight))
        if reason is None:
            reason = self._reasons[name, weight] = Reason(name, weight)
        return reason

    def _complete_context(self, message: Message, context: MessageContext, thread_is_open: bool) -> MessageContext:
        sender = message.sender
        is_bot = context.by_bot or sender.type == "bot"
        is_open = context.open_investigation or thread_is_open
        in_thread, team = context.is_reply or message.thread_id is not None, self.team_members
        for_help = self.is_for_help(message.chat_id, message.chat_name)
        adds = message.mentions or is_bot or is_open or for_help or team or context.for_help
        if not adds and in_thread == context.is_reply:
            return context  # the usual case
        (mention, _, by_asker, wrote_before, by_team, _, by_alert_bot, _, follows_up, opens, is_away, lately,
         is_new, own_talk, anothers_talk, by_answerer, _, idle) = context  # fmt: skip
        return MessageContext(
            mention or self.bot_id in message.mentions, in_thread, by_asker,
            wrote_before, by_team or sender.id in team, is_bot,
            by_alert_bot or (is_bot and self._may_open(message)), is_open, follows_up or (is_open and by_asker),
            opens, is_away, lately, is_new, own_talk, anothers_talk, by_answerer and not team, for_help,
            idle and not is_open,
        )  # fmt: skip

    def is_for_help(self, channel: str, name: str) -> bool:
        """Return whether a channel is a help channel."""
        return (self.purposes.get(channel) or purpose_of(name)) == "help"

    def _may_open(self, message: Message) -> bool:
        """Return whether a program's message may open a thread: not if it says that an alert is over."""
        is_over = message.alert is not None and message.alert.state != "firing" and not message.alert.is_weak
        return self.may_ask(message.sender.names) and not is_over

    def may_ask(self, names: Sequence[str]) -> bool:
        """Return whether a bot with one of these ids may open threads; Triage itself never may."""
        return self.bot_id not in names and not self.alert_bots.isdisjoint(names)


def explain(result: ClassifierResult | Classification) -> str:
    """Explain a classification in a sentence or two."""
    if isinstance(result, Classification):
        sure = result.classifier_confidence
        fired = [(reason.feature, reason.weight) for reason in result.reasons]
    else:
        sure, fired = result.confidence, list(result.features)
    reasons = [f"{REASONS.get(name, name)} ({name} {weight:+.2f})" for name, weight in fired]
    because = f"since {', '.join(reasons)}" if reasons else "since there is no evidence for another class"
    return f"{result.classification} at {sure:.0%}, {because}."


def compile_rules(
    *,
    bot_id: str,
    languages: Sequence[str] = (),
    ack_patterns: Sequence[str] = (),
    question_keywords: Sequence[str] = (),
    team_members: Sequence[str] = (),
    alert_bots: Sequence[str] = (),
    purposes: Mapping[str, Purpose] | None = None,
    table: WeightTable | None = None,
) -> Classifier:
    """Build a classifier with these language packs (all by default) and a team's own patterns and words.

    `table` holds the installation's own weights, if it has any. Raises `Misconfigured`, naming the pattern, the pack or
    the weight, when one cannot be used.
    """
    for pattern in ack_patterns:
        compile_pattern(pattern)
    extractor = _build_extractor(tuple(languages), tuple(ack_patterns), tuple(question_keywords))
    in_force = build_weights(table or load_packaged_weights())
    rules = json.dumps(
        [RULES, extractor.patterns, in_force.table.model_dump(exclude={"made_by"}), opening_words.digest()]
    )
    return Classifier(
        bot_id=bot_id,
        version=hashlib.sha256(rules.encode("utf-8", "backslashreplace")).hexdigest()[:12],
        alert_bots=frozenset(alert_bots),
        team_members=frozenset(team_members),
        extractor=extractor,
        weights=in_force,
        purposes=purposes or {},
    )


@cache
def _build_extractor(languages: tuple[str, ...], acks: tuple[str, ...], words: tuple[str, ...]) -> FeatureExtractor:
    return FeatureExtractor(language_packs.load(languages), acks=acks, question_words=words)


def compile_pattern(pattern: str) -> None:
    """Validate one configured pattern by compiling it. Raises `Misconfigured` with the pattern and the reason."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as problem:
        raise Misconfigured(f"{pattern!r} is not a valid re2 pattern: {_reason(problem)}") from problem
    except UnicodeEncodeError as problem:
        raise Misconfigured(f"{pattern!r} is not a valid re2 pattern: {problem.reason}") from problem


def _reason(problem: Exception) -> str:
    message = problem.args[0] if problem.args else problem
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
