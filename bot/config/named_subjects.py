"""Channels and people that the settings name, with the keys that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.config.settings import Settings


def named_channels(settings: Settings) -> dict[str, str]:
    """Return the channels that the settings name, each with its name there, which may be empty."""
    others = filter(None, (settings.approval.queue_channel, settings.reports.channel))
    return {**dict.fromkeys(others, ""), **{chat.chat_id: chat.name or "" for chat in settings.watched_chats}}


def naming_keys(settings: Settings) -> dict[str, list[str]]:
    """Return the keys that name each channel and each person."""
    pairs = [("watched_chats", chat.chat_id) for chat in settings.watched_chats]
    pairs += [("approval.queue_channel", settings.approval.queue_channel or "")]
    pairs += [("reports.channel", settings.reports.channel or "")]
    pairs += [("operators", user) for user in settings.operators]
    for chat in settings.watched_chats:
        pairs += [(f"watched_chats.{chat.chat_id}.operators", user) for user in chat.operators]
    for name, project in settings.projects.items():
        pairs += [(f"projects.{name}.operators", user) for user in project.operators]
    keys: dict[str, list[str]] = {}
    for key, subject in pairs:
        keys.setdefault(subject, []).append(key)
    return keys


def named_people(settings: Settings) -> list[str]:
    """Return every person whom the settings let decide somewhere, in their order; those of `operators` first."""
    return [name for name in settings.deciding if not name.startswith("S")]
