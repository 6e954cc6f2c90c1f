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
    web_url: str = ""
    """Its repository's page on the web, or how that names lines (`decide/weblink`); empty when it has none."""
    knowledge: tuple[Path, ...] = ()
    """Absolute paths of folders of tribal knowledge: notes of the team that answer questions."""
