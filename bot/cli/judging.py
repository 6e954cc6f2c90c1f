"""Tier 0 over what the commands read: the rules of the settings, and what the messages before tell of a thread.

`triage classify`, `replay` and `retrain` ask here, so that all three judge as the bot does.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from bot.decide.classifier import compile_rules
from bot.environment import DEFAULT_CONFIG, Environment
from bot.settings import Settings, load

if TYPE_CHECKING:
    from pathlib import Path

    from bot.decide.classifier import Classifier
    from bot.models.classification import Class
    from bot.models.message import Message
    from bot.models.said import Said

REMEMBERED = 10_000
"""Threads whose asker is remembered."""

_ANY_TIME = datetime.fromtimestamp(0, UTC)
"""The rules take the time along and do not look at it."""

_NOBODY = "U0"
"""No Slack id: where the settings name no bot, nothing is a mention of it."""


class Found(NamedTuple):
    """What the rules say of one message: the fields of a `Classification`, made many thousand times a second."""

    is_bot_mention: bool
    is_question: bool
    is_ack_or_emoji: bool
    is_internal_chatter: bool
    mentions_thread_with_inflight: bool
    classification: Class
    classifier_confidence: float


class _Sender:
    __slots__ = ("type",)

    def __init__(self, by_bot: bool) -> None:
        self.type = "bot" if by_bot else "user"


_SENDERS = (_Sender(False), _Sender(True))


class _Read:
    """What the rules read of a message; a `Message` takes longer to make than to judge."""

    __slots__ = ("content", "mentions", "sender")

    def __init__(self, said: Said) -> None:
        self.content = said.text
        self.mentions = said.mentions
        self.sender = _SENDERS[said.by_bot]


class Judging:
    """The rules, and who asked in which thread so far. Hand it messages in the order in which they were said."""

    def __init__(self, rules: Classifier) -> None:
        self.version = rules.version
        self._rules = rules
        self._askers: OrderedDict[str, str] = OrderedDict()

    def judge(self, said: Said) -> Found:
        """What the rules say of the next message; its asker coming back to a thread finds it open."""
        thread = said.thread
        is_open = thread is not None and bool(said.sender) and self._askers.get(thread) == said.sender
        found = self._rules.classify(cast("Message", _Read(said)), thread_is_open=is_open, at=_ANY_TIME)
        if found.classification == "actionable" and not said.by_bot and said.home:
            self._askers.setdefault(said.home, said.sender)
            if len(self._askers) > REMEMBERED:
                self._askers.popitem(last=False)
        return Found(
            found.is_bot_mention,
            found.is_question,
            found.is_ack_or_emoji,
            found.is_internal_chatter,
            found.mentions_thread_with_inflight,
            found.classification,
            found.classifier_confidence,
        )


def reasons(found: Found) -> list[dict[str, Any]]:
    """What spoke for the class, each with its weight."""
    return [{"feature": name, "weight": 1.0} for name, said in _SIGNS.items() if getattr(found, name)]


def sentence(found: Found) -> str:
    """Why it is that class, in one sentence."""
    why = [said for name, said in _SIGNS.items() if getattr(found, name)]
    because = f"because {' and '.join(why)}" if why else "because no rule speaks for more"
    return f"{found.classification.capitalize()} ({found.classifier_confidence:.2f}) {because}."


_SIGNS = {
    "is_ack_or_emoji": "it only acknowledges",
    "is_bot_mention": "it names the bot",
    "mentions_thread_with_inflight": "its asker comes back to the thread",
    "is_question": "it asks something",
    "is_internal_chatter": "the team talks among itself",
}


def judging(option: Path | None, env: Environment) -> Judging:
    """Judging by the settings file that is named; without one, by `triage.yml` here or by the built-in rules.

    Raises `Misconfigured` when the file that was named is not there, or says what it may not.
    """
    named = option or env.triage_config
    settings = load(named or DEFAULT_CONFIG) if named or DEFAULT_CONFIG.exists() else Settings()
    return Judging(_rules(settings))


def _rules(settings: Settings) -> Classifier:
    section = settings.classifier
    return compile_rules(
        bot_id=section.bot_id or _NOBODY,
        ack_patterns=section.ack_patterns,
        question_keywords=section.question_keywords,
    )
