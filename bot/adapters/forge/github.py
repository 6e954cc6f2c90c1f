"""Pull requests of GitHub, by its REST API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from bot.models.merge_request import MergeRequest
from bot.models.visible import clean

if TYPE_CHECKING:
    from bot.adapters.forge.api import ForgeApi, Reply

HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


class _Repository(BaseModel):
    full_name: str = ""


class _Branch(BaseModel):
    ref: str
    sha: str
    repo: _Repository | None = None


class _PullRequest(BaseModel):
    number: int
    html_url: str
    title: str
    state: str
    draft: bool = False
    head: _Branch
    base: _Branch


class _Permissions(BaseModel):
    push: bool = False


class _RepositoryRights(BaseModel):
    permissions: _Permissions = Field(default_factory=_Permissions)


@dataclass(frozen=True, kw_only=True)
class GitHubClient:
    """Pull requests of GitHub."""

    api: ForgeApi

    async def find(self, project: str, branch: str) -> MergeRequest | None:
        """Return the newest open pull request of a branch of this repository."""
        reply = await self.api.get(
            f"{_path(project)}/pulls",
            head=f"{project.partition('/')[0]}:{branch}",
            state="open",
            sort="created",
            direction="desc",
            per_page="20",
        )
        for content in reply.content if isinstance(reply.content, list) else ():
            found = _PullRequest.model_validate(content)
            if found.head.ref == branch and _is_of(found.head, project):
                return _read(found)
        return None

    async def create(self, project: str, *, branch: str, target: str, title: str, body: str) -> Reply:
        """Ask for a draft."""
        content = {"title": title, "head": branch, "base": target, "body": body, "draft": True}
        return await self.api.post(f"{_path(project)}/pulls", content)

    def read(self, content: Any) -> MergeRequest:
        """Read a pull request as the API returns it. Raises `pydantic.ValidationError`."""
        return _read(_PullRequest.model_validate(content))

    async def may_write(self, project: str) -> bool:
        """Return whether the token's owner may push to a repository."""
        reply = await self.api.get(_path(project))
        return _RepositoryRights.model_validate(reply.content).permissions.push


def _path(project: str) -> str:
    return "/repos/" + "/".join(quote(part, safe="") for part in project.split("/"))


def _is_of(branch: _Branch, project: str) -> bool:
    return branch.repo is not None and branch.repo.full_name.lower() == project.lower()


def _read(found: _PullRequest) -> MergeRequest:
    return MergeRequest(
        kind="github",
        number=found.number,
        url=found.html_url,
        title=clean(found.title),
        branch=found.head.ref,
        target=found.base.ref,
        head_sha=found.head.sha,
        is_draft=found.draft,
        is_open=found.state == "open",
    )
