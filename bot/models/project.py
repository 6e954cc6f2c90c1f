"""A project: a name, the folder its code lies in, and a sentence about it (`projects` in `triage.yml`)."""

from __future__ import annotations

from pathlib import Path

from bot.models.fact import Fact


class Project(Fact):
    """One code base that questions are answered from."""

    name: str
    root: Path
    """Absolute path of the folder; every reference of this project is relative to it."""
    description: str = ""
    knowledge: tuple[Path, ...] = ()
    """Absolute paths of folders of tribal knowledge: notes of the team that answer questions."""
