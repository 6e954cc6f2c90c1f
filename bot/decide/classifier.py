"""Tier 0: which messages deserve attention, by rules alone (spec 1, 3.2). No model, no cost.

Called by `intake/watcher` for each new message. Patterns that a team configures run in re2, which always ends.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import re2

from bot.errors import Misconfigured
from bot.models.classification import Class, Classification

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.message import Message

RULES = 1
"""Raised whenever the rules in this module change; part of `classifier_version`."""

MAX_ACK_CHARS = 30
DEFAULT_ACK_PATTERNS = (
    r"(ok|okay|k|kk|alright|all right|noted|lgtm|looks good|got it|(makes|that makes) (perfect )?sense|i see|ah|oh)",
    r"(yes|yep|yeah|no|nope|right|agreed|fine|same|\+1|perfect|great|nice|cool|awesome|sure|done|will do|on it)",
    r"(thanks|thank you|thanks a lot|many thanks|ty|tyvm|thx|cheers|np|no worries|(you'?re )?welcome)",
    r"(hi|hey|hello|bye|(good )?(morning|night))",
)
DEFAULT_QUESTION_KEYWORDS = (
    "how", "what", "where", "when", "why", "which", "who", "can someone", "can anyone", "could someone",
    "could anyone", "does anyone", "is there", "are there", "any idea", "any ideas", "anyone know",
)  # fmt: skip

_MENTION = re2.compile(r"@[UW][A-Z0-9]{2,}")
_SHORTCODE = re2.compile(r":[a-z0-9_+'-]+:")
_CODE = re2.compile(r"(?s)```.*?```|`[^`\n]*`")
_URL = re2.compile(r"https?://\S+")
_WORDLESS = re2.compile(r"[^\pL\pN]*")


@dataclass(frozen=True)
class Classifier:
    """The rules, compiled once. Make one with `compile_rules`."""

    bot_id: str
    version: str
    _ack: re2._Regexp  # re2 ships no public name for its pattern type
    _question: re2._Regexp  # as above

    def classify(self, message: Message, *, thread_is_open: bool, at: datetime) -> Classification:
        """The classification fields for one message; `thread_is_open` says whether its thread has work outstanding."""
        text = message.content.encode("utf-8", "replace").decode()
        mention = self.bot_id in message.mentions
        bare = _SHORTCODE.sub(" ", _MENTION.sub(" ", text)).strip()
        ack = self._is_ack(bare)
        question = self._is_question(bare)
        verdict, confidence = _settle(mention=mention, ack=ack, question=question, open_thread=thread_is_open)
        if message.sender.type == "bot" and not ack:
            verdict, confidence = "ambient", 0.9
        return Classification(
            is_bot_mention=mention,
            is_question=question,
            is_ack_or_emoji=ack,
            is_internal_chatter=False,
            mentions_thread_with_inflight=thread_is_open,
            classification=verdict,
            classifier_confidence=confidence,
            classifier_version=self.version,
            classified_at=at,
        )

    def _is_ack(self, bare: str) -> bool:
        if "?" in bare:
            return False
        return bool(_WORDLESS.fullmatch(bare)) or (len(bare) < MAX_ACK_CHARS and bool(self._ack.fullmatch(bare)))

    def _is_question(self, bare: str) -> bool:
        prose = _URL.sub(" ", _CODE.sub(" ", bare)).strip()
        return prose.rstrip(" )*_~\"'").endswith(("?", "\uff1f")) or bool(self._question.search(prose))


def compile_rules(
    *,
    bot_id: str,
    ack_patterns: Sequence[str] = DEFAULT_ACK_PATTERNS,
    question_keywords: Sequence[str] = DEFAULT_QUESTION_KEYWORDS,
) -> Classifier:
    """A classifier for these rules. Raises `Misconfigured`, naming the pattern, when one does not compile."""
    rules = json.dumps([RULES, list(ack_patterns), list(question_keywords)])
    for pattern in ack_patterns:
        compile_pattern(pattern)
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    ack = "|".join(f"(?:{pattern})" for pattern in ack_patterns) or r"[^\s\S]"
    words = "|".join(re2.escape(word) for word in question_keywords) or r"[^\s\S]"
    return Classifier(
        bot_id=bot_id,
        version=hashlib.sha256(rules.encode()).hexdigest()[:12],
        _ack=re2.compile(rf"(?:{ack})(?:[^\pL\pN]+(?:{ack}))*[^\pL\pN]*", options),
        _question=re2.compile(rf"(?:^|[^\pL\pN])(?:{words})(?:[^\pL\pN]|$)", options),
    )


def compile_pattern(pattern: str) -> None:
    """Compile one configured pattern, as a check. Raises `Misconfigured` with the pattern and the reason."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as problem:
        raise Misconfigured(f"{pattern!r} is no re2 pattern: {_reason(problem)}") from problem


def _reason(problem: Exception) -> str:
    said = problem.args[0] if problem.args else problem
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def _settle(*, mention: bool, ack: bool, question: bool, open_thread: bool) -> tuple[Class, float]:
    if ack:
        return "ack", 0.9
    if mention:
        return "actionable", 0.95
    if open_thread:
        return "actionable", 0.7
    if question:
        return "actionable", 0.7
    return "ambient", 0.6
