"""The code bases that questions are answered from."""

from __future__ import annotations

from pathlib import Path

from pydantic import field_validator

from bot.decide import weblink
from bot.sections.base import Section, TeamId


class ProjectSection(Section):
    """A code base that questions are answered from."""

    root: Path
    """Its folder; a relative path starts at the settings file."""
    description: str = ""
    web_url: str = ""
    """Its repository's page, such as https://github.com/team/project: evidence on cards and in replies links there.
    GitHub's form of links is used, or GitLab's where the host is called so. For any other, the whole form of a link:
    https://code.example/{path}?at={commit}#{first}-{last}."""
    knowledge: tuple[Path, ...] = ()
    """Folders of tribal knowledge, such as notes and runbooks; a relative path starts at the settings file. A note that
    an operator keeps goes into the first one."""
    operators: tuple[TeamId, ...] = ()
    """Who may decide, too, on what is answered from this project: users or user groups."""

    @field_validator("web_url")
    @classmethod
    def _is_a_page(cls, web_url: str) -> str:
        if web_url and (problem := weblink.complaint(web_url)):
            raise ValueError(problem)
        return web_url
