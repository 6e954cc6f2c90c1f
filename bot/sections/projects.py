"""The code bases that questions are answered from."""

from __future__ import annotations

from pathlib import Path

from bot.sections.base import Section, TeamId


class ProjectSection(Section):
    """A code base that questions are answered from."""

    root: Path
    """Its folder; a relative path starts at the settings file."""
    description: str = ""
    knowledge: tuple[Path, ...] = ()
    """Folders of tribal knowledge, such as notes and runbooks; a relative path starts at the settings file. A note that
    an operator keeps goes into the first one."""
    operators: tuple[TeamId, ...] = ()
    """Who may decide, too, on what is answered from this project: users or user groups."""
