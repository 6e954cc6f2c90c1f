"""Forge of `triage demo`: as much of GitLab's REST API as merge requests need, and a page for each of them.

It serves the bare repositories of a folder, and keeps its merge requests in a file there. Nothing is ever merged.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from bot.adapters.json_file import DiskJsonFile

if TYPE_CHECKING:
    from pathlib import Path

    from aiohttp import web

VARIABLE = "TRIAGE_DEMO_FORGE_TOKEN"
"""Environment variable with the token of the forge."""
API = "/api/v4"
_DEVELOPER = 30
"""Level of access to a project."""

Request = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class DemoForge:
    """The forge; `folder` has its repositories as `team/name.git`."""

    folder: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of its API and of its pages."""
        from aiohttp import web  # as late as the workspace's server

        return [
            web.get(f"{API}/projects/{{rest:.+}}", self._read),
            web.post(f"{API}/projects/{{rest:.+}}", self._create),
            web.get("/{project:[^/]+/[^/]+}/-/merge_requests/{number:[0-9]+}", self._show),
        ]

    async def _read(self, request: web.Request) -> web.Response:
        from aiohttp import web

        if not self._is_known(request):
            return web.json_response({"message": "401 Unauthorized"}, status=401)
        project, is_project = _find_project(request)
        if is_project:
            access = {"project_access": {"access_level": _DEVELOPER}, "group_access": None}
            return web.json_response({"path_with_namespace": project, "permissions": access})
        branch = request.query.get("source_branch")
        opened = [each for each in await self._list() if (each["project"], each["source_branch"]) == (project, branch)]
        return web.json_response([self._shape(each, request) for each in reversed(opened)])

    async def _create(self, request: web.Request) -> web.Response:
        from aiohttp import web

        if not self._is_known(request):
            return web.json_response({"message": "401 Unauthorized"}, status=401)
        (project, _), body, requests = _find_project(request), await request.json(), await self._list()
        branch = str(body["source_branch"])
        if any((each["project"], each["source_branch"]) == (project, branch) for each in requests):
            return web.json_response({"message": ["Another open merge request already exists"]}, status=409)
        if not self._head(project, branch):
            return web.json_response({"message": {"source_branch": ["does not exist"]}}, status=400)
        fields = {name: str(body[name]) for name in ("source_branch", "target_branch", "title", "description")}
        made = {"project": project, "iid": 1 + len(requests), **fields}
        await self._file.write({"requests": [*requests, made]})
        return web.json_response(self._shape(made, request), status=201)

    async def _show(self, request: web.Request) -> web.Response:
        """Show a merge request as plain text, since its words were written by others."""
        from aiohttp import web

        wanted = (request.match_info["project"], int(request.match_info["number"]))
        for each in await self._list():
            if (each["project"], each["iid"]) == wanted:
                branches = f"{each['source_branch']} to {each['target_branch']}"
                head = f"The demo's forge. It merges nothing: {self.folder / each['project']}.git has the branch."
                return web.Response(text=f"{head}\n\n{each['title']}\n{branches}\n\n{each['description']}\n")
        return web.Response(status=404, text="No such merge request.\n")

    @property
    def _file(self) -> DiskJsonFile:
        return DiskJsonFile(self.folder / "merge_requests.json")

    async def _list(self) -> list[Request]:
        requests: list[Request] = (await self._file.read()).get("requests", [])
        return requests

    def _is_known(self, request: web.Request) -> bool:
        return hmac.compare_digest(request.headers.get("Authorization", ""), f"Bearer {self.token}")

    def _head(self, project: str, branch: str) -> str:
        """Return the commit of a branch; empty if it is not there, or leads out of the folder."""
        path = self.folder / f"{project}.git" / "refs" / "heads" / branch
        if not path.resolve().is_relative_to(self.folder.resolve()) or not path.is_file():
            return ""
        return path.read_text().strip()

    def _shape(self, each: Request, request: web.Request) -> Request:
        return {
            **each,
            "web_url": f"{request.url.origin()}/{each['project']}/-/merge_requests/{each['iid']}",
            "state": "opened",
            "draft": each["title"].startswith("Draft: "),
            "sha": self._head(each["project"], each["source_branch"]),
            "source_project_id": 1,
            "target_project_id": 1,
        }


def _find_project(request: web.Request) -> tuple[str, bool]:
    """Return the project of a call, and whether the call is about the project itself."""
    quoted, _, rest = request.raw_path.partition("?")[0].removeprefix(f"{API}/projects/").partition("/")
    return unquote(quoted), not rest
