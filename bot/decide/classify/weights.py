"""Feature weights, and the sum that decides a message's class.

`measure/train.py` writes the packaged `weights.json`, `triage retrain` an installation's own. Two logistic regressions
use the same features: one for *actionable*, one for *ack*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from bot.decide.classify.features import AROUND, BIT, DERIVED, FOR_HELP, MASKS, TEXT, feature_names
from bot.decide.classify.help_channel_features import IN_HELP
from bot.errors import Misconfigured
from bot.models.context import MessageContext
from bot.models.weights import WeightTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.models.classification import Class
    from bot.models.weights import Regression

RULE_WEIGHT: Mapping[str, float] = {"bot_mention": 6.0, "alert": 4.0, "ack": -6.0, "by_bot": -6.0}
"""Weight shown for a rule among the reasons; a rule decides the class regardless of the sum."""

QUESTIONS = ("question_at_end", "question_inside", "question_opening", "question_phrase", "question_ending")
_ASKS = MASKS.mask_of(*QUESTIONS)
_QUESTION_MARKS = MASKS.mask_of("question_at_end", "question_inside")
_NOT_PLAIN = _QUESTION_MARKS | BIT["long"]
_NOT_TOLD = _QUESTION_MARKS | BIT["contrast"]
_OF_FIELD = {
    "asker_wrote_before": "asker_wrote_before", "by_team": "by_team", "opens": "opens", "is_away": "away",
    "spoke_lately": "spoke_lately", "is_new": "new_here", "own_talk": "own_talk", "anothers_talk": "anothers_talk",
    "by_answerer": "by_answerer", "for_help": "help_channel",
    "asked_nothing": "asked_nothing",
}  # fmt: skip
_AROUND = tuple(BIT[_OF_FIELD[name]] if name in _OF_FIELD else 0 for name in MessageContext._fields)
"""Bit of each context field that is a feature."""
_ONLY_ACK = MASKS.mask_of("ack_only", "wordless")


class ClassifierResult(NamedTuple):
    """Result of a classification, with reasons."""

    classification: Class
    confidence: float
    """Probability of the class by the weights, from 0 to 1."""
    features: tuple[tuple[str, float], ...]
    """Matching features with their weights towards *actionable* (for an ack by weights: towards *ack*), heaviest
    first."""
    is_question: bool
    is_ack: bool
    wants: bool = False
    """True if the words ask something for their author."""


@dataclass(frozen=True)
class Weights:
    """Weight table ready for classification. Build with `build_weights`."""

    table: WeightTable
    for_help: Regression
    """Regression for *actionable* for first messages in a help channel."""

    def classify(self, mask: int, context: MessageContext) -> ClassifierResult:
        """Classify the features of a text in its context."""
        fired = feature_names(mask | context_mask(context))
        actionable, ack = self.for_help if "asks_for_help" in fired else self.table.actionable, self.table.ack
        asks = bool(mask & _ASKS)
        chance = _chance(_score(actionable, fired))
        answers = "bare_answer" in fired and not context.mention
        plain = bool(mask & _ONLY_ACK) and not (answers or mask & _NOT_PLAIN)
        ack_chance = _chance(_score(ack, fired))
        is_weighted_ack = (
            not (answers or mask & _NOT_TOLD) and ack_chance >= ack.threshold and chance < actionable.threshold
        )
        rule = _rule(context, ack=plain or is_weighted_ack)
        if rule == "ack" and not plain:
            return ClassifierResult(
                "ack", round(ack_chance, 4), _weighted_features(ack, fired, None), asks, True, wants(fired)
            )
        if rule:
            chance = _chance(_score(actionable, fired) + RULE_WEIGHT[rule])
            verdict: Class = "ack" if rule == "ack" else "actionable" if RULE_WEIGHT[rule] > 0 else "ambient"
            sure = max(chance if verdict == "actionable" else 1 - chance, 0.5)
        else:
            verdict = "actionable" if chance >= actionable.threshold else "ambient"
            sure = chance if verdict == "actionable" else 1 - chance
        features = _weighted_features(actionable, fired, rule)
        if asks and verdict == "ambient" and not rule:
            features = (*features, ("weak_question", actionable.intercept))
        return ClassifierResult(verdict, round(sure, 4), features, asks, plain or is_weighted_ack, wants(fired))


def _score(line: Regression, fired: tuple[str, ...]) -> float:
    return line.intercept + sum(map(line.weights.get, fired, repeat(0.0)))


def _weighted_features(line: Regression, fired: tuple[str, ...], rule: str | None) -> tuple[tuple[str, float], ...]:
    counts = line.weights
    features = sorted(
        [(name, weight) for name in fired if (weight := counts.get(name))], key=lambda item: -abs(item[1])
    )
    return ((rule, RULE_WEIGHT[rule]), *features) if rule else tuple(features)


def _rule(context: MessageContext, *, ack: bool) -> str | None:
    """Return the rule that decides the class, if any."""
    if context.by_bot and not context.by_alert_bot:
        return "by_bot"
    if ack:
        return "ack"
    if context.mention:
        return "bot_mention"
    return "alert" if context.by_alert_bot else None


@lru_cache(maxsize=4_000)
def context_mask(context: MessageContext) -> int:
    """Return the mask of a context's features."""
    mask = sum(bit for value, bit in zip(context, _AROUND, strict=True) if value)
    if context.is_reply:
        mask |= BIT["own_thread"] if context.by_asker else BIT["reply_to_another"]
    return mask


def _chance(score: float) -> float:
    return 1 / (1 + math.exp(-max(score, -700.0)))  # beyond that no float holds it


@cache
def load_packaged_weights() -> WeightTable:
    """Load the packaged weights."""
    return WeightTable.model_validate_json((resources.files("bot.decide.classify") / "weights.json").read_bytes())


def build_weights(table: WeightTable) -> Weights:
    """Prepare a weight table for classification. Raises `Misconfigured` for an unknown feature name."""
    named = {*table.actionable.weights, *table.ack.weights, *table.help}
    strange = sorted(named - {*TEXT, *FOR_HELP, *AROUND, *DERIVED, *IN_HELP})
    if strange:
        raise Misconfigured(
            f"weights.json: {strange[0]}: expected the name of a feature; the file is of another version, and "
            "`triage retrain --undo` takes it away"
        )
    counts = table.actionable.weights
    adjusted = {name: round(counts.get(name, 0.0) + adjusted, 3) for name, adjusted in table.help.items()}
    return Weights(table, table.actionable.evolve(weights={**counts, **adjusted}))


_WANTING = frozenset({"whole_question", "question_phrase", "plain_request", "problem_told", "failure_shown"})
_WANTED_BACK = frozenset({"asks_back", "question_of_you", "rhetorical", "poll", "joke", "invitation", "pasted"})


def wants(fired: Iterable[str]) -> bool:
    """Return whether features show a message that asks something for its author, regardless of weights."""
    features = frozenset(fired)
    return not features.isdisjoint(_WANTING) and features.isdisjoint(_WANTED_BACK)
