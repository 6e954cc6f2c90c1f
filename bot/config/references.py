"""Names in the settings that must be those of other settings: projects, services, channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bot.config.settings import Settings


def find_reference_faults(settings: Settings) -> Iterator[str]:
    """Yield the faults that forbid a start, each with its file and line."""
    for number, chat in enumerate(settings.watched_chats):
        if chat.project and chat.project not in settings.projects:
            key = settings.format_key("watched_chats", number, "project")
            yield f"{key}: expected one of {_list(settings.projects)}"
    for number, service in enumerate(settings.health.services):
        if service.project and service.project not in settings.projects:
            key = settings.format_key("health", "services", number, "project")
            yield f"{key}: expected one of {_list(settings.projects)}"
    watched = [chat.chat_id for chat in settings.watched_chats]
    if settings.watch.chat_id and settings.watch.chat_id not in watched:
        yield f"{settings.format_key('watch', 'chat_id')}: expected a channel of watched_chats, one of {_list(watched)}"
    yield from _find_runbook_faults(settings)
    yield from _find_command_faults(settings)


def _find_runbook_faults(settings: Settings) -> Iterator[str]:
    services = [service.name for service in settings.health.services]
    names = [runbook.name for runbook in settings.runbooks]
    for number, runbook in enumerate(settings.runbooks):
        if runbook.name in names[:number]:
            yield f"{settings.format_key('runbooks', number, 'name')}: expected each runbook once"
        for place, name in enumerate(runbook.services):
            if name not in services:
                key = settings.format_key("runbooks", number, "services", place)
                yield f"{key}: expected a service of health.services, one of {_list(services)}"


def _find_command_faults(settings: Settings) -> Iterator[str]:
    names = [command.name for command in settings.commands]
    for number, command in enumerate(settings.commands):
        if command.name in names[:number]:
            yield f"{settings.format_key('commands', number, 'name')}: expected each command once"
        for place, project in enumerate(command.projects):
            if project not in settings.projects:
                key = settings.format_key("commands", number, "projects", place)
                yield f"{key}: expected one of {_list(settings.projects)}"
        if fault := command.find_fault():
            yield f"{settings.format_key('commands', number, 'argv')}: {fault}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
