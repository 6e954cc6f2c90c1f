"""Context lines: the place of a conversation, told to the chat agent before the person's message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.conversation import ChatContext


def build_context_lines(context: ChatContext) -> list[str]:
    """Return a line for each known fact of the place."""
    lines = []
    if name := context.channel_project:
        use = f"Default to using project='{name}' for all project-scoped commands."
        lines.append(f"[Context: this is the channel for project '{name}'. {use}]")
    if page := context.page:
        of = f", the channel of project '{page.project}'" if page.project else ""
        use = f"By 'here' or 'this channel' they mean it: use channel='#{page.channel}'"
        use += f", and project='{page.project}' unless another one is active or named." if page.project else "."
        lines.append(f"[Context: while they write this they look at #{page.channel}{of}. {use}]")
    if name := context.notes_thread_of:
        use = f"Default to using notes tools with project='{name}'."
        lines.append(f"[Context: this is the notes thread for project '{name}'. {use}]")
    return lines
