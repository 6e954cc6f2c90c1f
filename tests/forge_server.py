"""A forge on loopback that speaks enough of GitHub's REST API and of GitLab's to open merge requests, with faults.

    async with ForgeServer(folder=tmp_path) as server:      # bare repositories at tmp_path/<team>/<name>.git
        forges = Forges(sites=(server.site("github"),), variables=server.variables)
        server.faults.append(cut(after_storing=True))

Requests are kept in memory, by project path. Without `folder` any branch exists, and the site serves
`https://git.example.com`. A fault is taken by the next request of its method, in the order of the list.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path
from ssl import SSLContext
from typing import Any, Self
from urllib.parse import unquote

from aiohttp import web

from bot.models.merge_request import ForgeKind, ForgeSite

HOST = "git.example.com"
TOKEN = "-".join(("forge", "token", "4711"))
VARIABLE = "FORGE_TOKEN"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the next request of a method gets instead of its answer; with `status` 0 its connection is cut."""

    method: str = "POST"
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    after_storing: bool = False
    """True: it has its effect all the same."""
    hangs: bool = False
    """True: it gets no answer before the server closes."""


def cut(method: str = "POST", *, after_storing: bool = False) -> Fault:
    """Cut the connection, before or after the request had its effect."""
    return Fault(method=method, after_storing=after_storing)


def status(number: int, method: str = "POST", *, after_storing: bool = False, **headers: str) -> Fault:
    """Answer with a status; names of headers have underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(method=method, status=number, headers=named, after_storing=after_storing)


@dataclass(kw_only=True)
class OpenedRequest:
    """A merge request as the forge keeps it."""

    project: str
    number: int
    title: str
    body: str
    branch: str
    target: str
    is_draft: bool
    is_open: bool = True
    source_project: str = ""
    """Another project for the request of a fork."""


@dataclass
class ForgeServer:
    """The server, from `async with` on."""

    folder: Path | None = None
    requests: list[OpenedRequest] = field(default_factory=list)
    """Merge requests of both APIs, the oldest first."""
    calls: list[str] = field(default_factory=list)
    """Method and path of each call, with its token checked or not."""
    faults: list[Fault] = field(default_factory=list)
    tls: SSLContext | None = None
    """Certificate of the server; without one it speaks http."""
    allows_drafts: bool = True
    may_write: bool = True
    stored: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a request is opened."""
    missing: set[str] = field(default_factory=set)
    """Paths of projects that are not there."""

    async def __aenter__(self) -> Self:
        """Listen."""
        self._closing = asyncio.Event()
        app = web.Application()
        for base, handle in (("/api/v3/repos", self._github), ("/api/v4/projects", self._gitlab)):
            app.router.add_route("*", f"{base}/{{rest:.+}}", handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self.tls).start()
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        self._closing.set()
        await self._runner.cleanup()

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment with the token."""
        return {VARIABLE: TOKEN}

    def site(self, kind: ForgeKind = "github", **changes: Any) -> ForgeSite:
        """Return the forge as the settings have it."""
        where = {"folder": self.folder} if self.folder else {"host": HOST}
        api_url = f"{self.url}/api/{'v3' if kind == 'github' else 'v4'}"
        return ForgeSite.model_validate({"kind": kind, "token_env": VARIABLE, "api_url": api_url, **where, **changes})

    def head(self, project: str, branch: str) -> str:
        """Return the SHA of a branch; empty if it is not there."""
        if self.folder is None:
            return sha1(f"{project} {branch}".encode(), usedforsecurity=False).hexdigest()
        try:
            return (self.folder / f"{project}.git" / "refs" / "heads" / branch).read_text().strip()
        except OSError:
            return ""

    async def _github(self, request: web.Request) -> web.StreamResponse:
        owner, name, *rest = request.match_info["rest"].split("/")
        project = f"{owner}/{name}"
        if refusal := self._refuse(request, project, "Bad credentials"):
            return refusal
        if not rest:
            return web.json_response({"full_name": project, "permissions": {"push": self.may_write}})
        if request.method == "GET":
            query = request.query
            whose, _, branch = query["head"].partition(":")
            listed = self._list(project, branch) if whose == owner else []
            return await self._answer(request, 200, [self._as_github(each) for each in listed])
        body = await request.json()
        if self._list(project, body["head"], body["base"]):
            return _invalid(f"A pull request already exists for {owner}:{body['head']}.")
        if not self.head(project, body["head"]):
            return _invalid({"resource": "PullRequest", "field": "head", "code": "invalid"})
        if body["draft"] and not self.allows_drafts:
            return _invalid("Draft pull requests are not supported in this repository.")
        return await self._answer(
            request, 201, lambda: self._as_github(self._open(project, body, body["head"], body["base"], body["draft"]))
        )

    async def _gitlab(self, request: web.Request) -> web.StreamResponse:
        quoted, *rest = request.raw_path.partition("?")[0].removeprefix("/api/v4/projects/").split("/")
        project = unquote(quoted)
        if refusal := self._refuse(request, project, "401 Unauthorized"):
            return refusal
        if not rest:
            level = 30 if self.may_write else 20
            return web.json_response({"permissions": {"project_access": None, "group_access": {"access_level": level}}})
        if request.method == "GET":
            listed = self._list(project, request.query["source_branch"])
            return await self._answer(request, 200, [self._as_gitlab(each) for each in listed])
        body = await request.json()
        if own := [each for each in self._list(project, body["source_branch"]) if not each.source_project]:
            reason = f"Another open merge request already exists for this source branch: !{own[0].number}"
            return web.json_response({"message": [reason]}, status=409)
        if not self.head(project, body["source_branch"]):
            return web.json_response({"message": {"source_branch": ["does not exist"]}}, status=400)
        is_draft = body["title"].startswith("Draft: ")
        return await self._answer(
            request,
            201,
            lambda: self._as_gitlab(
                self._open(
                    project,
                    {**body, "body": body["description"]},
                    body["source_branch"],
                    body["target_branch"],
                    is_draft,
                )
            ),
        )

    def _refuse(self, request: web.Request, project: str, unknown: str) -> web.Response | None:
        self.calls.append(f"{request.method} {request.path}")
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.json_response({"message": unknown}, status=401)
        if project in self.missing:
            return web.json_response({"message": "Not Found"}, status=404)
        return None

    async def _answer(self, request: web.Request, number: int, content: Any) -> web.StreamResponse:
        """Answer with the content, which a function makes by opening a request; or with the fault that is due."""
        fault = next((each for each in self.faults if each.method == request.method), None)
        if fault is None:
            return web.json_response(content() if callable(content) else content, status=number)
        self.faults.remove(fault)
        if fault.after_storing:
            content()
        if fault.hangs:
            await self._closing.wait()
        if not fault.status and request.transport:
            request.transport.abort()
        return web.Response(status=fault.status or 500, headers=fault.headers, body=fault.body)

    def _list(self, project: str, branch: str, target: str = "") -> list[OpenedRequest]:
        """Return the open requests of a branch, the newest first."""
        return [
            each
            for each in reversed(self.requests)
            if (each.project, each.branch) == (project, branch) and each.is_open and target in ("", each.target)
        ]

    def _open(self, project: str, body: dict[str, Any], branch: str, target: str, is_draft: bool) -> OpenedRequest:
        number = 1 + len(self.requests)
        self.stored.set()
        self.requests.append(
            OpenedRequest(
                project=project,
                number=number,
                title=body["title"],
                body=body["body"],
                branch=branch,
                target=target,
                is_draft=is_draft,
            )
        )
        return self.requests[-1]

    def _as_github(self, each: OpenedRequest) -> dict[str, Any]:
        return {
            "number": each.number,
            "html_url": f"https://{HOST}/{each.project}/pull/{each.number}",
            "title": each.title,
            "state": "open" if each.is_open else "closed",
            "draft": each.is_draft,
            "head": {
                "ref": each.branch,
                "sha": self.head(each.project, each.branch),
                "repo": {"full_name": each.source_project or each.project},
            },
            "base": {"ref": each.target, "sha": "", "repo": {"full_name": each.project}},
        }

    def _as_gitlab(self, each: OpenedRequest) -> dict[str, Any]:
        return {
            "iid": each.number,
            "web_url": f"https://{HOST}/{each.project}/-/merge_requests/{each.number}",
            "title": each.title,
            "state": "opened" if each.is_open else "closed",
            "draft": each.is_draft,
            "source_branch": each.branch,
            "target_branch": each.target,
            "source_project_id": 7 if each.source_project else 1,
            "target_project_id": 1,
            "sha": self.head(each.project, each.branch),
        }


def _invalid(error: Any) -> web.Response:
    """Build GitHub's answer to a request that breaks a rule."""
    content = {"message": "Validation Failed", "errors": [{"message": error} if isinstance(error, str) else error]}
    return web.Response(status=422, body=json.dumps(content).encode(), content_type="application/json")
