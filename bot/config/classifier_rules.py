"""Rules of tier 0 built from the settings, identical for the bot and for the offline commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.classify.channel_purpose import purpose_of
from bot.decide.classify.classifier import compile_rules

if TYPE_CHECKING:
    from bot.config.settings import Settings
    from bot.decide.classify.classifier import Classifier
    from bot.models.weights import WeightTable


def build_classifier(settings: Settings, *, bot_id: str, table: WeightTable | None) -> Classifier:
    """Build the classifier for a bot with this id, unless the settings name another, with the home's weights if it has
    any.

    Raises `Misconfigured` when the weights are of another version.
    """
    section = settings.classifier
    return compile_rules(
        bot_id=section.bot_id or bot_id,
        languages=section.languages,
        ack_patterns=section.ack_patterns,
        question_keywords=section.question_keywords,
        team_members=section.team_members,
        alert_bots=section.alert_bots,
        purposes={chat.chat_id: chat.purpose or purpose_of(chat.name) for chat in settings.watched_chats},
        table=table,
    )
