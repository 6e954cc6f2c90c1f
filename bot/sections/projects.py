"""The code bases that questions are answered from."""

from __future__ import annotations

from pathlib import Path

from bot.sections.base import Section


class ProjectSection(Section):
    """A code base that questions are answered from."""

    root: Path
    """Its folder; a relative path starts at the settings file."""
    description: str = ""
    knowledge: tuple[Path, ...] = ()
    """Folders of tribal knowledge, such as notes and runbooks; a relative path starts at the settings file."""
