"""Tier 0 on the command line: the classifier of the settings, applied to a stream of messages.

`triage classify`, `replay` and `retrain` use it, so that all three classify as the bot does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import format_count
from bot.adapters.weights_file import WeightsFile
from bot.config.classifier_rules import build_classifier
from bot.config.paths import DEFAULT_CONFIG, named_config
from bot.decide.classify.classifier import compile_rules, explain
from bot.decide.classify.stream_classifier import StreamClassifier

if TYPE_CHECKING:
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.decide.classify.stream_classifier import MessageClass
    from bot.ports.storage import Storage

_NOBODY = "U0"
"""Placeholder that is not a Slack id: without a bot id in the settings no mention matches."""


def warn_of_groups(classifier: StreamClassifier) -> str | None:
    """Return the warning that user groups of `classifier.team_members` are not expanded here, or `None` without such
    groups."""
    groups = sorted(member for member in classifier.rules.team_members if member.startswith("S"))
    if not groups:
        return None
    return (
        f"classifier.team_members names {format_count(len(groups), 'user group')} ("
        f"{', '.join(groups)}). Slack is not "
        "asked here who is in them, so nobody counts as of them; the bot does ask."
    )


def list_reasons(result: MessageClass) -> list[dict[str, Any]]:
    """Return the features that led to the class, each with its weight."""
    return [{"feature": name, "weight": weight} for name, weight in result.judgement.features]


def explain_class(result: MessageClass) -> str:
    """Explain the class in one sentence."""
    return explain(result.judgement)


async def load_classifier(settings: Settings, storage: Storage) -> StreamClassifier:
    """Load the classifier of the settings; of those without a file the built-in rules.

    The weights are those of the storage if it has any. Raises `Misconfigured` when they are broken.
    """
    table = await storage.weights.read()
    if settings.path is None:
        return StreamClassifier(compile_rules(bot_id=_NOBODY, table=table))
    return StreamClassifier(build_classifier(settings, bot_id=_NOBODY, table=table))


async def load_offline_classifier(option: Path | None, home: Path) -> StreamClassifier:
    """Load the classifier of the named settings file, else of `triage.yml` here. Raises `Misconfigured`."""
    if not named_config(option) and not DEFAULT_CONFIG.exists():
        return StreamClassifier(compile_rules(bot_id=_NOBODY, table=await WeightsFile(home).read()))
    from bot.cli.offline_storage import load_offline_settings, open_offline_storage  # slow to import

    settings = load_offline_settings(option)
    async with open_offline_storage(settings, home) as storage:
        return await load_classifier(settings, storage)
