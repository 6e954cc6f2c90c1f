"""Forges of the settings: drafts of merge requests by the API of GitHub and GitLab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.adapters.forge.api import TIMEOUT_S, ForgeApi, find_token_fault
from bot.adapters.forge.github import HEADERS as GITHUB_HEADERS
from bot.adapters.forge.github import GitHubClient
from bot.adapters.forge.gitlab import HEADERS as GITLAB_HEADERS
from bot.adapters.forge.gitlab import GitLabClient
from bot.adapters.forge.sites import find_project
from bot.errors import RetryLater, ToolError, Uncertain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.adapters.forge.api import Reply
    from bot.models.merge_request import ForgeSite, MergeRequest

_EXISTS = "already exists"
"""Words of both forges for a second open request of a branch."""


@dataclass(frozen=True, kw_only=True)
class Forges:
    """The port `Forge` for the forges of the settings; their tokens are in `variables`."""

    sites: tuple[ForgeSite, ...]
    variables: Mapping[str, str]
    timeout_s: float = TIMEOUT_S

    def find_fault(self, address: str) -> str:
        """Return why no request can be opened for a remote: no forge of the settings, or no token (`Forge`)."""
        if site := self.find_site(address):
            return find_token_fault(site, self.variables)
        return (
            f"no forge of the settings serves {address or 'this repository'}: an administrator adds its host to forges "
            "in triage.yml"
        )

    def find_site(self, address: str) -> ForgeSite | None:
        """Return the first forge that serves a remote; `None` if none does."""
        return next((site for site in self.sites if find_project(site, address)), None)

    async def find(self, address: str, branch: str) -> MergeRequest | None:
        """Return the newest open merge request of a branch; `None` without one."""
        client, project = self._locate(address)
        return await _find(client, project, branch)

    async def open_draft(self, address: str, *, branch: str, target: str, title: str, body: str) -> MergeRequest:
        """Open a draft, or return the open request that is there."""
        client, project = self._locate(address)
        if found := await _find(client, project, branch):
            return found
        try:
            reply = await client.create(project, branch=branch, target=target, title=title, body=body)
            if reply.is_success:
                return client.read(reply.content)
        except (Uncertain, ValidationError) as doubt:
            return await _look_again(client, project, branch, doubt)
        if _EXISTS in reply.reason.lower():
            if found := await _find(client, project, branch):
                return found
            raise RetryLater(f"{client.api.name} says that {branch} has an open request, and lists none", after=5)
        raise _refuse(client.api.name, reply)

    async def may_write(self, address: str) -> bool:
        """Return whether the token may open requests for a remote, as far as the forge tells. Raises `RetryLater` and
        `ToolError`."""
        client, project = self._locate(address)
        try:
            return await client.may_write(project)
        except ValidationError as problem:
            raise _answer_unknown(client) from problem

    def _locate(self, address: str) -> tuple[GitHubClient | GitLabClient, str]:
        """Return the client of a remote's forge, and its project there. Raises `ToolError` if there is none."""
        if site := self.find_site(address):
            return self._connect(site), find_project(site, address)
        raise ToolError(self.find_fault(address))

    def _connect(self, site: ForgeSite) -> GitHubClient | GitLabClient:
        if site.kind == "github":
            return GitHubClient(api=self._build_api(site, GITHUB_HEADERS))
        return GitLabClient(api=self._build_api(site, GITLAB_HEADERS))

    def _build_api(self, site: ForgeSite, headers: Mapping[str, str]) -> ForgeApi:
        return ForgeApi(site=site, variables=self.variables, headers=headers, timeout_s=self.timeout_s)


async def _find(client: GitHubClient | GitLabClient, project: str, branch: str) -> MergeRequest | None:
    try:
        return await client.find(project, branch)
    except ValidationError as problem:
        raise _answer_unknown(client) from problem


async def _look_again(client: GitHubClient | GitLabClient, project: str, branch: str, doubt: Exception) -> MergeRequest:
    """Return the request that a call in doubt has opened. Raises `Uncertain` if none is there, or none can be seen."""
    why = str(doubt) if isinstance(doubt, Uncertain) else f"{client.api.name} answered with no request"
    try:
        found = await _find(client, project, branch)
    except (RetryLater, ToolError) as problem:
        raise Uncertain(f"{why}; then {problem}") from problem
    if found is None:
        raise Uncertain(f"{why}; no open request of {branch} is there yet") from doubt
    return found


def _refuse(name: str, reply: Reply) -> ToolError:
    reason = reply.reason
    if "draft" in reason.lower():
        return ToolError(f"{name} allows no drafts in this repository ({reason}), and Triage opens nothing else")
    return ToolError(
        f"{name} refused the request with status {reply.status} ({reason}): nothing was opened. Mend what these words "
        "name, such as the title, the branch or the default branch, and ask for it again"
    )


def _answer_unknown(client: GitHubClient | GitLabClient) -> ToolError:
    return ToolError(f"{client.api.name} answered in a form that is not {client.api.site.kind}'s: is api_url right?")
