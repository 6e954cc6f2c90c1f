"""The forge of the demo, asked as GitLab is: it opens a draft once, and knows nobody without its token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.forge import Forges
from bot.cli.demo_forge import API, VARIABLE, DemoForge
from bot.cli.demo_projects import forge_folder, write_demo
from bot.cli.recorded_answers import MODEL
from bot.config.settings import load
from bot.models.merge_request import ForgeSite
from tests.adapters.workspace_bench import git

if TYPE_CHECKING:
    from pathlib import Path

BRANCH: dict[str, Any] = {
    "source_branch": "triage/a",
    "target_branch": "main",
    "title": "Draft: A",
    "description": "<b>",
}


async def test_a_draft_is_opened_once_and_shown_as_text(tmp_path: Path) -> None:
    """Of a branch that is there, over a restart; its settings are those of the demo."""
    forge = DemoForge(folder=forge_folder(tmp_path))
    app = web.Application()
    app.router.add_routes(forge.routes())
    async with TestServer(app, host="127.0.0.1") as server:
        url = str(server.make_url("")).rstrip("/")
        settings = load(write_demo(tmp_path, "http://127.0.0.1:1", MODEL, forge_url=url))
        assert [*settings.projects] == ["triage", "parcels", "returns"]
        (section,) = settings.forges
        site: ForgeSite = section.as_site()
        assert (site.folder, site.token_env) == (forge.folder, VARIABLE)
        remote = forge.folder / "demo" / "returns.git"
        assert not Forges(sites=(site,), variables={VARIABLE: forge.token}).find_fault(str(remote))
        path = f"{url}{API}/projects/demo%2Freturns/merge_requests"
        async with aiohttp.ClientSession() as stranger, stranger.post(path, json=BRANCH) as refused:
            assert refused.status == 401
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {forge.token}"}) as session:

            async def post(**changes: str) -> tuple[int, Any]:
                async with session.post(path, json=BRANCH | changes) as answer:
                    return answer.status, await answer.json()

            assert (await post())[0] == 400
            assert (await post(source_branch="../../../../x"))[0] == 400
            git(remote, "branch", "triage/a", "main")
            status, made = await post()
            assert (status, made["draft"], made["sha"]) == (201, True, git(remote, "rev-parse", "main"))
            assert (await post())[0] == 409
            async with session.get(path, params={"source_branch": "triage/a"}) as listed:
                assert [each["iid"] for each in await listed.json()] == [1]
            async with session.get(made["web_url"]) as page:
                assert (page.content_type, "Draft: A" in await page.text()) == ("text/plain", True)
