"""Merge requests of GitLab, by version 4 of its REST API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import BaseModel

from bot.models.merge_request import MergeRequest
from bot.models.visible import clean

if TYPE_CHECKING:
    from bot.adapters.forge.api import ForgeApi, Reply

HEADERS = {"Accept": "application/json"}
_DRAFT = "Draft: "
"""Beginning of a title that makes a merge request a draft; the API has no other way."""
_DEVELOPER = 30
"""Level of access from which somebody may push a branch and open a merge request."""


class _MergeRequest(BaseModel):
    iid: int
    web_url: str
    title: str
    state: str
    draft: bool = False
    source_branch: str
    target_branch: str
    source_project_id: int | None = None
    target_project_id: int | None = None
    sha: str | None = None


class _Access(BaseModel):
    access_level: int = 0


class _Permissions(BaseModel):
    project_access: _Access | None = None
    group_access: _Access | None = None


class _Project(BaseModel):
    permissions: _Permissions | None = None


@dataclass(frozen=True, kw_only=True)
class GitLabClient:
    """Merge requests of GitLab."""

    api: ForgeApi

    async def find(self, project: str, branch: str) -> MergeRequest | None:
        """Return the newest open merge request of a branch of this project; those of forks do not count."""
        reply = await self.api.get(
            f"{_path(project)}/merge_requests",
            source_branch=branch,
            state="opened",
            order_by="created_at",
            sort="desc",
            per_page="20",
        )
        for content in reply.content if isinstance(reply.content, list) else ():
            found = _MergeRequest.model_validate(content)
            if found.source_branch == branch and found.source_project_id == found.target_project_id:
                return _read(found)
        return None

    async def create(self, project: str, *, branch: str, target: str, title: str, body: str) -> Reply:
        """Ask for a draft."""
        content = {
            "source_branch": branch,
            "target_branch": target,
            "title": title if title.lower().startswith(_DRAFT.lower()) else f"{_DRAFT}{title}",
            "description": body,
        }
        return await self.api.post(f"{_path(project)}/merge_requests", content)

    def read(self, content: Any) -> MergeRequest:
        """Read a merge request as the API returns it. Raises `pydantic.ValidationError`."""
        return _read(_MergeRequest.model_validate(content))

    async def may_write(self, project: str) -> bool:
        """Return whether the token's owner may push to a project."""
        reply = await self.api.get(_path(project))
        permissions = _Project.model_validate(reply.content).permissions or _Permissions()
        levels = [access.access_level for access in (permissions.project_access, permissions.group_access) if access]
        return max(levels, default=0) >= _DEVELOPER


def _path(project: str) -> str:
    return f"/projects/{quote(project, safe='')}"


def _read(found: _MergeRequest) -> MergeRequest:
    return MergeRequest(
        kind="gitlab",
        number=found.iid,
        url=found.web_url,
        title=clean(found.title),
        branch=found.source_branch,
        target=found.target_branch,
        head_sha=found.sha or "",
        is_draft=found.draft,
        is_open=found.state == "opened",
    )
