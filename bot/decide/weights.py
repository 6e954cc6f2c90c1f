"""What each feature counts: `weights.json`, made by `measure/train.py`, and the sum that settles a message's class.

Called by `decide/classifier`. Two logistic regressions over the same features: one for *actionable*, one for *ack*.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Literal, NamedTuple

from bot.decide.features import AROUND, BIT, DERIVED, TEXT, names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.classification import Class
    from bot.models.context import Context

Column = Literal["actionable", "ack"]

RULE_WEIGHT: Mapping[str, float] = {"bot_mention": 6.0, "follow_up": 4.0, "alert": 4.0, "ack": -6.0, "by_bot": -6.0}
"""What a rule shows as its weight among the reasons; a rule settles the class whatever the sum."""

ASSUMED: Mapping[str, float] = {
    "problem_told": 1.0,
    "poll": -1.5,
    "tentative_answer": -2.0,
    "own_thread": 0.5,
    "reply_to_another": -1.0,
    "by_team": -1.5,
}
"""Weights of features that the labelled messages hardly show, since those come without threads and teams. Set by hand,
for *actionable* alone; a team's own corrections move them later."""

QUESTIONS = ("question_at_end", "question_inside", "question_opening", "question_phrase", "question_ending")
_ASKS = sum(BIT[name] for name in QUESTIONS)
_MARKED = BIT["question_at_end"] | BIT["question_inside"]
_ONLY_ACK = BIT["ack_only"] | BIT["wordless"]


class Judgement(NamedTuple):
    """What the rules say of a message, and why."""

    classification: Class
    confidence: float
    """The probability that the class is right, as the weights see it, from 0 to 1."""
    features: tuple[tuple[str, float], ...]
    """What fired, with its weight towards *actionable* (of an ack told by its weights: towards *ack*), weightiest
    first."""
    is_question: bool
    is_ack: bool


@dataclass(frozen=True)
class Weights:
    """A table of weights."""

    intercept: Mapping[Column, float]
    threshold: Mapping[Column, float]
    """The probability from which a message is of that class."""
    table: Mapping[Column, Mapping[str, float]]

    def settle(self, mask: int, context: Context) -> Judgement:
        """The judgement on the features of a text in its context."""
        fired = names(mask | _around(context))
        asks = bool(mask & _ASKS)
        chance = _chance(self._score("actionable", fired))
        plain = bool(mask & _ONLY_ACK) and not mask & (_MARKED | BIT["long"])
        ack_chance = _chance(self._score("ack", fired))
        told = not mask & _MARKED and ack_chance >= self.threshold["ack"] and chance < self.threshold["actionable"]
        rule = _rule(context, ack=plain or told)
        if rule == "ack" and not plain:
            return Judgement("ack", round(ack_chance, 4), self._shown("ack", fired, None), asks, True)
        if rule:
            chance = _chance(self._score("actionable", fired) + RULE_WEIGHT[rule])
            verdict: Class = "ack" if rule == "ack" else "actionable" if RULE_WEIGHT[rule] > 0 else "ambient"
            sure = max(chance if verdict == "actionable" else 1 - chance, 0.5)
        else:
            verdict = "actionable" if chance >= self.threshold["actionable"] else "ambient"
            sure = chance if verdict == "actionable" else 1 - chance
        return Judgement(verdict, round(sure, 4), self._shown("actionable", fired, rule), asks, plain or told)

    def _score(self, column: Column, fired: tuple[str, ...]) -> float:
        table = self.table[column]
        return self.intercept[column] + sum(table.get(name, 0.0) for name in fired)

    def _shown(self, column: Column, fired: tuple[str, ...], rule: str | None) -> tuple[tuple[str, float], ...]:
        table = self.table[column]
        shown = [(name, table.get(name, 0.0)) for name in fired]
        shown = sorted((item for item in shown if item[1]), key=lambda item: -abs(item[1]))
        return ((rule, RULE_WEIGHT[rule]), *shown) if rule else tuple(shown)


def _rule(context: Context, *, ack: bool) -> str | None:
    """The rule that settles the class, if one does."""
    if context.by_bot and not context.by_alert_bot:
        return "by_bot"
    if ack:
        return "ack"
    if context.mention:
        return "bot_mention"
    if context.follows_up or (context.open_investigation and context.by_asker):  # `judge` is given either
        return "follow_up"
    return "alert" if context.by_alert_bot else None


def _around(context: Context) -> int:
    mask = BIT["asker_wrote_before"] if context.asker_wrote_before else 0
    if context.is_reply:
        mask |= BIT["own_thread"] if context.by_asker else BIT["reply_to_another"]
    return mask | BIT["by_team"] if context.by_team else mask


def _chance(score: float) -> float:
    return 1 / (1 + math.exp(-score))


def load() -> Weights:
    """The weights of the repository."""
    return parse((resources.files("bot.decide") / "weights.json").read_text("utf-8"))


def parse(text: str) -> Weights:
    """The weights in a file's text. Raises `ValueError` when it names a feature that there is not."""
    data = json.loads(text)
    for column in ("actionable", "ack"):
        strange = set(data[column]["weights"]) - {*TEXT, *AROUND, *DERIVED}
        if strange:
            raise ValueError(f"weights for {', '.join(sorted(strange))}, which is no feature")
    return Weights(
        intercept={"actionable": data["actionable"]["intercept"], "ack": data["ack"]["intercept"]},
        threshold={"actionable": data["actionable"]["threshold"], "ack": data["ack"]["threshold"]},
        table={"actionable": {**ASSUMED, **data["actionable"]["weights"]}, "ack": data["ack"]["weights"]},
    )
