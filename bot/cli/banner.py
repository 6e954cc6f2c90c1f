"""What `triage run` says of its settings when it is ready: rules, roles, channels, engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.settings import Settings


def banner(settings: Settings) -> list[str]:
    """A line for each."""
    chats = [f"#{chat.name or chat.chat_id} ({chat.mode})" for chat in settings.watched_chats]
    projects = ", ".join(settings.projects)
    lines = [f"  channels: {', '.join(chats)}", f"  engine: {settings.engine}", f"  projects: {projects}"]
    marks = settings.marks
    shown = ", ".join(f"{state} :{name}:" for state, name in marks.names.items()) or "none"
    quiet = f"; none in {', '.join(sorted(marks.quiet))}" if marks.quiet else ""
    lines.append(f"  reactions: {shown}{quiet}")
    if settings.routing is None or settings.routes is None:
        return [*lines, "  routing: none; each question goes to the project that fits its words best"]
    rules = settings.routing.rules
    lines.append(f"  routing: {len(rules)} rule{'' if len(rules) == 1 else 's'}, default {settings.routing.default}")
    router = settings.routes.router
    for name, role in settings.routes.roles.items():
        place = router.roles[name].place
        where = f"{place.project}/{place.folder}".removesuffix("/.") if place else "no folder of its own"
        lines.append(f"  role {name}: {role.display_name}, {role.category}, {where}")
    return lines
